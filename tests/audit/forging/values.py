"""Other values for a member of an entry, from its declared shape: neighbours, and what is just outside."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import referee.clocks
from referee.engine.shapes import Bool, Int, Kind, ListOf, Maybe, Object, OneOf, Text
from referee.log.members import DURATION, ID, MEMBERS, OFFSET, TIME, Form, Map
from referee.records import ENTRY_TYPES
from tests.support.forging import changed

HOUR = timedelta(hours=1)
NO_DURATIONS = ("soon", "P1M", "-PT1H", "PT1.5H", "P1.5D", "PT1,5S", "P1DT", "+PT1H")
NO_OFFSETS = ("+15:00", "Europe/Berlin", "+1:00")
SPECIAL = {"entropy": ("x" * 65,)}  # longer than any seat may give
EXAMPLES: dict[int, Any] = {
    id(TIME): "2026-03-05T12:00:00.000000Z",
    id(DURATION): "PT1H",
    id(ID): "0b0e6a6e-7a0f-4b5c-8d0e-1a2b3c4d5e6f",
    id(OFFSET): "+01:00",
}


def shift(text: str, **by: float) -> str:
    at = referee.clocks.read_time(text)
    assert at is not None
    return referee.clocks.timestamp(at + timedelta(**by))


def others(kind: Kind | None, value: Any) -> Iterator[Any]:
    """Yield other values in the place of one."""
    if isinstance(kind, Maybe):
        if value is not None:
            yield None
            yield from others(kind.inner, value)
    elif isinstance(kind, OneOf):
        yield from (each for each in kind.values if each != value)
        yield False if value is True else "another"
    elif isinstance(kind, Int) and type(value) is int:
        yield from dict.fromkeys((value + 1, value - 1, *_bounds(kind)))
    elif isinstance(kind, Text) and type(value) is str:
        yield from (changed(value), *(["", "x" * (kind.high + 1)] if kind.high else []))
    elif isinstance(kind, Form):
        yield from _formed(kind, value)
    elif isinstance(kind, ListOf) and value:
        yield from ([*value, value[0]], value[:-1])
    elif isinstance(kind, Object | Map):
        yield {**value, "note": "for you alone"}
    elif isinstance(kind, Bool):
        yield not value


def _bounds(kind: Int) -> Iterator[int]:
    if kind.low is not None:
        yield kind.low - 1
    if kind.high is not None:
        yield kind.high + 1


def _formed(kind: Form, text: str) -> Iterator[str]:
    if kind is TIME:
        yield from (shift(text, hours=1), shift(text, hours=-1), text.replace("Z", "+00:00"))
    elif kind is DURATION:
        length = referee.clocks.duration(text)
        yield referee.clocks.duration_text(length + HOUR)
        if length > HOUR:
            yield referee.clocks.duration_text(length - HOUR)
        yield from NO_DURATIONS
    elif kind is OFFSET:
        yield from ("+02:00", *NO_OFFSETS)
    elif text:  # digits
        yield ("1" if text[0] != "1" else "2") + text[1:]
        yield from (each for each in (text.upper(), text[:-1]) if each != text)


def retyped(value: Any) -> Iterator[Any]:
    """Yield what a careless program takes for the same value: true for 1, 1.0 for 1, "1" for 1, and back."""
    if type(value) is int:
        yield from (float(value), str(value), *([bool(value)] if value in (0, 1) else []))
    elif type(value) is bool:
        yield from (int(value), str(value))
    elif value is None:
        yield from (False, 0)
    elif type(value) is str:
        yield from ([value], int(value)) if value.isdecimal() and value == str(int(value)) else ([value],)


def example(kind: Kind) -> Any:
    """Return some value of a shape."""
    if isinstance(kind, Maybe):
        return example(kind.inner)
    if isinstance(kind, Object):
        return {name: example(inner) for name, inner in kind.fields.items() if name not in kind.optional}
    if isinstance(kind, OneOf):
        return kind.values[0]
    if isinstance(kind, Form):
        return EXAMPLES.get(id(kind), "ab" * (64 if kind.accepts("ab" * 64) else 32))
    if isinstance(kind, Int):
        return kind.low or 0
    if isinstance(kind, Map):
        return {"0": example(kind.inner)} if kind.inner else {}
    if isinstance(kind, ListOf):
        return []
    return False if kind.accepts(False) else "x"


def inner_kinds(kind: Kind | None, value: Any) -> Iterator[tuple[Any, Kind | None, Any]]:
    """Yield what is inside of a value: its key, its shape if that is declared, and itself."""
    kind = kind.inner if isinstance(kind, Maybe) else kind
    if isinstance(value, dict):
        known = kind.fields if isinstance(kind, Object) else kind.known if isinstance(kind, Map) else {}
        rest = kind.inner if isinstance(kind, Map) else None
        yield from ((key, known.get(key, rest), each) for key, each in value.items())
    elif isinstance(value, list):
        item = kind.item if isinstance(kind, ListOf) else None
        yield from ((n, item, each) for n, each in enumerate(value))


def places(entry: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], Kind | None, Any]]:
    """Yield every place in an entry, whole objects and lists too: its path, its shape and its value."""
    waiting: list[tuple[tuple[Any, ...], Kind | None, Any]] = [
        ((name,), MEMBERS[name].kind, value) for name, value in entry.items()
    ]
    for path, kind, value in waiting:
        yield path, kind, value
        waiting.extend(((*path, key), inner, each) for key, inner, each in inner_kinds(kind, value))


def titles(entry: dict[str, Any]) -> list[str]:
    """Return the other types of which an entry with these members could be."""
    return [
        name for name, kind in ENTRY_TYPES.items() if name != entry["type"] and kind.known >= entry.keys()
    ]
