"""Entries that a forger invents: of each type, by players, bots and nobody, in every part of a game."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from referee.records import ENTRY_TYPES
from tests.audit.forging.table import LIES, NOBODY, Entry, Lie, Table, anywhere, need, said
from tests.audit.forging.values import shift
from tests.audit.forging.votes import FRIEND

# The members that an entry of each type has besides who acted, when, and the next deadlines.
MEMBERS: dict[str, Callable[[Table, int], Entry]] = {
    "said": lambda table, seat: said("It was me"),
    "revealed": lambda table, seat: {"entropy": "mine"},
    "forfeited": lambda table, seat: {},
    "joined": lambda table, seat: {**FRIEND, "entropy": "", "replaced": True},
    "left": lambda table, seat: {"replaced": True},
    "take_back_requested": lambda table, seat: {"of": _made(table)["seq"]},
    "take_back_agreed": lambda table, seat: {"of": _made(table)["seq"]},
    "take_back_refused": lambda table, seat: {"of": _made(table)["seq"]},
    "taken_back": lambda table, seat: {"of": _made(table)["seq"]},
    "vacation_taken": lambda table, seat: {"vacation": _days(table, 1)},
    "nudged": lambda table, seat: {
        "nudge": {"seat": table.players[0], "player": table.held[table.players[0]]["player"]}
    },
    "replacement_agreed": lambda table, seat: {
        "replacement": {"seat": seat, "player": None, "bot": "random"}
    },
    "ending_agreed": lambda table, seat: {"ending": "draw"},
    "pause_agreed": lambda table, seat: {},
    "key_retired": lambda table, seat: {"signature": "ab" * 64},
    "resumed": lambda table, seat: {},
    "time_returned": lambda table, seat: {"since": table.time, "deadlines": {}},
    "time_added": lambda table, seat: {
        "by": "app",
        "added": {"seat": seat, "time": "PT1H"},
        "deadlines": {str(seat): shift(table.time, hours=9)},
    },
    "timeout_undone": lambda table, seat: {
        "of": _made(table)["seq"],
        "undone": {"seat": seat, "timed_out": _made(table)["seq"] - 1},
    },
    "resigned": lambda table, seat: {},
    "timed_out": lambda table, seat: {},
    "dropped": lambda table, seat: {},
    "adjudicated": lambda table, seat: {"ruling": {"winners": [seat], "losers": []}},
}
GIVING_UP = ("resigned", "timed_out", "dropped")
BY = ("player", "app", "clock")


def _made(table: Table) -> Entry:
    """Return the last move, or the entry before."""
    made: list[Entry] = [each for each in table.log[: table.at] if each["type"] == "moved"]
    return made[-1] if made else table.log[table.at - 1]


def _days(table: Table, days: int) -> Entry:
    left = table.pace.get("vacation_days", 1) - days
    return {"days": days, "until": shift(table.time, days=days), "left": left}


def by_a_player(table: Table, choose: random.Random) -> Entry:
    need(table.players)
    return table.who(choose.choice(table.players), choose.choice(BY))


def by_a_bot(table: Table, choose: random.Random) -> Entry:
    need(table.bots and table.players)
    return table.who(choose.choice(table.bots))


def by_nobody(table: Table, choose: random.Random) -> Entry:
    return {**by_a_player(table, choose), "player": NOBODY}


def invent(
    kind: str, who: Callable[[Table, random.Random], Entry], choose: random.Random, table: Table
) -> None:
    """Invent an entry; one that ends the game is followed by its result."""
    acting = who(table, choose)
    seat = acting["seat"]
    members = {**(acting if ENTRY_TYPES[kind].has("seat") else {}), **MEMBERS[kind](table, seat)}
    made = table.entry(kind, **members)
    if kind in GIVING_UP:
        need(kind != "timed_out" or table.pace.get("on_timeout") == "resign")
        table.end({**made}, table.given_up(kind, seat, "app")[-1])
    elif kind == "adjudicated":
        result = {**members["ruling"], "reason": "adjudicated"}
        table.end(made, table.finished(result))
    else:
        table.insert(made)


def _at(log: Sequence[Entry], *types: str) -> list[int]:
    return [at for at, entry in enumerate(log, 1) if entry["type"] in types]


def before_the_deal(log: Sequence[Entry], kind: str) -> list[int]:
    return [at - 1 for at in _at(log, "started")]


def in_a_pause(log: Sequence[Entry], kind: str) -> list[int]:
    return _at(log, "paused")


def after_the_end(log: Sequence[Entry], kind: str) -> list[int]:
    return _at(log, "finished", "cancelled")


def insert(kind: str, choose: random.Random, table: Table) -> None:
    """Invent an entry by a player where the game is not running."""
    need(table.players)
    acting = table.who(choose.choice(table.players))
    who = acting if ENTRY_TYPES[kind].has("seat") else {}
    table.insert(table.entry(kind, **{**who, **MEMBERS[kind](table, acting["seat"])}))


STAGES: dict[Any, tuple[str, ...]] = {  # the stages in which each of these places is
    before_the_deal: ("open",),
    in_a_pause: ("paused",),
    after_the_end: ("over",),
}
LIES.extend(
    Lie(kind, f"invented_{who.__name__}", partial(invent, kind, who), anywhere)
    for kind in MEMBERS
    for who in (by_a_player, by_a_bot, by_nobody)
    if ENTRY_TYPES[kind].has("seat") or who is by_a_player
)
LIES.extend(
    Lie(kind, f"invented_{places.__name__}", partial(insert, kind), places)
    for kind in MEMBERS
    for places, stages in STAGES.items()
    if not {*stages} & {*ENTRY_TYPES[kind].stages}
)
