"""What a forger may do to an entry and each of its members, from the declarations of the types of entries."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from referee.engine.shapes import Kind
from referee.log.entries import CLOCKS
from referee.log.members import MEMBERS
from referee.records import ENTRY_TYPES
from tests.audit.forging.values import SPECIAL, example, others, places, retyped, titles
from tests.support.forging import changed

Record = dict[str, Any]
REBUILT = {"hash", "sealed", "seals", "salt", "seq"}
NO_MEMBER = "rating"
WHO = ("seat", "player", "bot")


class Deed(NamedTuple):
    """A deed, the number of its entry (from 0), the place in it, and what stands there then.

    `change` and `retype` a value, `borrow` it from another entry, `drop` or `add` a member; `reseat`:
    somebody else did it; `remove` or `double` the entry, `cut` it off at the end, or `swap` it with the next,
    but not the times of both.
    """

    name: str
    at: int
    path: tuple[Any, ...] = ()
    value: Any = None
    which: int = 0  # of several values

    def kind(self, log: Sequence[Record]) -> tuple[str, str, str]:
        """Return the deed, the type of entry, and the member or, of a swap, the type of the other entry."""
        other = log[self.at + 1]["type"] if self.name == "swap" else str(self.path[0]) if self.path else ""
        return self.name, log[self.at]["type"], other

    def do(self, log: list[Record]) -> None:
        """Do it to a log."""
        entry, at = log[self.at], self.at
        if self.name in ("remove", "cut"):
            del log[at]
        elif self.name == "double":
            log.insert(at, copy.deepcopy(entry))
        elif self.name == "swap":
            log[at], log[at + 1] = log[at + 1], log[at]
            log[at]["at"], log[at + 1]["at"] = log[at + 1]["at"], log[at]["at"]
        elif self.name == "reseat":
            for name in WHO:
                entry.pop(name, None)
            entry.update(copy.deepcopy(self.value))
        else:
            place: Any = entry
            for step in self.path[:-1]:
                place = place[step]
            if self.name == "drop":
                del place[self.path[-1]]
            else:
                place[self.path[-1]] = copy.deepcopy(self.value)


def deeds(log: Sequence[Record], at: int) -> Iterator[Deed]:
    """Yield everything that may be done to an entry."""
    entry = log[at]
    yield Deed("remove" if at + 1 < len(log) else "cut", at)
    yield Deed("double", at)
    if at + 1 < len(log):
        yield Deed("swap", at)
    yield from _each("reseat", at, (), _others_at(log, at))
    for path, kind, value in places(entry):
        if REBUILT.isdisjoint(path):
            yield from _changes(log, at, path, kind, value)
    for name in (*ENTRY_TYPES[entry["type"]].known - entry.keys() - REBUILT, *_unknown(entry)):
        yield from _each("add", at, (name,), _given(log, at, name))


def _each(name: str, at: int, path: tuple[Any, ...], values: Iterable[Any]) -> Iterator[Deed]:
    return (Deed(name, at, path, value, which) for which, value in enumerate(values))


def _changes(
    log: Sequence[Record], at: int, path: tuple[Any, ...], kind: Kind | None, value: Any
) -> Iterator[Deed]:
    values = [*(titles(log[at]) if path == ("type",) else others(kind, value)), *SPECIAL.get(path[0], ())]
    if not values and not isinstance(value, dict | list):
        values = [changed(value)]
    yield from _each("change", at, path, values)
    yield from _each("retype", at, path, retyped(value))
    if len(path) == 1:
        yield from _each("borrow", at, path, [each for each in _given(log, at, path[0]) if each != value])
    if not isinstance(path[-1], int):
        yield Deed("drop", at, path)


def _unknown(entry: Record) -> list[str]:
    """Return names of members that the type does not have: one that no type has, one that others have."""
    known = ENTRY_TYPES[entry["type"]].known
    return [NO_MEMBER, *[name for name in MEMBERS if name not in known and name not in REBUILT]]


def _given(log: Sequence[Record], at: int, name: str) -> list[Any]:
    """Return the nearest other values of a member, in entries before and after; or an example."""
    own = log[at].get(name)
    given = [
        next((each[name] for each in entries if name in each and each[name] != own), None)
        for entries in (log[:at][::-1], log[at + 1 :])
    ]
    found = [each for each in given if each is not None]
    return found or ([] if name in log[at] else [example(MEMBERS[name].kind) if name in MEMBERS else 2200])


def _others_at(log: Sequence[Record], at: int) -> list[Record]:
    """Return who else acted: somebody at another seat, and somebody else at the same one."""
    seat = log[at].get("seat")
    if seat is None:
        return []
    acted = [
        {name: each[name] for name in WHO if name in each}
        for each in log
        if each.get("seat") is not None and (log[at]["type"] == "joined") == (each["type"] == "joined")
    ]
    own = {name: log[at][name] for name in WHO if name in log[at]}
    found = [next((who for who in acted if who["seat"] != seat), None)]
    found.append(
        next((who for who in acted if who["seat"] == seat and who.get("player") != own.get("player")), None)
    )
    return [who for who in found if who]


def deeds_beside(record: Record) -> Iterator[tuple[str, tuple[Any, ...], Any]]:
    """Yield what may be done to a record apart from its log: a deed, a place, what stands there then."""
    waiting = [((name,), value) for name, value in record.items() if name != "entries"]
    for path, value in waiting:
        inner = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        waiting.extend(((*path, key), each) for key, each in inner)
        if not isinstance(path[-1], int):
            yield "drop", path, None
        if isinstance(value, list):
            yield from (("change", path, other) for other in ([*value, *value[:1]], value[:-1]) if value)
        elif not isinstance(value, dict):
            yield "change", path, changed(value)
            yield from (("retype", path, other) for other in retyped(value))


def do_beside(record: Record, deed: str, path: tuple[Any, ...], value: Any) -> None:
    """Do it to a record."""
    place: Any = record
    for step in path[:-1]:
        place = place[step]
    if deed == "drop":
        del place[path[-1]]
    else:
        place[path[-1]] = copy.deepcopy(value)


def pattern(deed: Deed, log: Sequence[Record]) -> tuple[Any, ...]:
    """Return what is the same of all deeds that are alike, at whichever seat and of whichever move."""
    name, kind, other = deed.kind(log)
    path = tuple("*" if isinstance(step, int) or step.isdecimal() else step for step in deed.path)
    is_inside = len(path) > 1 and path[0] not in CLOCKS
    if is_inside or name == "retype" or (name == "add" and not ENTRY_TYPES[kind].has(other)):
        kind = "any"
    return name, kind, path or other, 0 if path == ("type",) else deed.which


def any_deed(choose: random.Random, log: Sequence[Record]) -> Deed:
    """Return one of them; one to an entry of a rare type is as likely as one to a move."""
    kind = choose.choice(sorted({entry["type"] for entry in log}))
    every = [*deeds(log, choose.choice([at for at, entry in enumerate(log) if entry["type"] == kind]))]
    name = choose.choice(sorted({deed.name for deed in every}))
    return choose.choice([deed for deed in every if deed.name == name])
