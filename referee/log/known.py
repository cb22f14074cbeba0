"""The known members of records. Others are refused, because nothing checks them."""

from collections.abc import Mapping
from typing import Any

from referee.engine.shapes import COUNT, STRING, Kind, ListOf, Maybe, Object, OneOf
from referee.log.jsontypes import checker
from referee.log.members import MOVE, NAME, NAMED, RESULT, SEAT, TIME, Map

LISTED_MOVE: dict[str, Kind] = {"seat": COUNT, "move": MOVE, "seq": COUNT, "at": STRING, "hash": STRING}
SEATS = ListOf(COUNT)
ENDED: dict[str, Kind] = {
    "type": STRING,
    "seat": Maybe(COUNT),
    "seats": SEATS,
    "winners": SEATS,
    "losers": SEATS,
}
ENTRIES, MOVES = "entries", "moves"
READ_LATER = (ENTRIES, MOVES)  # each entry, and each move with its entry if there is one
# By an app or an auditor during the game, of a seat's cards or moves; or a token made for its player.
LOOK = Object(
    {
        "what": OneOf(("cards", "moves", "token")),
        "by": OneOf(("app", "auditor")),
        "seat": SEAT,
        "at": TIME,
    }
)
RECORD: dict[str, Kind | None] = {
    "format": STRING,
    "ruleset": STRING,
    "version": Maybe(COUNT),
    "seats": COUNT,
    "options": Map(),
    "seed": Maybe(STRING),
    "entropy": ListOf(STRING),
    MOVES: ListOf(Object(LISTED_MOVE)),
    "result": Maybe(RESULT),
    "commitment": Maybe(STRING),
    "ended": Maybe(Object(ENDED)),
    "chance": Maybe(ListOf(Object({"shuffle": ListOf(STRING), "pick": COUNT, "of": COUNT}))),
    ENTRIES: None,
    # Of newcomers, by the number of the entry; those of people who were erased are not there.
    "names": Maybe(Map(Object({"name": NAME, "salt": STRING}))),
    "game": Maybe(STRING),  # its id on the server that wrote the record, which receipts name too
    "origin": Maybe(STRING),
    "imported_by": Maybe(NAMED),
    "inclusion": Maybe(Map()),
    "looks": Maybe(ListOf(LOOK)),
    "test_clock": Maybe(STRING),
    # Labels of the app
    "title": Maybe(STRING),
    "external_id": Maybe(STRING),
    "metadata": Maybe(Map(STRING)),
}

CHECKS = {name: checker(kind) for name, kind in RECORD.items() if kind is not None}


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
    """Return which part of a record, apart from what is read later, is not checked by anything, or None."""
    if (strange := next((name for name in data if name not in RECORD), None)) is not None:
        return f"the record has no member {str(strange)[:40]!r}"
    mistyped = (name for name in data if name not in READ_LATER and not CHECKS[name](data[name]))
    return next((f"`{name}` has an unknown member, or a value of another type" for name in mistyped), None)


def unknown_in_moves(moves: object) -> str | None:
    """Return that a part of a record's list of moves is not checked by anything, or None."""
    return None if CHECKS[MOVES](moves) else "`moves` has an unknown member, or a value of another type"
