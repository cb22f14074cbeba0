"""Entries of a game's log in answers: one shape for each type."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from marshmallow import fields

import referee
from api.schemas.fields import Choice, Fixed
from api.schemas.games import TESTED, AppName, Pace, PlayerName
from api.schemas.members import List, Nested
from api.schemas.requests.queries import ORIGINS
from api.schemas.rulesets import Result, Transfer
from api.schemas.rulesets.declared import Declared, member
from api.schemas.shapes import Answer, Json, Opaque, Ref, Shape, camel, one_of, page_of

PUBLIC_MOVE = {
    "type": "object",
    "description": "A move as everybody sees it; its secret members are in the share of its seat.",
    "properties": {"type": {"type": "string"}},
    "required": ["type"],
    "additionalProperties": True,
}
# The members of entries with shapes of their own.
NAMED: dict[str, Callable[..., fields.Field[Any]]] = {
    "player": partial(Nested, PlayerName, null=True),
    "imported_by": partial(Nested, AppName),
    "pace": partial(Nested, Pace, null=True),
    "result": partial(Nested, Result, null=True),
    "transfers": partial(List, Nested(Transfer)),
    "move": partial(Declared, PUBLIC_MOVE),
}
EVERY = ("seq", "type", "at", "hash")


def _member(name: str, kind: str, needed: bool) -> fields.Field[Any]:
    if name == "type":
        return Fixed(kind)
    shape, about = referee.MEMBERS[name]
    more = {"about": about, "optional": not needed}
    return NAMED[name](**more) if name in NAMED else member(shape.schema(), NAMED, **more)


def _entry(kind: str) -> type[Shape]:
    """Return a shape such as `MovedEntry`: the entries of a type, with the members that older logs had."""
    declared = referee.ENTRY_TYPES[kind]
    names = [name for name in referee.MEMBERS if declared.has(name) or name in referee.earlier_members(kind)]
    members = {name: _member(name, kind, name in (*EVERY, *declared.needed)) for name in names}
    return type(f"{camel(kind)}Entry", (Answer,), {"__doc__": f"{kind}: {declared.words}", **members})


class Entry(Opaque):
    """An entry of a game's log: one change of the game.

    `hash` is SHA-256 over the previous hash and the canonical JSON of all members except `hash` and
    `private`.
    """

    def published(self, schema: Json, ref: Ref) -> Json:
        """Return the shape of each type."""
        kinds = {kind: _entry(kind) for kind in referee.ENTRY_TYPES}
        return {"description": schema["description"], **one_of(kinds, "type", ref)}


class EntryList(page_of(Entry, "EntryList", "")):  # type: ignore[misc]
    """A page of a log, oldest entry first."""

    origin = Choice(*ORIGINS, optional=True, about="Dealt by this server, or imported from a record.")
    imported_by = Nested(AppName, null=True, optional=True, about="The app that has imported the game.")
    test_clock = TESTED
