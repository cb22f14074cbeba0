"""One file a resource: what an operation declares, and three lines a view."""

from __future__ import annotations

from flask import Blueprint

from api.routes import events, games, keys, me, moves, players, records, rulesets, seats, stateless, system


def blueprints() -> list[Blueprint]:
    """List every blueprint, in the order in which the specification shows them."""
    modules = (rulesets, stateless, players, keys, me, games, seats, moves, events, records, system)
    return [module.blueprint for module in modules]
