"""The moves of each ruleset, from the referee's own declarations."""

from __future__ import annotations

from typing import Any

import referee
from api.schemas.answers import ref


def move_schemas() -> dict[str, dict[str, Any]]:
    """Describe `PiesLead`, …; `PiesMove`, one of them by its `type`; `Move`, a move of any ruleset."""
    found: dict[str, dict[str, Any]] = {}
    for game in referee.newest():
        names = {kind: f"{_camel(game.ID)}{_camel(kind)}" for kind in game.MOVES}
        for kind, fields in game.MOVES.items():
            words = f"A move of type `{kind}` in {game.NAME}."
            found[names[kind]] = {"description": words, **referee.move_schema(kind, fields)}
        found[f"{_camel(game.ID)}Move"] = {
            "description": f"A move in {game.NAME}.",
            "oneOf": [ref(name) for name in names.values()],
            "discriminator": {
                "propertyName": "type",
                "mapping": {kind: ref(name)["$ref"] for kind, name in names.items()},
            },
        }
    found["Move"] = {
        "description": "A move of any ruleset.",
        "anyOf": [ref(f"{_camel(game.ID)}Move") for game in referee.newest()],
    }
    return found


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
