"""What can be wrong with an entry by itself."""

from collections.abc import Container, Mapping
from typing import Any

from referee.log.entries import CLOCKS, ENTRY_TYPES, Entry
from referee.log.jsontypes import checker, members_checker
from referee.log.members import MARKS, MEMBERS, inner


def unknown_member(entry: Entry, read: Container[str] = ()) -> str | None:
    """Return which part of an entry of a known type is not checked by anything, or None.

    The values of the members that were `read` already are of their types.
    """
    kind = entry["type"]
    if not NEEDED[kind] <= entry.keys():
        missing = next(name for name in ENTRY_TYPES[kind].needed if name not in entry)
        return f"an entry of type {kind} needs {missing}"
    if WELL_TYPED[kind](entry, read):
        return None
    known = ENTRY_TYPES[kind].known
    strange = next((name for name in entry if name not in known), None)
    if strange is not None:
        return f"an entry of type {kind} has no member {str(strange)[:40]!r}"
    if fault := unknown_inside(entry):
        return fault
    if any(entry.get(mark, True) is not True for mark in MARKS):
        return "a mark can only be true"
    return next(
        (f"`{name}` has a value of another type" for name in entry if not TYPES[name](entry[name])), None
    )


TYPES = {name: checker(member.kind) for name, member in MEMBERS.items()}
WELL_TYPED = {
    name: members_checker({each: MEMBERS[each].kind for each in declared.known})
    for name, declared in ENTRY_TYPES.items()
}
NEEDED = {name: frozenset(declared.needed) for name, declared in ENTRY_TYPES.items()}
# The known members of members that are objects.
INNER = {name: shape.fields.keys() for name in MEMBERS if (shape := inner(name)) is not None}


def unknown_inside(data: Mapping[str, Any]) -> str | None:
    """Return which part of an object in an entry or a record is not checked by anything, or None."""
    for name, value in data.items():
        if type(value) is dict and name in INNER and not value.keys() <= INNER[name]:
            strange = next(key for key in value if key not in INNER[name])
            return f"`{name}` has no member {str(strange)[:40]!r}"
    return None


def entry_fault(entry: Entry, seats: int) -> str | None:
    """Return why a foreign entry cannot have been written by a service, or None.

    Its hashes prove only that nothing was changed since: the author of a log could chain anything. So this
    function checks what is shown to people but is not judged by any check of the verification.
    """
    for name, value in entry.items():
        if not MEMBERS[name].kind.accepts(value):
            return f"{name} is not what it is in a log of ours"
    for name in CLOCKS:
        if any(seat not in map(str, range(seats)) for seat in entry.get(name, ())):
            return f"{name} names a seat that the table does not have"
    if "nudge" in entry and entry["nudge"]["seat"] not in range(seats):
        return "nudge names a seat that the table does not have"
    if "vacation" in entry and entry.get("seat") not in range(seats):
        return "vacation is not a seat's"
    return None
