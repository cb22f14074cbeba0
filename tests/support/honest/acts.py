"""What happens in a game beside moves: what players, the operator and an app may do."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import referee
import referee.clocks
import referee.records
import referee.table
from tests.support.honest.server import HOUR, Server


def talk(server: Server) -> None:
    if server.players:
        who = server.who(server.choose.choice(server.players))
        for kind, declared in referee.records.ENTRY_TYPES.items():
            if declared.says and (not server.over or "over" in declared.stages):
                server.write(kind, {**who, declared.says: "Ça va? — ok"})


def nudge(server: Server) -> None:
    waited = [seat for seat in server.state.to_act if seat in server.players]
    if waited and len(server.players) > 1:
        seat = server.choose.choice([each for each in server.players if each != waited[0]])
        held: dict[str, Any] = server.held[waited[0]] or {}
        server.write("nudged", {**server.who(seat), "nudge": {"seat": waited[0], "player": held["player"]}})


def possible(server: Server, of: int) -> bool:
    """Return whether the moves from this entry on may be taken back."""
    since = [made for made in server.moves if made.seq >= of]
    if of < server.barrier or not since:
        return False
    state = referee.clone(since[0].before)
    chance = referee.Seeded(server.key, since[0].drawn)
    return all(referee.table.reveals(state, made.seat, made.move, chance) is None for made in since)


def go_back(server: Server, of: int) -> dict[str, Any]:
    made = next(each for each in server.moves if each.seq == of)
    server.moves = [each for each in server.moves if each.seq < of]
    server.state = made.before
    assert server.chance.drawn == made.drawn
    returned = server.increments.since(of) if server.pace is not None else {}
    return server.turns(afresh=True, returned=returned)


def take_back(server: Server) -> None:
    own = [made for made in server.moves if made.seat in server.players]
    if not own:
        return
    seat = server.choose.choice(own).seat
    of = [made.seq for made in own if made.seat == seat][-1]
    if not possible(server, of):
        return
    server.write("take_back_requested", {**server.who(seat), "of": of}, action={})
    for other in server.players:
        if other == seat:
            continue
        if server.choose.random() < 0.15:
            server.write("take_back_refused", {**server.who(other), "of": of}, action={})
            return
        server.at += timedelta(seconds=1)
        server.write("take_back_agreed", {**server.who(other), "of": of}, action={})
    clocks = go_back(server, of)
    server.write("taken_back", {**server.who(seat), "of": of, **clocks})


def undo(server: Server) -> None:
    last = server.moves[-1].seq if server.moves else 0
    if last in server.forced and possible(server, last):
        clocks = go_back(server, last)
        server.write("timeout_undone", {"of": last, "undone": server.forced[last], **clocks})


def vacation(server: Server) -> None:
    if server.pace is None or not server.players:
        return
    seat = server.choose.choice(server.players)
    if server.timing.vacation_left(server.clocks[seat]):
        facts = referee.clocks.go_away(server.clocks, seat, server.timing, server.at, 1)
        server.write("vacation_taken", {**server.who(seat), **facts}, action={"days": 1})


def pause(server: Server) -> None:
    if server.pace is None or not server.players:
        return
    for seat in server.players:
        server.write("pause_agreed", server.who(seat), action={})
    referee.clocks.pause(server.clocks, server.timing, server.at)
    server.write("paused", {})
    server.at += server.choose.randrange(90) * HOUR
    talk(server)
    end = server.choose.random()
    if end < 0.06:
        server.give_up("resigned", server.choose.choice(server.players))
    elif end < 0.1:
        server.cancel()
    elif end < 0.14:
        adjudicate(server)
    else:
        facts = referee.clocks.resume(server.clocks, server.timing, server.at)
        server.write("resumed", {**server.who(server.choose.choice(server.players)), **facts}, action={})


def retire(server: Server) -> None:
    keyed = [seat for seat in server.players if seat in server.keys]
    if keyed:
        seat = server.choose.choice(keyed)
        server.write("key_retired", server.who(seat), action={})
        del server.keys[seat]


def operate(server: Server) -> None:
    if server.pace is None:
        return
    running = [seat for seat, clock in enumerate(server.clocks) if clock.deadline]
    kind = server.choose.choice(("returned", "added"))
    if kind == "returned" and running:
        since, server.at = server.at, server.at + server.choose.randrange(1, 40) * HOUR
        facts = referee.clocks.outlast(server.clocks, server.timing, since, server.at)
        server.write("time_returned", {"since": referee.clocks.timestamp(since), **facts})
    elif kind == "added" and running:
        seat = server.choose.choice(running)
        facts = referee.clocks.add_time(server.clocks, seat, server.timing, 7 * HOUR)
        server.write("time_added", {"by": "app", "added": {"seat": seat, "time": "PT7H"}, **facts})


def hand_over(server: Server) -> None:
    seat = server.choose.randrange(server.seats)
    others = [each for each in server.players if each != seat]
    agreed = bool(others) and server.choose.random() < 0.6
    following: dict[str, Any] = {"player": None, "bot": "random"}
    if not others or server.choose.random() >= 0.3:
        following = server.newcomer(f"new {len(server.entries)}")
    for other in others if agreed else ():
        chosen = {"seat": seat, **following}
        player = following["player"]
        named = {**chosen, "player": player and player["id"]}
        server.write(
            "replacement_agreed",
            {**server.who(other), "replacement": chosen},
            action={"replacement": named},
        )
    how = {"agreed": True} if agreed else {}
    by = server.choose.choice(("player", "app")) if agreed else "app"
    server.replace(seat, following, by, **how)


def agree_to_end(server: Server) -> None:
    """Let seats agree to end the game, which then ends if all have agreed to the same."""
    ending = server.choose.choice(("draw", "cancellation"))
    is_unanimous = server.choose.random() < 0.4
    for seat in server.players:
        if server.choose.random() < 0.1:
            other = "draw" if ending == "cancellation" else "cancellation"
            server.write("ending_agreed", {**server.who(seat), "ending": other}, action={"ending": other})
        if is_unanimous or server.choose.random() < 0.5:
            server.write("ending_agreed", {**server.who(seat), "ending": ending}, action={"ending": ending})
        else:
            return
    if not server.players:
        return
    if ending == "draw":
        server.decide("drawn", referee.table.draw(server.state))
    else:
        server.cancel(agreed=True)


def adjudicate(server: Server) -> None:
    seats = server.choose.sample(range(server.seats), server.seats)
    first, second = sorted(server.choose.choices(range(server.seats + 1), k=2))
    ruling = {"winners": seats[:first], "losers": seats[first:second]}
    server.decide("adjudicated", referee.table.rule(ruling), ruling=ruling)
