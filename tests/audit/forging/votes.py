"""Decisions for which all have to agree, and all ways in which they did not."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from tests.audit.forging.table import LIES, NOBODY, Entry, Lie, Table, anywhere, need

FRIEND: Entry = {"player": NOBODY, "bot": None}
BOT: Entry = {"player": None, "bot": "random"}


class Decision(NamedTuple):
    """Who has to agree, with which entries, to what else they could agree, and what is written then."""

    voters: Callable[[Table], list[int]]
    vote: Callable[[Table, int], Entry]
    otherwise: Callable[[Table, int], Entry] | None
    end: Callable[[Table], list[Entry]]
    ends: bool = True
    lapses: bool = True  # if a move is made


def _all(table: Table) -> list[int]:
    return table.players


def _ending(ending: str, table: Table, seat: int) -> Entry:
    return table.entry("ending_agreed", **table.who(seat), ending=ending)


def _drawn(table: Table) -> list[Entry]:
    result = {"winners": [*range(table.record["seats"])], "losers": [], "reason": "drawn"}
    return [table.entry("drawn"), table.finished(result)]


def _paused(table: Table, seat: int) -> Entry:
    need(table.pace)
    return table.entry("pause_agreed", **table.who(seat))


def _beside_the_first(table: Table) -> list[int]:
    """Return the players beside the seat that is given away."""
    need(len(table.players) > 1)
    return table.players[1:]


def _following(following: Entry, table: Table, seat: int) -> Entry:
    return table.entry(
        "replacement_agreed", **table.who(seat), replacement={"seat": table.players[0], **following}
    )


def handed_over(table: Table, following: Entry = FRIEND, by: str = "app", **marks: bool) -> list[Entry]:
    """Return the entries with which the first player's seat is given to somebody, and an end."""
    need(table.players)
    seat = table.players[0]
    left = table.entry("left", **{**table.who(seat), "by": by}, replaced=True, **marks)
    joined = {"seat": seat, **following, "by": "app", "entropy": "", "replaced": True}
    return [left, table.entry("joined", **joined), table.entry("cancelled")]


def _mover_first(table: Table) -> list[int]:
    mover = table.last_move["seat"]
    gone = [each for each in table.log[: table.at] if each["type"] in ("taken_back", "timeout_undone")]
    need(mover in table.players and len(table.players) > 1 and not table.pace and not gone)
    return [mover, *(seat for seat in table.players if seat != mover)]


def _take_back(table: Table, seat: int) -> Entry:
    move = table.last_move
    kind = "take_back_requested" if seat == move["seat"] else "take_back_agreed"
    return table.entry(kind, **table.who(seat), of=move["seq"])


def _no_take_back(table: Table, seat: int) -> Entry:
    asked = _take_back(table, seat)
    return {**asked, "type": "take_back_refused"} if asked["type"] == "take_back_agreed" else asked


def _taken_back(table: Table) -> list[Entry]:
    move = table.last_move
    return [table.entry("taken_back", **table.who(move["seat"]), of=move["seq"])]


DECISIONS = {
    "drawn": Decision(_all, partial(_ending, "draw"), partial(_ending, "cancellation"), _drawn),
    "cancelled": Decision(
        *(_all, partial(_ending, "cancellation"), partial(_ending, "draw")),
        lambda table: [table.entry("cancelled", agreed=True)],
    ),
    "paused": Decision(_all, _paused, None, lambda table: [table.entry("paused"), table.entry("cancelled")]),
    "left": Decision(
        *(_beside_the_first, partial(_following, FRIEND), partial(_following, BOT)),
        lambda table: handed_over(table, by="player", agreed=True),
        lapses=False,
    ),
    "taken_back": Decision(_mover_first, _take_back, _no_take_back, _taken_back, ends=False, lapses=False),
}


def by_nobody(table: Table, made: Decision, voters: list[int]) -> list[Entry]:
    return []


def by_all_but_one(table: Table, made: Decision, voters: list[int]) -> list[Entry]:
    need(len(voters) > 1)
    return [made.vote(table, seat) for seat in voters[:-1]]


def by_bots(table: Table, made: Decision, voters: list[int]) -> list[Entry]:
    need(table.bots)
    return [made.vote(table, seat) for seat in table.bots]


def to_something_else(table: Table, made: Decision, voters: list[int]) -> list[Entry]:
    return [made.otherwise(table, seat) for seat in voters] if made.otherwise else []


def until_one_changed_its_mind(table: Table, made: Decision, voters: list[int]) -> list[Entry]:
    votes = [made.vote(table, seat) for seat in voters]
    return [*votes, made.otherwise(table, voters[-1])] if made.otherwise else votes


def before_a_move(table: Table, made: Decision, voters: list[int]) -> list[Entry]:
    """After the votes, the game goes on; the entry here is written before the decision."""
    log, at = table.log, table.at
    need(log[at]["type"] == "moved" and not log[at].get("random") and table.state() is not None)
    need(not log[at + 1 :] or log[at + 1]["type"] != "finished")
    return [*(made.vote(table, seat) for seat in voters), log[at]]


def by_the_seat_itself(table: Table, made: Decision, voters: list[int]) -> list[Entry]:
    """The seat that is given away, and none of the others."""
    return [made.vote(table, table.players[0])]


def agreed(kind: str, made: Decision) -> list[Callable[..., list[Entry]]]:
    """Return in how many ways not all can have agreed."""
    ways: list[Callable[..., list[Entry]]] = [by_nobody, by_all_but_one, by_bots]
    ways += [to_something_else, until_one_changed_its_mind] if made.otherwise else []
    ways += [before_a_move] if made.lapses else []
    return ways + ([by_the_seat_itself] if kind == "left" else [])


def decide(made: Decision, way: Callable[..., list[Entry]], choose: random.Random, table: Table) -> None:
    """Write a decision to which not all have agreed."""
    lately = table.log[max(table.at - 4, 0) : table.at]
    need(table.players and not any(each["type"].endswith("_agreed") for each in lately))
    voters = made.voters(table)
    entries: list[Any] = [*way(table, made, voters), *made.end(table)]
    if made.ends:
        table.end(*entries)
    else:
        table.insert(*entries)


LIES.extend(
    Lie(kind, f"agreed_{way.__name__}", partial(decide, made, way), anywhere)
    for kind, made in DECISIONS.items()
    for way in agreed(kind, made)
)
