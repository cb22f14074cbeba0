"""Moves, records and new games of rulesets in requests."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

import referee
import referee.texts
from api.http.answers import Json, Ref, camel, schema_of_class
from api.http.fields import Described, Fixed, Input, Items, Opaque, default_in_words
from api.rulesets.answers import Record
from api.rulesets.declared import ANY_MOVE, MOVE


class Declared(Described, fields.Field[Any]):
    """A value whose JSON Schema comes from the referee."""

    def __init__(self, schema: Json, **more: Any) -> None:
        self.keywords = schema
        super().__init__(**more)


class MoveToJudge(Opaque):
    """A move that the referee judges: legal or not."""

    def published(self, schema: Json, ref: Ref) -> Json:
        """Name the moves of each ruleset, and then any other."""
        return {"description": schema["description"], "anyOf": [ref(MOVE), ref(ANY_MOVE)]}


class AnyRecord(Opaque):
    """A record that is read."""

    def published(self, schema: Json, ref: Ref) -> Json:
        """Return what is read of it."""
        return schema_of_class(Record, ref)


def new_games(general: type[Input], seat: type[Input]) -> dict[str, type[Input]]:
    """Return shapes such as `NewPiesGame` by ruleset: games with the ruleset's options and seats."""
    return {game.ID: _new_game(game, general, seat) for game in referee.newest()}


def _new_game(game: Any, general: type[Input], seat: type[Input]) -> type[Input]:
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
