"""Entries in words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from referee.log.entries import ENTRY_TYPES, Entry
from referee.log.times import read_time

DIRECTORS = {"app": "The app", "operator": "The operator"}
PLACE = re.compile(r"\{([\w.]+)\}")  # in the wording of a type


def in_words(entry: Entry, names: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a sentence that describes an entry, each with whether it is foreign text."""
    kind = entry.get("type")
    declared = ENTRY_TYPES.get(kind) if type(kind) is str else None
    if declared is None:
        yield str(kind), True
        return
    words = declared.handed_over if entry.get("replaced") and declared.handed_over else declared.words
    for n, piece in enumerate(PLACE.split(words)):
        yield (_filled(piece, entry, names), True) if n % 2 else (piece, False)


def _filled(place: str, entry: Entry, names: Sequence[str]) -> str:
    """Return the text for a placeholder of the wording."""
    seat = entry.get("seat")
    value: Any = entry
    if place == "who":
        return _name(seat, names) or "The organiser"
    if place == "director":
        return DIRECTORS.get(str(entry.get("by")), "The app or the operator")
    if place == "newcomer":
        whom = entry.get("replacement", entry)
        player, bot = (whom.get("player"), whom.get("bot")) if type(whom) is dict else (None, None)
        name = player.get("name") if type(player) is dict else bot and f"bot {bot}"
        return str(name or "Somebody")
    for name in place.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    if place.endswith(".seat"):
        return _name(value, names) or "Somebody"
    return f"{value[:16].replace('T', ' ')} UTC" if read_time(value) else str(value)


def _name(seat: Any, names: Sequence[str]) -> str | None:
    return names[seat] if type(seat) is int and 0 <= seat < len(names) else None
