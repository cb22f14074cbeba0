"""Entries of a game's log in answers: one shape for each type. Feeds of many games' entries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from marshmallow import fields

import referee.records
from api.schemas.fields import Choice, Fixed, QueryWhole, Several, Text
from api.schemas.games import FORKED_FROM, TESTED, AppName, Pace, PlayerName
from api.schemas.members import UUID, List, Map, Nested, String
from api.schemas.patterns import Duration, FeedCursor, Id
from api.schemas.requests.queries import MOST_ITEMS, ORIGINS
from api.schemas.rulesets import Result, Transfer
from api.schemas.rulesets.declared import Declared, member
from api.schemas.shapes import Answer, Input, Json, Opaque, Ref, Shape, camel, one_of, page_of

PUBLIC_MOVE = {
    "type": "object",
    "description": "A move of the ruleset; its secret members only for callers who may see them.",
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
    shape, about = referee.records.MEMBERS[name]
    more = {"about": about, "optional": not needed}
    return NAMED[name](**more) if name in NAMED else member(shape.schema(), NAMED, **more)


def _entry(kind: str) -> type[Shape]:
    """Return a shape such as `MovedEntry`: the entries of a type, with the members that older logs had."""
    declared = referee.records.ENTRY_TYPES[kind]
    names = [
        name
        for name in referee.records.MEMBERS
        if declared.has(name) or name in referee.records.earlier_members(kind)
    ]
    members = {name: _member(name, kind, name in (*EVERY, *declared.needed)) for name in names}
    return type(f"{camel(kind)}Entry", (Answer,), {"__doc__": f"{kind}: {declared.words}", **members})


class Entry(Opaque):
    """An entry of a game's log: one change of the game.

    `hash` is SHA-256 over the previous hash and the canonical JSON of all members except `hash` and
    `private`.
    """

    def published(self, schema: Json, ref: Ref) -> Json:
        """Return the shape of each type."""
        kinds = {kind: _entry(kind) for kind in referee.records.ENTRY_TYPES}
        return {"description": schema["description"], **one_of(kinds, "type", ref)}


class EntryList(page_of(Entry, "EntryList", "")):  # type: ignore[misc]
    """A page of a log, oldest entry first."""

    origin = Choice(*ORIGINS, optional=True, about="Missing for a game that was dealt here.")
    imported_by = Nested(AppName, null=True, optional=True, about="The app that has imported the game.")
    forked_from = FORKED_FROM
    test_clock = TESTED


class FeedPages(Input):
    """Which part of a feed."""

    cursor = FeedCursor(about="Only items after this `cursor`; `now`: only future items.")
    limit = QueryWhole(1, 200, load_default=50, about=MOST_ITEMS)
    wait = Duration(about="If there is nothing yet, wait for up to this long (limited by the server).")
    player = Several(Id(), about="Only games in which one of these players has a seat.")
    ruleset = Several(Text(1, 64), about="Only games of these rulesets.")
    type = Several(Choice(*referee.records.ENTRY_TYPES), about="Only entries of these types.")
    move_type = Several(Text(1, 64), about="Only moves of these types.")


class FeedEntry(Answer):
    """An entry of a game's log, as the caller sees it there, with the current labels of the game."""

    cursor = String(about="The place after this entry: reading can continue there.")
    game = UUID()
    ruleset = String()
    title = String(null=True)
    external_id = String(null=True, optional=True, about="The app's id of the game; shown only to the app.")
    metadata = Map(String(), optional=True, about="Data of the app about the game; shown only to the app.")
    entry = Nested(Entry)


class Feed(Answer):
    """A page of a feed, oldest entry first. It may have no items but still a next page."""

    items = List(Nested(FeedEntry))
    next = String(null=True, about="The cursor of the next page; null if there is nothing more yet.")
    cursor = String(about="The end of this page; reading can continue there later.")
