"""Converts what rulesets declare into shapes of the API."""

from __future__ import annotations

from functools import cache
from typing import Any

import referee
import referee.texts
from api.core import names
from api.http.answers import Component, Json, Ref, camel, one_of, or_null, schema_of_class, words


@cache
def card(game: Any) -> Component:
    """Return `PiesCard`."""
    ids = [card["id"] for card in referee.texts.card_catalogue(game)]
    about = f"A card of {game.NAME}, by its id."
    return Component(f"{camel(game.ID)}Card", lambda _: {"description": about, "type": "string", "enum": ids})


def _any_move(ref: Ref) -> Json:
    """Name each ruleset's moves, those with many members first: clients take the first that fits."""
    games: list[Any] = [*referee.newest()]
    games.sort(key=lambda game: -max(len(fields) for fields in game.MOVES.values()))
    about = "A move of any ruleset. A move does not name its ruleset; answers with moves do."
    return {"description": about, "anyOf": [ref(_moves(game)) for game in games]}


def _undescribed_move(ref: Ref) -> Json:
    """Describe only what every move has."""
    return {
        "type": "object",
        "properties": {"type": {"type": "string", "pattern": names.TEXT_PATTERN}},
        "additionalProperties": True,
        "description": "A move of a ruleset that is not described here, or one with a card that the game "
        "does not have.",
        "required": ["type"],
    }


MOVE = Component("Move", _any_move)
ANY_MOVE = Component("AnyMove", _undescribed_move)


def of_each_ruleset(kind: type[Any], ref: Ref) -> Json:
    """Describe an answer with a `move` or `moves` for each ruleset, such as `PiesLegalMoves`."""
    kinds = {game.ID: _of_ruleset(game, kind) for game in referee.newest()}
    return {"description": words(kind), **one_of(kinds, "ruleset", ref)}


def _of_ruleset(game: Any, kind: type[Any]) -> Component:
    def schema(ref: Ref) -> Json:
        move = ref(_moves(game))
        about = "Null if the seat has no legal move."
        own: dict[str, Json] = {
            "ruleset": {"type": "string", "const": game.ID},
            "moves": {"type": "array", "items": move},
            "move": {"description": about, **or_null(move)},
        }
        return schema_of_class(kind, ref, f"{words(kind)} In {game.NAME}.", **own)

    return Component(f"{camel(game.ID)}{kind.__name__}", schema)


@cache
def _moves(game: Any) -> Component:
    """Return `PiesMove`: a move of a ruleset, of one of its types (`PiesLead`, …)."""
    kinds = {kind: _kind_of_move(game, kind, fields) for kind, fields in game.MOVES.items()}
    about = f"A move in {game.NAME}."
    return Component(
        f"{camel(game.ID)}Move", lambda ref: {"description": about, **one_of(kinds, "type", ref)}
    )


def _kind_of_move(game: Any, kind: str, fields: Any) -> Component:
    about = f"A move of type `{kind}` in {game.NAME}."

    def schema(ref: Ref) -> Json:
        described: Json = _without_nul(referee.texts.move_schema(kind, fields, ref(card(game))))
        return {"description": about, **described}

    return Component(f"{camel(game.ID)}{camel(kind)}", schema)


def _without_nul(schema: Any) -> Any:
    """Declare that strings contain no NUL, because the JSON reader refuses it."""
    if isinstance(schema, list):
        return [_without_nul(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: _without_nul(part) for name, part in schema.items()}
    if parts.get("type") == "string" and not parts.keys() & {"const", "enum", "pattern"}:
        parts["pattern"] = names.TEXT_PATTERN
    return parts
