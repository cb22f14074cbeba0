"""One file a resource: what an operation declares, and three lines a view."""

from __future__ import annotations

from flask import Blueprint

from api.routes import events, records, rulesets, stateless, webhooks
from api.routes.accounts import guests, keys, me, players
from api.routes.play import games, moves, post, seats
from api.routes.site import docs, pages, system


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
