"""The shapes of entries that come from elsewhere.

Their hashes prove that nothing was changed since; whoever made the log could chain anything, so what the
service shows, and the referee does not judge, is looked at here.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

import referee

NEEDED = {
    "created": ("visibility", "pace"),
    "joined": ("seat", "player", "bot", "entropy"),
    "said": ("text",),
}
PACE = {"per_move", "on_timeout", "warn_before", "reserve", "quiet_weekends", "vacation_days"}
HIDING = ("started", "moved")  # the types that may have a private part
LONGEST_TEXT = 2000


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


def _duration(value: Any) -> bool:
    try:
        referee.duration(value)
    except ValueError:
        return False
    return True


def _pace(value: Any) -> bool:
    if value is None:
        return True
    if type(value) is not dict or value.keys() != PACE:
        return False
    others = [value[name] for name in ("warn_before", "reserve") if value[name] is not None]
    days = value["vacation_days"]
    return (
        value["on_timeout"] in ("resign", "random_move")
        and all(map(_duration, [value["per_move"], *others]))
        and type(value["quiet_weekends"]) is bool
        and type(days) is int
        and 0 <= days <= 365
    )


def _asked(value: Any) -> bool:
    if type(value) is not dict or type(value.get("of")) is not int:
        return False
    asks = value.keys() == {"of", "asks"} and value["asks"] is True
    return asks or (value.keys() == {"of", "agrees"} and type(value["agrees"]) is bool)


def _vote(value: Any) -> bool:
    if type(value) is not dict or not {"seat", "player"} <= value.keys() <= {"seat", "player", "bot"}:
        return False
    return type(value["seat"]) is int and _player(value["player"]) and _bot(value.get("bot"))


def _bot(value: Any) -> bool:
    return value is None or _text(64)(value)


def _time(value: Any) -> bool:
    try:
        return type(value) is str and bool(datetime.fromisoformat(value))
    except ValueError:
        return False


def _by_seat(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    def every(value: Any) -> bool:
        if type(value) is not dict:
            return False
        return all(fits(of_seat) for of_seat in value.values())

    return every


def _vacation(value: Any) -> bool:
    if type(value) is not dict or value.keys() != {"days", "until", "left"}:
        return False
    return type(value["days"]) is int and type(value["left"]) is int and _time(value["until"])


def _judged(value: Any) -> bool:
    """Accept what the verification has looked at."""
    return True


MEMBERS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(
        ("seq", "type", "hash", "sealed", "ruleset", "ruleset_version", "options", "seats"), _judged
    ),
    **dict.fromkeys(("commitment", "move", "transfers", "result", "seed"), _judged),
    **dict.fromkeys(("log", "scores", "won_by"), _judged),
    "private": lambda value: type(value) is dict,
    "at": _time,
    "seat": lambda value: value is None or type(value) is int,
    "player": _player,
    "bot": _bot,
    "entropy": lambda value: type(value) is str,
    "text": _text(LONGEST_TEXT),
    "origin": lambda value: value == "imported",
    "imported_by": lambda value: type(value) is dict and _player(value),
    "visibility": lambda value: value in ("public", "unlisted", "private"),
    "pace": _pace,
    "deadlines": _by_seat(lambda value: value is None or _time(value)),
    "reserve": _by_seat(_duration),
    "vacation": _vacation,
    "of": lambda value: type(value) is int,
    "take_back": _asked,
    "replacement": _vote,
}


def fault(entry: dict[str, Any], seats: int) -> str | None:
    """Return in what an entry is not one that the service could have written; None for a good one."""
    for name, value in entry.items():
        fits = MEMBERS.get(name, lambda value: value is True)  # other members are marks
        if not fits(value):
            return f"{name[:40]} is not what it is in a log of ours"
    for name in ("deadlines", "reserve"):
        if any(seat not in map(str, range(seats)) for seat in entry.get(name) or ()):
            return f"{name} names a seat that the table does not have"
    if "vacation" in entry and entry.get("seat") not in range(seats):
        return "vacation is not a seat's"
    for name in NEEDED.get(entry["type"], ()):
        if name not in entry:
            return f"{name} is missing"
    if "private" in entry and entry["type"] not in HIDING:
        return "private is not in an entry of this type"
    return None
