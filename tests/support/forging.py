"""Changes of records, with and without hashes computed anew, and the checks that find them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import referee
import referee.records
from tests.referee.logged import logged

# A game with secret moves (a card given face down), and one with many deals.
GIFTS = json.loads(json.dumps(logged("dog_cards", 4, most=12)))
ROUNDS = json.loads(json.dumps(logged("cats_and_dogs", 3, number=15)))


REBUILT = ("hash", "sealed", "seals")  # what `chained_anew` computes anew


def failed(record: Any, **how: Any) -> dict[str, int | None]:
    """Return the checks that fail, each with the entry it names."""
    return {check.name: check.seq for check in referee.verify(record, **how).checks if not check.ok}


def chained_anew(record: dict[str, Any]) -> dict[str, Any]:
    """Seal and chain every entry again, as somebody could who owns the database and the seed."""
    seed, head = bytes.fromhex(record["seed"]), bytes(32)
    for entry in record["entries"]:
        public = {key: value for key, value in entry.items() if key not in (*REBUILT, "private")}
        made = referee.records.seal_entry(head, seed, public, entry.get("private") or {})
        head = made.hash
        entry.update(made.public, hash=head.hex())
    return record


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every scalar and every empty list or object."""
    inner = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
    children = list(inner)
    for key, item in children:
        yield from places(item, (*path, key))
    if not children:
        yield path


def changed(value: Any) -> Any:
    """Return another value of the same type: for a string the smallest change, one bit of one character."""
    if type(value) is str:
        middle = len(value) // 2
        return value[:middle] + chr(ord(value[middle]) ^ 1) + value[middle + 1 :] if value else "x"
    if type(value) is bool or value is None:
        return value is not True
    return value + 1 if type(value) is int else [None]


def bent(record: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    """Return a copy of a record with one value changed."""
    other = copy.deepcopy(record)
    place = other
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = changed(place[path[-1]])
    return other


def as_seen(record: dict[str, Any], seat: int | None) -> dict[str, Any]:
    """Return a running game's record as a seat or a spectator gets it."""
    other = copy.deepcopy(record)
    for entry in other["entries"]:
        shares = entry.pop("private", {})
        if str(seat) in shares:
            entry["private"] = {str(seat): shares[str(seat)]}
    other.update(seed=None, result=None)
    del other["chance"], other["moves"]
    return other
