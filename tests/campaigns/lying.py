"""What a lie in a log is, for a forger who can make hashes fit: a type of entry, a name, and a change."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple

import referee.clocks
from referee.records import ENTRY_TYPES

Record = dict[str, Any]
Entry = dict[str, Any]
Change = Callable[[random.Random, Entry, Record], bool | None]
TALK = {name: kind.says for name, kind in ENTRY_TYPES.items() if kind.says}
"""Types of entries in which somebody says something, each with the member that has it."""


class Lie(NamedTuple):
    """A lie about an entry of a type; `change` returns False where it cannot be told."""

    type: str
    name: str
    change: Change

    def tell(self, choose: random.Random, record: Record) -> bool:
        """Tell the lie about some entry of the type; return whether there was one to lie about."""
        entries = [entry for entry in record["entries"] if entry["type"] == self.type]
        return bool(entries) and self.change(choose, choose.choice(entries), record) is not False


LIES: list[Any] = []


def lie(*types: str) -> Callable[[Change], Change]:
    """Add a function to the lies about entries of these types."""

    def listed(change: Change) -> Change:
        LIES.extend(Lie(kind, change.__name__, change) for kind in types)
        return change

    return listed


def shift(text: str, **by: float) -> str:
    at = referee.clocks.read_time(text)
    assert at is not None
    return referee.clocks.timestamp(at + timedelta(**by))
