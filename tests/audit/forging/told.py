"""The lies that no table can tell: several entries that fit each other, and what only a game can show."""

from __future__ import annotations

import copy
import random
from typing import Any

import referee
import referee.clocks
from tests.audit.forging.table import NOBODY, Entry, Table, anywhere, by_id, lie, need, said
from tests.audit.forging.values import shift
from tests.audit.forging.votes import handed_over

# --- the beginning ------------------------------------------------------------------------------------


@lie("created")
def another_seed(choose: random.Random, table: Table) -> None:
    """With its commitment, everywhere."""
    seed = choose.randbytes(32)
    table.record["seed"], table.its["commitment"] = seed.hex(), referee.commitment(seed)
    for last in table.log:
        if last["type"] == "finished":
            last["seed"] = seed.hex()


@lie("created")
def commitments_that_nobody_made(choose: random.Random, table: Table) -> None:
    need("entropy" not in table.its)
    table.its.update(entropy="commit", reveal_within="PT2H")


@lie("created")
def commitments_called_off(choose: random.Random, table: Table) -> None:
    need("entropy" in table.its)
    del table.its["entropy"], table.its["reveal_within"]


@lie("created")
def imported_without_saying_so(choose: random.Random, table: Table) -> None:
    table.its.update(origin="imported", imported_by={**NOBODY, "name": "Mallory"})
    if choose.random() < 0.5:  # entries of an imported game need not say by whom they are
        for each in table.log:
            each.pop("by", None)


@lie("created")
def an_option_that_is_none(choose: random.Random, table: Table) -> None:
    """An option that the ruleset does not have, in the record too."""
    table.its["options"]["house_wins"] = True


@lie("joined")
def a_bot(choose: random.Random, table: Table) -> None:
    """From the beginning, in all entries of the seat."""
    need(table.its["player"])
    for other in table.log:
        if by_id(other.get("player")) == by_id(table.its["player"]) and "seat" in other:
            other.update(player=None, bot="random")


@lie("joined")
def taken_by_nobody(choose: random.Random, table: Table) -> None:
    need(table.its["player"])
    _held_by(table, choose.choice((None, {"id": ""})))


@lie("joined")
def taken_by_two(choose: random.Random, table: Table) -> None:
    """By a bot, and a player as well."""
    need(table.its["bot"])
    _held_by(table, NOBODY)


def _held_by(table: Table, player: Entry | None) -> None:
    seat, player_then, bot = (table.its[name] for name in ("seat", "player", "bot"))
    named = (seat, by_id(player_then), bot)
    for each in table.log:
        if (each.get("seat"), by_id(each.get("player")), each.get("bot")) == named:
            each["player"] = player


@lie("joined")
def a_bot_with_a_key(choose: random.Random, table: Table) -> None:
    need(table.its["bot"])
    table.its["public_key"] = "5e537e386120d513f1d596a517e0ab59a68071bc21deca394d04271682d552e1"


@lie("joined")
def commits_to_the_entropy_of_another_seat(choose: random.Random, table: Table) -> None:
    others = [each for each in table.log[: table.at] if each["type"] == "joined" and "commitment" in each]
    others = [each for each in others if each["seat"] != table.its["seat"] and each["seat"] in table.held]
    need("commitment" in table.its and others)
    table.its["commitment"] = others[-1]["commitment"]


@lie("started")
def dealt_to_a_free_seat(choose: random.Random, table: Table) -> None:
    need(table.players)
    seat = table.players[0]
    table.insert(table.entry("left", **table.who(seat)))
    table.record["entropy"][seat] = ""


# --- moves --------------------------------------------------------------------------------------------


@lie("moved")
def another_move(choose: random.Random, table: Table) -> None:
    """A move that the same seat has made at another time."""
    entry = table.its
    made = [
        each["move"] for each in table.log if (each["type"], each.get("seat")) == ("moved", entry["seat"])
    ]
    made = [move for move in made if move != entry["move"]]
    need(made)
    entry["move"] = copy.deepcopy(choose.choice(made))


@lie("moved")
def marked_otherwise(choose: random.Random, table: Table) -> None:
    """A player's move as an order, or a forced one as a player's."""
    entry = table.its
    need(not entry.get("bot"))
    if "random" in entry or "order" in entry:
        entry.pop("random", None)
        entry.pop("order", None)
        entry["by"] = "player"
    else:
        mark = choose.choice(("random", "order"))
        entry.update({mark: True, "by": {"random": "clock"}.get(mark, mark)})
        entry.pop("signature", None)


@lie("moved")
def a_bots_order(choose: random.Random, table: Table) -> None:
    need(table.its.get("bot"))
    table.its.update(order=True, by="order")


@lie("moved")
def late_without_clocks(choose: random.Random, table: Table) -> None:
    need(not table.pace and not table.its.get("bot"))
    table.its.update(random=True, by="clock")


@lie("moved")
def made_for_late_seats_in_another_order(choose: random.Random, table: Table) -> None:
    """The second and the third of the moves for seats that were late together."""
    log = table.log
    found = [n for n in range(len(log) - 2) if all(each.get("random") for each in log[n : n + 3])]
    need(found)
    n = found[0]
    log[n + 1], log[n + 2] = log[n + 2], log[n + 1]


@lie("moved", "resigned", "pause_agreed", "ending_agreed", "replacement_agreed", "resumed", "vacation_taken")
def by_the_app_for_a_player_with_a_key(choose: random.Random, table: Table) -> None:
    need("signature" in table.its)
    del table.its["signature"]
    table.its["by"] = "app"


def _shares(table: Table) -> list[Entry]:
    return [each for each in (table.its, *table.its.get("private", {}).values()) if each.get("transfers")]


@lie("started", "moved")
def other_cards(choose: random.Random, table: Table) -> None:
    """Two cards change places, for everybody and in all shares."""
    transfers = [each for share in _shares(table) for each in share["transfers"]]
    cards = sorted({card for each in transfers for card in each["cards"] if card is not None})
    need(len(cards) > 1)
    one, two = choose.sample(cards, 2)
    swap = {one: two, two: one}
    for each in transfers:
        each["cards"] = [swap.get(card, card) for card in each["cards"]]


@lie("started", "moved")
def a_card_less(choose: random.Random, table: Table) -> None:
    need(table.its["transfers"])
    at = choose.randrange(len(table.its["transfers"]))
    for share in _shares(table):
        share["transfers"][at]["cards"] = share["transfers"][at]["cards"][:-1]


@lie("started", "moved")
def everything_shown_to_everybody(choose: random.Random, table: Table) -> None:
    need(shares := _shares(table)[1:])
    table.its["transfers"] = copy.deepcopy(shares[0]["transfers"])


@lie("moved")
def a_hand_shown_to_another_seat(choose: random.Random, table: Table) -> None:
    """A share is copied for a seat that sees less."""
    shares = table.its.get("private") or {}
    others = [str(seat) for seat in range(table.record["seats"]) if str(seat) not in shares]
    need(shares and others)
    shares[others[0]] = copy.deepcopy(next(iter(shares.values())))
    shares[others[0]].pop("signature", None)


# --- time ---------------------------------------------------------------------------------------------


@lie("moved", "joined", "started")
def time_for_a_seat_that_does_not_move(choose: random.Random, table: Table) -> None:
    named = table.its.get("deadlines")
    others = [str(seat) for seat in range(table.record["seats"]) if str(seat) not in (named or {})]
    need(named and others)
    named[others[0]] = next(iter(named.values()))


@lie("time_returned")
def returned_twice(choose: random.Random, table: Table) -> None:
    """The same outage again, with deadlines that are later by as much."""
    since, until = (referee.clocks.read_time(table.its[name]) for name in ("since", "at"))
    again = copy.deepcopy(table.its)
    lost = (until - since).total_seconds() if since and until else 0
    again["deadlines"] = {seat: shift(time, seconds=lost) for seat, time in again["deadlines"].items()}
    table.log.insert(table.at + 1, again)


@lie("time_returned")
def returned_since_the_entry_before_the_last(choose: random.Random, table: Table) -> None:
    """From before a player's act, who was there then."""
    earlier = table.log[table.at - 2]["at"]
    need(table.at > 1 and earlier != table.time)
    table.its["since"] = earlier


@lie("time_added", places=anywhere)
def time_that_is_taken_away(choose: random.Random, table: Table) -> None:
    need(table.deadlines and not table.pace.get("quiet_weekends"))
    seat, deadline = choose.choice([*table.deadlines.items()])
    added = {"seat": int(seat), "time": "-PT1H"}
    table.insert(table.entry("time_added", added=added, deadlines={seat: shift(deadline, hours=-1)}))


@lie("created")
def begun_with_a_pace_that_contradicts_itself(choose: random.Random, table: Table) -> None:
    """In a game that has never started, so that nothing else shows it."""
    need(table.its["pace"] and not any(each["type"] == "started" for each in table.log))
    table.its["pace"].update(
        choose.choice(
            (
                {"on_timeout": "resign", "out_after": 2},
                {"out_after": True, "on_timeout": "bot"},
                {"reserve_cap": "soon", "increment": "PT1M"},
            )
        )
    )


@lie("paused", "resumed")
def a_longer_pause(choose: random.Random, table: Table) -> None:
    """All entries from here on come later."""
    for other in table.log[table.at :]:
        other["at"] = shift(other["at"], hours=2)


@lie("paused")
def moved_in_the_pause(choose: random.Random, table: Table) -> None:
    moved = [n for n in range(table.at + 1, len(table.log)) if table.log[n]["type"] == "moved"]
    need(moved)
    table.log.insert(table.at + 1, {**table.log.pop(moved[0]), "at": table.its["at"]})


@lie("resumed")
def resumed_by_a_bot(choose: random.Random, table: Table) -> None:
    need(table.bots)
    table.its.pop("signature", None)
    table.its.update(table.who(table.bots[0]))


@lie("timed_out")
def a_moment_too_early(choose: random.Random, table: Table) -> None:
    """At the last microsecond of the seat's time."""
    need(deadline := table.deadlines.get(str(table.its["seat"])))
    moment = shift(str(deadline), microseconds=-1)
    need(moment >= table.time)
    table.its["at"] = moment


@lie("timed_out")
def late_twice(choose: random.Random, table: Table) -> None:
    """Where it resigns with that."""
    need(table.pace["on_timeout"] == "resign")
    table.insert(copy.deepcopy(table.its))


@lie("timed_out")
def late_and_not_named(choose: random.Random, table: Table) -> None:
    """With the move for the seat; the others play on hours later."""
    log, at, seat = table.log, table.at, table.its["seat"]
    forced = [n for n in range(at, len(log)) if log[n].get("random") and log[n]["seat"] == seat]
    need(forced and log[at + 1]["type"] != "timed_out")
    del log[forced[0]]["random"]
    log[forced[0]]["by"] = "player"
    del log[at]


@lie("timed_out")
def late_and_moved_all_the_same(choose: random.Random, table: Table) -> None:
    """Two seconds after its time, as if it had not been over."""
    log, at, entry = table.log, table.at, table.its
    need(log[at + 1 :] and log[at + 1].get("random") and log[at + 1]["seat"] == entry["seat"])
    del log[at + 1]["random"]
    log[at + 1].update(by="player", at=shift(entry["at"], seconds=2))
    del log[at]


# --- seats that change hands, or are out --------------------------------------------------------------


@lie("left", places=anywhere)
def left_and_taken_later(choose: random.Random, table: Table) -> None:
    """A message stands in between."""
    left, joined, end = handed_over(table)
    waits = table.entry("said", seat=None, player=None, by="app", **said("Wait"))
    table.end(left, waits, joined, end)


@lie("left", places=anywhere)
def left_for_good(choose: random.Random, table: Table) -> None:
    left, _, end = handed_over(table)
    table.end(left, end)


@lie("left", places=anywhere)
def dropped_in_time(choose: random.Random, table: Table) -> None:
    """A seat that has missed nothing."""
    need(table.pace.get("stand_in"))
    bot = {"player": None, "bot": table.pace["stand_in"]}
    left, joined, end = handed_over(table, bot, by="clock", dropped=True)
    table.end(left, {**joined, "dropped": True, "by": "clock"}, end)


@lie("joined", places=anywhere)
def gives_entropy_when_all_is_dealt(choose: random.Random, table: Table) -> None:
    need("entropy" in table.log[0])
    left, joined, end = handed_over(table)
    table.end(left, {**joined, "entropy": "mine"}, end)


@lie("left", "dropped")
def cancelled_to_spare_a_seat(choose: random.Random, table: Table) -> None:
    """A seat is out, and the app calls the game off instead."""
    need(table.its["type"] == "dropped" or "dropped" in table.its)
    table.end(table.entry("cancelled") | {"at": shift(table.its["at"], hours=1)})


@lie("left")
def spared_although_out(choose: random.Random, table: Table) -> None:
    """The seat keeps its player until the game ends, which is before its next turn."""
    need("dropped" in table.its)
    others = [seat for seat in table.players if seat != table.its["seat"]]
    need(others)
    table.end(*table.given_up("resigned", others[0], "player"))


@lie("left")
def agreed_before_the_start(choose: random.Random, table: Table) -> None:
    """Nobody has to agree that a player leaves then."""
    need("replaced" not in table.its)
    table.its["agreed"] = True


@lie("left")
def dropped_for_another_bot(choose: random.Random, table: Table) -> None:
    need("dropped" in table.its)
    bot = table.log[table.at + 1]["bot"]
    for each in table.log[table.at + 1 :]:
        if (each.get("seat"), each.get("bot")) == (table.its["seat"], bot):
            each["bot"] = "cautious"


@lie("left")
def dropped_for_a_friend(choose: random.Random, table: Table) -> None:
    need("dropped" in table.its)
    table.log[table.at + 1].update(player=NOBODY, bot=None)
    table.log[table.at + 2 :] = [{"seq": 0, "type": "cancelled", "at": table.its["at"]}]


@lie("left")
def handed_over_by_the_app_although_out(choose: random.Random, table: Table) -> None:
    """A seat that is out is given to the same bot, but not because it is out."""
    need("dropped" in table.its)
    for each in table.log[table.at : table.at + 2]:
        del each["dropped"]
        each["by"] = "app"


@lie("dropped")
def dropped_against_its_pace(choose: random.Random, table: Table) -> None:
    """After fewer turns than agreed, or although a bot stands in."""
    pace = table.pace
    pace.update(choose.choice(({"stand_in": "random"}, {"out_after": pace.get("out_after", 1) + 1})))


@lie("dropped")
def dropped_instead_of_somebody_else(choose: random.Random, table: Table) -> None:
    others = [seat for seat in table.players if seat != table.its["seat"]]
    need(others)
    table.end(*table.given_up("dropped", others[0], "clock"))


# --- the end ------------------------------------------------------------------------------------------


@lie("resigned", places=anywhere)
def resigned_with_another_loser(choose: random.Random, table: Table) -> None:
    need(len(table.players) > 1)
    end, other = (table.given_up("resigned", seat, "app") for seat in table.players[:2])
    need(other[-1]["result"] != end[-1]["result"])
    table.end(end[0], other[-1])


@lie("finished")
def another_result(choose: random.Random, table: Table) -> None:
    result = table.its["result"]
    reason = "resigned" if result["reason"] != "resigned" else "timed_out"
    swapped = {"winners": result["losers"], "losers": result["winners"]}
    table.its["result"] = {**result, **choose.choice((swapped, {"reason": reason}))}


@lie("finished")
def called_off(choose: random.Random, table: Table) -> None:
    """The end of the game is replaced by a cancellation."""
    table.log[table.at :] = [{"seq": 0, "type": "cancelled", "at": table.its["at"]}]


@lie("finished")
def cancelled_although_decided(choose: random.Random, table: Table) -> None:
    """A move has ended the game, and its result is not liked."""
    before = next(each for each in reversed(table.log[: table.at]) if each["type"] != "said")
    need(before["type"] == "moved")
    called_off(choose, table)


def _ruled(table: Table, ruling: Entry, **result: Any) -> list[Entry]:
    decided = {**ruling, "reason": "adjudicated", **result}
    return [table.entry("adjudicated", by="app", ruling=ruling), table.finished(decided)]


IMPOSSIBLE_RULINGS: tuple[tuple[Entry, Entry], ...] = (
    ({"winners": [0], "losers": [0]}, {}),
    ({"winners": [0, 0], "losers": []}, {}),
    ({"winners": [99], "losers": [0]}, {}),
    ({"winners": [0], "losers": [1]}, {"winners": [1], "losers": [0]}),
    ({"winners": [0], "losers": []}, {"reason": "target"}),
    ({"winners": [0], "losers": [], "why": "he cheated"}, {}),
    ({"winners": [0]}, {"losers": []}),
)


@lie("adjudicated", places=anywhere)
def a_ruling_that_cannot_be(choose: random.Random, table: Table) -> None:
    ruling, result = choose.choice(IMPOSSIBLE_RULINGS)
    table.end(*_ruled(table, ruling, **result))


@lie("adjudicated", places=anywhere)
def ruled_and_played_on(choose: random.Random, table: Table) -> None:
    table.insert(_ruled(table, {"winners": [0], "losers": []})[0])


@lie("finished")
def ruled_after_the_last_move(choose: random.Random, table: Table) -> None:
    need(table.log[table.at - 1]["type"] == "moved")
    table.end(*_ruled(table, {"winners": [0], "losers": []}))


@lie("adjudicated", "drawn", "resigned", "dropped")
def ended_twice(choose: random.Random, table: Table) -> None:
    table.log.insert(table.at + 1, {"seq": 0, "type": "drawn", "at": table.its["at"]})


@lie("adjudicated", "drawn", "resigned", "timed_out", "forfeited", "moved")
def something_between_it_and_the_end(choose: random.Random, table: Table) -> None:
    """A nudge, or an app's message, which no server writes there."""
    following = table.log[table.at + 1 : table.at + 2]
    need(following and following[0]["type"] in ("finished", "cancelled"))
    who: Entry = {"seat": None, "player": None, "by": "app"}
    agrees = {"seq": 0, "type": "said", "at": table.its["at"], **who, **said("Fair enough")}
    nudge = {"seat": 0, "player": NOBODY}
    nudged = {**agrees, "type": "nudged", "seat": 0, "player": NOBODY, "nudge": nudge}
    del nudged["private"]
    is_said = table.its["type"] in ("adjudicated", "drawn") and choose.random() < 0.5
    table.log.insert(table.at + 1, agrees if is_said else nudged)


@lie("finished")
def talk_of_a_former_player(choose: random.Random, table: Table) -> None:
    left = [each for each in table.log if each["type"] == "left" and each.get("player")]
    gone = [each for each in left if table.held.get(each["seat"], {}).get("player") != each["player"]]
    need(gone)
    who = {name: gone[0][name] for name in ("seat", "player")}
    end = {"seq": 0, "type": "said", "at": table.its["at"], **who, "by": "player"}
    table.log.append({**end, **said("I was cheated")})
