"""The worker's job for bots."""

from __future__ import annotations

from api.context import Context
from api.features import load_features
from api.games import bots
from api.store.database.session import Database, Session
from tests.support.callers import Caller


def play_on(host: Caller, database: Database, limit: int, rounds: int) -> None:
    """Run the worker's job for bots."""
    site = host.app.extensions["card_referee"]
    session = Session(database)
    context = Context(site.settings, session, load_features().hooks, site.clock, site.random_bytes)
    for _ in range(rounds):
        for found in (*bots.games_due(context), *bots.games_due(context, people=False)):
            bots.play_due(context, found, limit)
    session.close()
