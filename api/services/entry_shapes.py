"""The shapes of entries that come from elsewhere.

Their hashes prove that nothing was changed since; whoever made the log could chain anything, so what the
service shows, and the referee does not judge, is looked at here.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

NEEDED = {
    "created": ("visibility", "pace"),
    "joined": ("seat", "player", "bot", "entropy"),
    "said": ("text",),
}
PACE = {"per_move", "on_timeout", "warn_before", "reserve", "quiet_weekends", "vacation_days"}
HIDING = ("started", "moved")  # the types that may have a private part
LONGEST_TEXT = 2000
SEATS = frozenset(map(str, range(16)))


def _text(longest: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is str and 0 < len(value) <= longest


def _player(value: Any) -> bool:
    if value is None:
        return True
    if type(value) is not dict or value.keys() != {"id", "name"} or not _text(100)(value["name"]):
        return False
    try:
        return type(value["id"]) is str and str(UUID(value["id"])) == value["id"]
    except ValueError:
        return False


def _pace(value: Any) -> bool:
    if value is None:
        return True
    if type(value) is not dict or not {"per_move", "on_timeout", "warn_before"} <= value.keys() <= PACE:
        return False
    durations = (value["per_move"], value["warn_before"] or "PT0S", value.get("reserve") or "PT0S")
    return value["on_timeout"] in ("resign", "random_move") and all(map(_text(40), durations))


def _time(value: Any) -> bool:
    try:
        return type(value) is str and bool(datetime.fromisoformat(value))
    except ValueError:
        return False


def _by_seat(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    def every(value: Any) -> bool:
        if type(value) is not dict:
            return False
        return all(seat in SEATS and fits(of_seat) for seat, of_seat in value.items())

    return every


def _vacation(value: Any) -> bool:
    if type(value) is not dict or value.keys() != {"days", "until", "left"}:
        return False
    return type(value["days"]) is int and type(value["left"]) is int and _time(value["until"])


def _judged(value: Any) -> bool:
    """What the verification has looked at."""
    return True


MEMBERS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(
        ("seq", "type", "hash", "sealed", "ruleset", "ruleset_version", "options", "seats"), _judged
    ),
    **dict.fromkeys(("commitment", "move", "transfers", "result", "seed"), _judged),
    "private": lambda value: type(value) is dict,
    "at": _time,
    "seat": lambda value: value is None or type(value) is int,
    "player": _player,
    "bot": lambda value: value is None or _text(64)(value),
    "entropy": lambda value: type(value) is str,
    "text": _text(LONGEST_TEXT),
    "visibility": lambda value: value in ("public", "unlisted", "private"),
    "pace": _pace,
    "deadlines": _by_seat(lambda value: value is None or _time(value)),
    "reserve": _by_seat(_text(40)),
    "vacation": _vacation,
    "of": lambda value: type(value) is int,
}


def fault(entry: dict[str, Any]) -> str | None:
    """Say in what an entry is not one that the service could have written; None for a good one."""
    for name, value in entry.items():
        fits = MEMBERS.get(name, lambda value: value is True)  # other members are marks
        if not fits(value):
            return f"{name[:40]} is not what it is in a log of ours"
    for name in NEEDED.get(entry["type"], ()):
        if name not in entry:
            return f"{name} is missing"
    if "private" in entry and entry["type"] not in HIDING:
        return "private is not in an entry of this type"
    return None
