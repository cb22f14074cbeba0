"""Typed dictionaries as answers: their schemas, and rows as answers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict
from uuid import UUID

import pytest

from api.core.paging import PageOf
from api.games.answers import Seat
from api.games.seat import MEANINGS
from api.http.answers import (
    Component,
    Count,
    Json,
    Keywords,
    Timestamp,
    Uuid,
    choice,
    members,
    published,
    schema_of,
    schema_of_class,
    shown,
)


@published(inline=True, extensible=True)
class Ribbon(TypedDict):
    """A ribbon."""

    colour: Annotated[str, choice("red", "blue")] | None


class Cat(TypedDict):
    """A cat."""

    id: Uuid
    kind: Literal["cat"]
    born: Annotated[Timestamp | None, "When it was born."]
    lives: NotRequired[Annotated[Count, Keywords(maximum=9), "How many lives it has left."]]
    ribbon: Ribbon
    toys: dict[str, list[bool]]
    seen: Annotated[Json, Component("Seen", lambda ref: {})] | None


class CatList(PageOf[Cat]):
    """A page of cats."""


def ref(shape: Any) -> Json:
    """Refer to a shape by its name alone."""
    return {"$ref": getattr(shape, "name", None) or shape.__name__}


def test_the_schema_of_an_answer_follows_from_its_types() -> None:
    colour = {"type": ["string", "null"], "enum": ["red", "blue", None]}
    assert schema_of_class(Cat, ref) == {
        "type": "object",
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "kind": {"type": "string", "const": "cat"},
            "born": {
                "type": ["string", "null"],
                "format": "date-time",
                "description": "When it was born.",
            },
            "lives": {
                "type": "integer",
                "minimum": 0,
                "maximum": 9,
                "description": "How many lives it has left.",
            },
            "ribbon": {
                "type": "object",
                "properties": {"colour": colour},
                "required": ["colour"],
                "additionalProperties": True,
                "description": "A ribbon.",
            },
            "toys": {
                "type": "object",
                "additionalProperties": {"type": "array", "items": {"type": "boolean"}},
            },
            "seen": {"oneOf": [{"$ref": "Seen"}, {"type": "null"}]},
        },
        "required": ["born", "id", "kind", "ribbon", "seen", "toys"],
        "description": "A cat.",
    }


def test_a_page_is_one_of_its_items() -> None:
    page = schema_of_class(CatList, ref)
    assert page["properties"]["items"] == {"type": "array", "items": {"$ref": "Cat"}}
    assert page["required"] == ["items", "next"]


@pytest.mark.parametrize("hint", [datetime, UUID, set[int], str | int])
def test_a_type_that_says_nothing_is_refused(hint: Any) -> None:
    with pytest.raises(KeyError):
        schema_of(hint, ref)


class Row(NamedTuple):
    """A cat in a table."""

    id: UUID
    kind: str = "cat"
    born: datetime | None = datetime(2026, 3, 1, tzinfo=UTC)
    toys: Json | None = None
    owner: str = "a secret"


def test_a_row_is_shown_by_the_names_of_members() -> None:
    cat = shown(Cat, Row(UUID(int=1)), ribbon={"colour": None}, seen=None)
    assert cat == {
        "id": "00000000-0000-0000-0000-000000000001",
        "kind": "cat",
        "born": "2026-03-01T00:00:00.000000Z",
        "ribbon": {"colour": None},
        "toys": None,
        "seen": None,
    }
    with pytest.raises(AttributeError, match="ribbon"):
        shown(Cat, Row(UUID(int=1)), seen=None)


def test_a_seat_shows_every_fact_that_it_may_show() -> None:
    assert members(Seat).keys() >= MEANINGS.keys()
