"""What records and log entries are made of. Whatever else stands in them nobody checks, so it is refused."""

from collections.abc import Mapping
from typing import Any

RECORD = {
    *("format", "ruleset", "version", "seats", "options", "seed", "entropy", "moves", "result"),
    *("commitment", "ended", "chance", "entries", "origin", "imported_by"),
}
LISTED_MOVE = {"seat", "move", "seq", "at", "hash"}
ENDED = {"type", "seat", "seats"}

# Type of entry → the stages in which it may stand.
STAGES = {
    "created": ("nothing",),
    "joined": ("open", "running"),
    "left": ("open", "running"),
    "started": ("open",),
    "moved": ("running",),
    "resigned": ("running",),
    "timed_out": ("running", "timed out"),
    "taken_back": ("running",),
    "finished": ("running", "given up", "timed out"),
    "cancelled": ("open", "running"),
    "imported": ("running",),
    "said": ("open", "running", "given up", "timed out", "over"),
}

_EVERY = {"seq", "type", "at", "hash"}
_TOLD = {"sealed", "private", "transfers", "scores", "won_by"}
_SEAT = {"seat", "player", "bot"}
_CLOCKS = {"deadlines", "reserve"}
_ORIGIN = {"origin", "imported_by"}
_TERMS = {"ruleset", "ruleset_version", "options", "seats", "visibility", "pace", "commitment", "log"}
ENTRY: dict[str, set[str]] = {
    "created": _EVERY | _TERMS | _ORIGIN,
    "joined": _EVERY | _SEAT | _CLOCKS | {"entropy", "replaced"},
    "left": _EVERY | _SEAT | {"replaced"},
    "started": _EVERY | _TOLD | _CLOCKS,
    "moved": _EVERY | _TOLD | _SEAT | _CLOCKS | {"move", "random", "order"},
    "resigned": _EVERY | _SEAT,
    "timed_out": _EVERY | _SEAT,
    "taken_back": _EVERY | _SEAT | _CLOCKS | {"of"},
    "finished": _EVERY | {"result", "seed"},
    "cancelled": _EVERY,
    "imported": _EVERY | {"imported_by"},
    "said": _EVERY | _SEAT | {"text", "take_back", "replacement", "vacation", "deadlines"},
}
# What a member that is an object may have in turn; the rest is compared with what it must be.
INNER = {
    "player": {"id", "name"},
    "imported_by": {"id", "name"},
    "pace": {"per_move", "on_timeout", "warn_before", "reserve", "quiet_weekends", "vacation_days"},
    "take_back": {"of", "asks", "agrees"},
    "replacement": {"seat", "player", "bot"},
    "vacation": {"days", "until", "left"},
}
MARKS = ("random", "order", "replaced")  # which are true or absent


def known_members(data: dict[str, Any]) -> dict[str, Any]:
    """Return a record without the members that nobody checks, in itself and in its list of moves."""
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
    """Return what in a record, its log aside, nobody checks; None where there is no such thing."""
    ended = data.get("ended")
    listed = data.get("moves")
    moves = listed if type(listed) is list else ()
    return (
        _unknown(data, RECORD, "the record")
        or _unknown(ended if type(ended) is dict else {}, ENDED, "`ended`")
        or _inner(data)
        or next(filter(None, (_unknown(move, LISTED_MOVE, "a listed move") for move in moves)), None)
    )


def unknown_in_entry(entry: Mapping[str, Any]) -> str | None:
    """Return what in an entry of a known type nobody checks; None where there is no such thing."""
    fault = _unknown(entry, ENTRY[entry["type"]], f"an entry of type {entry['type']}") or _inner(entry)
    if fault is None and any(entry.get(mark, True) is not True for mark in MARKS):
        return "a mark can only be true"
    return fault


def _inner(data: Mapping[str, Any]) -> str | None:
    for name, known in INNER.items():
        value = data.get(name)
        if type(value) is dict:
            fault = _unknown(value, known, f"`{name}`")
            if fault is not None:
                return fault
    return None


def _unknown(data: Mapping[str, Any], known: set[str], place: str) -> str | None:
    for name in data:
        if name not in known:
            return f"{place} has no member {str(name)[:40]!r}"
    return None
