"""One file for each resource: the declarations of its operations, and short views."""

from __future__ import annotations

from flask import Blueprint

from api.routes import log, records, rulesets, stateless, webhooks
from api.routes.accounts import guests, keys, me, notices, players, requests, sign_ins
from api.routes.play import clocks, games, moves, post, seats, seeks, test_clocks, watching
from api.routes.site import docs, guides, mail, pages, system
from api.routes.streams import events, feeds


def blueprints() -> list[Blueprint]:
    """List every blueprint, in the order in which the specification shows them."""
    modules = (
        rulesets,
        stateless,
        players,
        guests,
        sign_ins,
        keys,
        requests,
        me,
        notices,
        games,
        seats,
        watching,
        seeks,
        moves,
        post,
        clocks,
        test_clocks,
        events,
        feeds,
        records,
        log,
        webhooks,
        system,
        pages,
        docs,
        guides,
        mail,
    )
    return [module.blueprint for module in modules]
