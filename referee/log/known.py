"""The known members of records. Others are refused, because nothing checks them."""

from collections.abc import Collection, Mapping
from typing import Any

from referee.engine.shapes import COUNT, STRING, Kind, ListOf, Maybe, Object
from referee.log.entries import unknown_inside
from referee.log.jsontypes import checker
from referee.log.members import MOVE, NAMED, RESULT, ROUND, Map

LISTED_MOVE: dict[str, Kind] = {"seat": COUNT, "move": MOVE, "seq": COUNT, "at": STRING, "hash": STRING}
SEATS = ListOf(COUNT)
ENDED: dict[str, Kind] = {
    "type": STRING,
    "seat": Maybe(COUNT),
    "seats": SEATS,
    "winners": SEATS,
    "losers": SEATS,
}
ENTRIES = "entries"  # each is checked when it is read
RECORD: dict[str, Kind | None] = {
    "format": STRING,
    "ruleset": STRING,
    "version": Maybe(COUNT),
    "seats": COUNT,
    "options": Map(),
    "seed": Maybe(STRING),
    "entropy": ListOf(STRING),
    "moves": ListOf(Object(LISTED_MOVE)),
    "result": Maybe(RESULT),
    "commitment": Maybe(STRING),
    "ended": Maybe(Object(ENDED)),
    "chance": Maybe(ListOf(Object({"shuffle": ListOf(STRING), "pick": COUNT, "of": COUNT}))),
    ENTRIES: None,
    "game": Maybe(STRING),  # its id on the server that wrote the record, which receipts name too
    "origin": Maybe(STRING),
    "imported_by": Maybe(NAMED),
    "inclusion": Maybe(Map()),
    "test_clock": Maybe(STRING),
    "randomness": Maybe(ROUND),
    # Labels of the app
    "title": Maybe(STRING),
    "external_id": Maybe(STRING),
    "metadata": Maybe(Map(STRING)),
}

CHECKS = {name: None if kind is None else checker(kind) for name, kind in RECORD.items()}


def known_members(data: dict[str, Any]) -> dict[str, Any]:
    """Return a record without unknown members, in itself and in its list of moves."""
    known = {name: value for name, value in data.items() if name in RECORD}
    listed = known.get("moves")
    if type(listed) is list:
        known["moves"] = [
            {name: value for name, value in move.items() if name in LISTED_MOVE}
            if type(move) is dict
            else move
            for move in listed
        ]
    return known


def unknown_in_record(data: Mapping[str, Any]) -> str | None:
    """Return which part of a record, apart from its log, is not checked by anything, or None."""
    ended = data.get("ended")
    listed = data.get("moves")
    moves = listed if type(listed) is list else ()
    return (
        _unknown(data, RECORD, "the record")
        or _unknown(ended if type(ended) is dict else {}, ENDED, "`ended`")
        or unknown_inside(data)
        or next(filter(None, (_unknown(move, LISTED_MOVE, "a listed move") for move in moves)), None)
        or next((f"`{name}` has a value of another type" for name in data if _is_mistyped(name, data)), None)
    )


def _is_mistyped(name: str, data: Mapping[str, Any]) -> bool:
    check = CHECKS[name]
    return check is not None and not check(data[name])


def _unknown(data: Mapping[str, Any], known: Collection[str], place: str) -> str | None:
    for name in data:
        if name not in known:
            return f"{place} has no member {str(name)[:40]!r}"
    return None
