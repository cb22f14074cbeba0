"""The known members of records. Others are refused, because nothing checks them."""

from collections.abc import Mapping
from typing import Any

from referee.log.entries import unknown_inside

RECORD = {
    *("format", "ruleset", "version", "seats", "options", "seed", "entropy", "moves", "result"),
    *("commitment", "ended", "chance", "entries", "origin", "imported_by", "title", "inclusion"),
    *("test_clock", "randomness"),
    *("external_id", "metadata"),  # labels of the app
}
LISTED_MOVE = {"seat", "move", "seq", "at", "hash"}
ENDED = {"type", "seat", "seats"}


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
    )


def _unknown(data: Mapping[str, Any], known: set[str], place: str) -> str | None:
    for name in data:
        if name not in known:
            return f"{place} has no member {str(name)[:40]!r}"
    return None
