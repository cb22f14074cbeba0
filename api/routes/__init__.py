"""One file a resource: what an operation declares, and three lines a view."""

from __future__ import annotations

from flask import Blueprint

from api.routes import (
    docs,
    events,
    games,
    guests,
    keys,
    me,
    moves,
    pages,
    players,
    post,
    records,
    rulesets,
    seats,
    stateless,
    system,
    webhooks,
)


def blueprints() -> list[Blueprint]:
    """List every blueprint, in the order in which the specification shows them."""
    modules = (
        rulesets,
        stateless,
        players,
        guests,
        keys,
        me,
        games,
        seats,
        moves,
        post,
        events,
        records,
        webhooks,
        system,
        pages,
        docs,
    )
    return [module.blueprint for module in modules]
