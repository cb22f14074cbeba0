"""What the specification says of each ruleset, from the referee's own declarations."""

from __future__ import annotations

from typing import Any

import referee
from api.core.limits import MOST_MOVES
from api.play.automatic.bots import BOTS
from api.schemas.answers import COUNT, ID, OBJECT, ref
from api.schemas.fields import TEXT_PATTERN
from api.schemas.requests import MOST_ENTROPY

Schema = dict[str, Any]


def camel(name: str) -> str:
    """Turn `cats_and_dogs` into `CatsAndDogs`."""
    return "".join(part.capitalize() for part in name.split("_"))


def ruleset_ids() -> Schema:
    """Describe the id of a ruleset."""
    return {"type": "string", "enum": [game.ID for game in referee.newest()]}


def move_schemas() -> dict[str, Schema]:
    """Describe `PiesLead`, …; `PiesMove`, one of them by its `type`; `Move`, a move of any ruleset."""
    found: dict[str, Schema] = {}
    for game in referee.newest():
        names = {kind: f"{camel(game.ID)}{camel(kind)}" for kind in game.MOVES}
        for kind, fields in game.MOVES.items():
            words = f"A move of type `{kind}` in {game.NAME}."
            found[names[kind]] = {"description": words, **_without_nul(referee.move_schema(kind, fields))}
        found[f"{camel(game.ID)}Move"] = {
            "description": f"A move in {game.NAME}.",
            **_by(names, "type"),
        }
    found["Move"] = {
        "description": "A move of any ruleset.",
        "anyOf": [ref(f"{camel(game.ID)}Move") for game in _longest_moves_first()],
    }
    return found


def _longest_moves_first() -> list[Any]:
    """Order the rulesets for clients that take the first fit: a short move fits a longer one's data."""
    return sorted(referee.newest(), key=lambda game: -max(len(fields) for fields in game.MOVES.values()))


def game_schemas(general: Schema) -> dict[str, Schema]:
    """Describe `NewPiesGame`, …, with its options and numbers of seats; `NewGame`, one by its `ruleset`."""
    found: dict[str, Schema] = {}
    names = {game.ID: f"New{camel(game.ID)}Game" for game in referee.newest()}
    for game in referee.newest():
        options = {name: option for n in game.SEATS for name, option in game.options(n).items()}
        sizes = [{"minItems": n, "maxItems": n} for n in game.SEATS]
        seats = {"type": "array", "items": ref("NewSeat")}
        found[names[game.ID]] = {
            **general,
            "description": f"A game of {game.NAME} to make.",
            "properties": {
                **general["properties"],
                "ruleset": {"type": "string", "const": game.ID},
                "options": referee.options_schema(options),
                "seats": {**seats, **sizes[0]} if len(sizes) == 1 else {**seats, **_range(list(game.SEATS))},
            },
        }
    return {**found, "NewGame": {"description": "A game to make.", **_by(names, "ruleset")}}


def any_record() -> Schema:
    """Describe what has to stand in a record; every `GameRecord` is one, so that downloads fit uploads."""
    said = {"description": "What is no move is refused by a rule."}
    move = {"type": "object", "properties": {"seat": COUNT, "move": said}, "required": ["seat", "move"]}
    return {
        "type": "object",
        "description": "A game record, ours or from elsewhere; more members may stand in it.",
        "properties": {
            "format": {"type": "string", "const": "card-referee/1"},
            "ruleset": {"type": "string", "description": "The id of a ruleset."},
            "version": {
                "type": ["integer", "null"],
                "description": "The ruleset's; the newest without one.",
            },
            "seats": {"type": "integer", "minimum": 1, "maximum": 64},
            "options": OBJECT,
            "seed": {
                "type": ["string", "null"],
                "pattern": "^([0-9a-fA-F]{2})*$",
                "description": "Null in the record of a running game, which cannot be replayed.",
            },
            "entropy": {"type": "array", "items": {"type": "string"}, "description": "One for each seat."},
            "moves": {"type": "array", "items": move, "maxItems": MOST_MOVES},
            "result": {"type": ["object", "null"], "additionalProperties": True},
        },
        "required": ["format", "ruleset", "seats", "seed", "moves"],
        "additionalProperties": True,
    }


def _range(numbers: list[int]) -> Schema:
    """Describe how many seats there may be; where not every number between is played, which."""
    bounds: Schema = {"minItems": numbers[0], "maxItems": numbers[-1]}
    between = [n for n in range(numbers[0], numbers[-1]) if n not in numbers]
    if between:  # said by `not`: beside an anyOf generated clients forget that these are seats
        bounds["not"] = {"anyOf": [{"minItems": n, "maxItems": n} for n in between]}
    return bounds


def seat_schemas() -> dict[str, Schema]:
    """Describe `NewSeat`, a seat of a new game, which is one of three."""

    def one(description: str, **properties: Any) -> Schema:
        required = [name for name in properties if name != "entropy"]
        return {
            "type": "object",
            "description": description,
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }

    entropy = {"type": "string", "maxLength": MOST_ENTROPY, "pattern": TEXT_PATTERN}
    found = {
        "PlayerSeat": one("A seat for this player, who may add entropy.", player=ID, entropy=entropy),
        "OpenSeat": one("A seat that a player may take.", open={"type": "boolean", "const": True}),
        "BotSeat": one("A seat for a bot.", bot={"type": "string", "enum": sorted(BOTS)}),
    }
    whole = {"description": "A seat of a new game.", "oneOf": [ref(name) for name in found]}
    return {**found, "NewSeat": whole}


def _without_nul(schema: Any) -> Any:
    """Declare that no free string has a NUL: no JSON that has one is read."""
    if isinstance(schema, list):
        return [_without_nul(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: _without_nul(part) for name, part in schema.items()}
    if found.get("type") == "string" and not found.keys() & {"const", "enum", "pattern"}:
        found["pattern"] = TEXT_PATTERN
    return found


def _by(names: dict[str, str], member: str) -> Schema:
    return {
        "oneOf": [ref(name) for name in names.values()],
        "discriminator": {
            "propertyName": member,
            "mapping": {value: ref(name)["$ref"] for value, name in names.items()},
        },
    }
