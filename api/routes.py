"""The operations of the core."""

from __future__ import annotations

from flask import Blueprint

from api.callers import routes as callers
from api.feature import Features
from api.games import routes as games
from api.http.operation import Operation, Operations
from api.rulesets import routes as rulesets
from api.streams import routes as streams
from api.system import SYSTEM

# In the order of the specification.
CORE = (
    *(rulesets.RULESETS, callers.PLAYERS, callers.KEYS, callers.ME),
    *(games.GAMES, games.SEATS, games.MOVES, streams.EVENTS, streams.FEEDS, games.RECORDS, SYSTEM),
)


def blueprints(features: Features) -> list[Blueprint]:
    """List every blueprint of the core and of some features, in the order of the specification."""
    return [*CORE, *features.blueprints()]


def operations(features: Features) -> dict[str, Operation]:
    """Return every operation of the core and of some features, by its id."""
    declared = (each for each in blueprints(features) if isinstance(each, Operations))
    return {name: one for each in declared for name, one in each.operations.items()}
