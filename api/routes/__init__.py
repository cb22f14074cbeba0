"""The operations of the core, one file for each resource: their declarations, and short views."""

from __future__ import annotations

from flask import Blueprint

from api.feature import Features
from api.http.operation import Operation, Operations
from api.routes import records, rulesets, stateless
from api.routes.accounts import keys, me, players
from api.routes.play import games, moves, seats
from api.routes.site import system
from api.routes.streams import events, feeds

CORE = (rulesets, stateless, players, keys, me, games, seats, moves, events, feeds, records, system)


def blueprints(features: Features) -> list[Blueprint]:
    """List every blueprint of the core and of some features, in the order of the specification."""
    return [*(module.blueprint for module in CORE), *features.blueprints()]


def operations(features: Features) -> dict[str, Operation]:
    """Return every operation of the core and of some features, by its id."""
    declared = (each for each in blueprints(features) if isinstance(each, Operations))
    return {name: one for each in declared for name, one in each.operations.items()}
