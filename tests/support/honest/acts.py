"""What happens in a game beside moves: what players, the operator and an app may do."""

from __future__ import annotations

from datetime import timedelta

import referee
import referee.records
from referee.table import Who, commands
from tests.support.honest.server import HOUR, Server


def talk(server: Server) -> None:
    if server.players:
        who = server.who(server.choose.choice(server.players))
        for kind, declared in referee.records.ENTRY_TYPES.items():
            if declared.says and (not server.over or "over" in declared.stages):
                server.write(kind, **who, text="Ça va? — ok")


def nudge(server: Server) -> None:
    """Nudge, sooner than a table would allow it: a log need not prove that it was late."""
    waited = [seat for seat in server.state.to_act if seat in server.players]
    if waited and len(server.players) > 1:
        seat = server.choose.choice([each for each in server.players if each != waited[0]])
        player = server.who(waited[0])["player"]
        server.write("nudged", **server.who(seat), nudge={"seat": waited[0], "player": player})


def take_back(server: Server) -> None:
    own = [made for made in server.fold.moves if made.seat in server.players]
    if not own:
        return
    seat = server.choose.choice(own).seat
    if not server.ask(commands.agreements.AskTakeBack(seat)):
        return
    for other in server.players:
        if other == seat:
            continue
        if server.choose.random() < 0.15:
            server.ask(commands.agreements.RefuseTakeBack(other))
            return
        server.at += timedelta(seconds=1)
        server.ask(commands.agreements.AgreeToTakeBack(other))
    taken_back = commands.taken_back(server.table, server.at, server.fold.recent)
    assert taken_back is not None
    server.enter(taken_back)


def undo(server: Server) -> None:
    server.ask(commands.agreements.UndoTimeout())


def vacation(server: Server) -> None:
    if server.table.pace is not None and server.players:
        server.ask(commands.clocks.TakeVacation(server.choose.choice(server.players), 1))


def pause(server: Server) -> None:
    if server.table.pace is None or not server.players:
        return
    for seat in server.players:
        server.ask(commands.agreements.AgreeToPause(seat))
    server.go_on()
    server.at += server.choose.randrange(90) * HOUR
    talk(server)
    end = server.choose.random()
    if end < 0.06:
        resign(server)
    elif end < 0.1:
        server.ask(commands.play.Cancel())
    elif end < 0.14:
        adjudicate(server)
    else:
        server.ask(commands.agreements.EndPause(server.choose.choice(server.players)))


def retire(server: Server) -> None:
    keyed = [seat for seat in server.players if seat in server.keys]
    if keyed:
        server.ask(commands.play.RetireKey(server.choose.choice(keyed)))


def operate(server: Server) -> None:
    if server.table.pace is None:
        return
    running = [number for number, seat in enumerate(server.table.seats) if seat.deadline]
    kind = server.choose.choice(("returned", "added"))
    if kind == "returned" and running:
        since, server.at = server.at, server.at + server.choose.randrange(1, 40) * HOUR
        server.ask(commands.clocks.ReturnTime(since))
    elif kind == "added" and running:
        server.ask(commands.clocks.AddTime(server.choose.choice(running), 7 * HOUR), "app")


def hand_over(server: Server) -> None:
    seat = server.choose.randrange(server.seats)
    others = [each for each in server.players if each != seat]
    agreed = bool(others) and server.choose.random() < 0.6
    following = Who(bot="random")
    if not others or server.choose.random() >= 0.3:
        following = server.newcomer(f"new {len(server.entries)}")
    for other in others if agreed else ():  # a log need not prove that the player was missing
        replacement = {"seat": seat, **following.to_json()}
        server.write("replacement_agreed", **server.who(other), replacement=replacement)
    by = server.choose.choice(("player", "app")) if agreed else "app"
    server.hand_over(commands.seats.HandOver(seat, following, "agreed" if agreed else None), by)


def agree_to_end(server: Server) -> None:
    """Let seats agree to end the game, which then ends if all have agreed to the same."""
    ending = server.choose.choice(("draw", "cancellation"))
    is_unanimous = server.choose.random() < 0.4
    for seat in server.players:
        if server.choose.random() < 0.1:
            other = "draw" if ending == "cancellation" else "cancellation"
            server.ask(commands.agreements.AgreeToEnd(seat, other))
        if is_unanimous or server.choose.random() < 0.5:
            server.ask(commands.agreements.AgreeToEnd(seat, ending))
        else:
            return
    server.go_on()


def resign(server: Server) -> None:
    server.ask(commands.play.Resign(server.choose.choice(server.players)))
    server.go_on()


def adjudicate(server: Server) -> None:
    seats = server.choose.sample(range(server.seats), server.seats)
    first, second = sorted(server.choose.choices(range(server.seats + 1), k=2))
    server.ask(commands.play.Adjudicate({"winners": seats[:first], "losers": seats[first:second]}))
    server.go_on()
