"""Converts what rulesets declare into shapes of the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from marshmallow import fields

import referee
import referee.texts
from api.http.fields import TEXT_PATTERN, Described, Fixed, Items
from api.http.members import Boolean, List, Nested
from api.http.shapes import (
    Answer,
    Input,
    Json,
    Opaque,
    Ref,
    Shape,
    camel,
    default_in_words,
    one_of,
    part,
    words,
)

Named = Mapping[str, Callable[..., fields.Field[Any]]]


def ruleset_ids() -> Json:
    """Describe the id of a ruleset."""
    return {"type": "string", "enum": [game.ID for game in referee.newest()]}


class Declared(Described, fields.Field[Any]):
    """A value whose JSON Schema comes from the referee."""

    def __init__(self, schema: Json, **more: Any) -> None:
        self.keywords = {"type": "string", **schema} if "enum" in schema else schema
        super().__init__(**more)


def member(schema: Json, named: Named, **more: Any) -> fields.Field[Any]:
    """Return a member of an answer from a shape of the referee; parts in `named` have shapes of their own."""
    if "oneOf" in schema:
        return member(schema["oneOf"][1], named, null=True, **more)
    if schema.get("enum") == [True]:
        return Boolean(**more)
    if "properties" not in schema:
        return Declared(schema, **more)
    parts: Json = {
        name: named[name](optional=optional) if name in named else member(inner, named, optional=optional)
        for name, inner in schema["properties"].items()
        for optional in [name not in schema["required"]]
    }
    return part(more.pop("about", ""), closed=True, **more, **parts)


def described(name: str, about: str, schema: Callable[[Ref], Json]) -> type[Shape]:
    """Return the shape of an object that the referee reads, given its JSON Schema."""

    def published(self: Shape, _: Json, ref: Ref) -> Json:
        return {"description": about, **schema(ref)}

    return type(name, (Opaque,), {"__doc__": about, "published": published})


@cache
def card(game: Any) -> type[Shape]:
    """Return `PiesCard`."""
    ids = [card["id"] for card in referee.texts.card_catalogue(game)]
    about = f"A card of {game.NAME}, by its id."
    return described(f"{camel(game.ID)}Card", about, lambda ref: {"type": "string", "enum": ids})


class Move(Opaque):
    """A move of any ruleset. A move does not name its ruleset; answers with moves do."""

    def published(self, schema: Json, ref: Ref) -> Json:
        """Name each ruleset's moves, those with many members first: clients take the first that fits."""
        games: list[Any] = [*referee.newest()]
        games.sort(key=lambda game: -max(len(fields) for fields in game.MOVES.values()))
        return {"description": schema["description"], "anyOf": [ref(_moves(game)) for game in games]}


class AnyMove(Opaque):
    """A move of a ruleset that is not described here, or one with a card that the game does not have."""

    def published(self, schema: Json, ref: Ref) -> Json:
        """Describe only what every move has."""
        kind = {"type": "string", "pattern": TEXT_PATTERN}
        return {**schema, "properties": {"type": kind}, "required": ["type"], "additionalProperties": True}


class MoveToJudge(Opaque):
    """A move that the referee judges: legal or not."""

    def published(self, schema: Json, ref: Ref) -> Json:
        """Name the moves of each ruleset, and then any other."""
        return {"description": schema["description"], "anyOf": [ref(Move), ref(AnyMove)]}


class WithMoves(Opaque, Answer):
    """An answer that names its ruleset and has a `move` or `moves`, which are moves of that ruleset."""

    def published(self, schema: Json, ref: Ref) -> Json:
        """Return the shape for each ruleset, such as `PiesLegalMoves`."""
        kinds = {game.ID: self._of(game) for game in referee.newest()}
        return {"description": schema["description"], **one_of(kinds, "ruleset", ref)}

    def _of(self, game: Any) -> type[Shape]:
        own: Json = {"__doc__": f"{words(type(self))} In {game.NAME}.", "ruleset": Fixed(game.ID)}
        if "moves" in self.fields:
            own["moves"] = List(Nested(_moves(game)))
        else:
            own["move"] = Nested(_moves(game), null=True, about="Null if the seat has no legal move.")
        members = {name: field for name, field in self._declared_fields.items() if name not in own}
        return type(f"{camel(game.ID)}{type(self).__name__}", (Answer,), {**members, **own})


@cache
def _moves(game: Any) -> type[Shape]:
    """Return a shape such as `PiesMove`: a move of a ruleset, of one of its types (`PiesLead`, …)."""
    kinds = {kind: _kind_of_move(game, kind, fields) for kind, fields in game.MOVES.items()}
    about = f"A move in {game.NAME}."
    return described(f"{camel(game.ID)}Move", about, lambda ref: one_of(kinds, "type", ref))


def _kind_of_move(game: Any, kind: str, fields: Any) -> type[Shape]:
    about = f"A move of type `{kind}` in {game.NAME}."
    name = f"{camel(game.ID)}{camel(kind)}"
    return described(
        name, about, lambda ref: _without_nul(referee.texts.move_schema(kind, fields, ref(card(game))))
    )


def _without_nul(schema: Any) -> Any:
    """Declare that strings contain no NUL, because the JSON reader refuses it."""
    if isinstance(schema, list):
        return [_without_nul(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: _without_nul(part) for name, part in schema.items()}
    if parts.get("type") == "string" and not parts.keys() & {"const", "enum", "pattern"}:
        parts["pattern"] = TEXT_PATTERN
    return parts


def new_games(general: type[Input], seat: type[Input]) -> dict[str, type[Shape]]:
    """Return shapes such as `NewPiesGame` by ruleset: games with the ruleset's options and seats."""
    return {game.ID: _new_game(game, general, seat) for game in referee.newest()}


def _new_game(game: Any, general: type[Input], seat: type[Input]) -> type[Shape]:
    options = {name: option for n in game.SEATS for name, option in game.options(n).items()}
    schema = referee.texts.options_schema(options)
    schema["properties"] = {name: default_in_words(part) for name, part in schema["properties"].items()}
    seats = fields.Nested(seat)
    members = {
        "__doc__": f"A game of {game.NAME} to make.",
        "ruleset": Fixed(game.ID, required=True),
        "options": Declared(schema),
        "seats": Items(seats, game.SEATS[0], game.SEATS[-1], required=True, metadata=_gaps(game.SEATS)),
    }
    return type(f"New{camel(game.ID)}Game", (general,), members)


def _gaps(numbers: Any) -> Json:
    """Describe which numbers of seats between the smallest and the largest are not played.

    Uses `not`, because with `anyOf` generated clients forget that these are seats.
    """
    between = [n for n in range(numbers[0], numbers[-1]) if n not in numbers]
    return {"not": {"anyOf": [{"minItems": n, "maxItems": n} for n in between]}} if between else {}
