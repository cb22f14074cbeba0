"""Outages of the whole service: every running clock gets the time back, once, by an entry in its log.

A game is owed the time of every outage that ended after its last entry. The entry that gives it back has the
time of the outage's end. So it is given once, whichever process does it and whenever it dies. Every change
of a game with deadlines, or of one that waits for entropy, asks first.
"""

from __future__ import annotations

import logging
from datetime import datetime
from functools import partial
from uuid import UUID

from api.context import Context
from api.games.game import Game
from api.games.saving import change
from api.store import outages as store
from api.store.database.known import Heartbeat
from referee.table import commands

log = logging.getLogger("card_referee.jobs")

BATCH = 100  # games that the worker reads at once


def beat(context: Context) -> None:
    """Write that this web process is up, and remember when the latest outage ended."""
    heartbeat = context.session.heartbeat
    now = context.now()
    latest = store.beat(context.session, now)
    heartbeat.at, heartbeat.outage = now, latest


def may_owe(context: Context, game: Game, now: datetime) -> bool:
    """Return whether a game may be owed the time of an outage, as far as this web process knows."""
    heartbeat = context.session.heartbeat
    if not heartbeat.beats or not _counts(game):
        return False
    return _stale(heartbeat, now) or (heartbeat.outage is not None and heartbeat.outage > game.updated_at)


def find_out(context: Context) -> None:
    """Look whether there was an outage, if this web process has not written lately that it is up."""
    heartbeat = context.session.heartbeat
    if heartbeat.beats and _stale(heartbeat, context.now()):
        beat(context)


def _stale(heartbeat: Heartbeat, now: datetime) -> bool:
    return heartbeat.at is None or now - heartbeat.at > store.SHORTEST


def give_back(context: Context, game: Game) -> bool:
    """Give the running clocks of a locked game the time of the outages since its last entry, if any."""
    if not _counts(game):
        return False
    owed = store.since(context.session, game.updated_at)
    for outage in owed:
        game.obey(commands.clocks.ReturnTime(outage.began_at), outage.ended_at)
    return bool(owed)


def _counts(game: Game) -> bool:
    return game.clock_runs and not game.over and game.test_clock is None


def give_back_alone(context: Context, game_id: UUID) -> bool:
    """Give a game back what it is owed, in a transaction of its own; return whether it was anything."""
    return change(context, game_id, partial(give_back, context))[1]


def give_all_back(context: Context) -> None:
    """Give all games back what they are owed; the worker's part."""
    ended_at = store.not_given_back(context.session)
    if ended_at is None:
        return
    failed, done = False, list[UUID]()
    while games := store.owed(context.session, ended_at, done, BATCH):
        for game_id in games:
            try:
                if not give_back_alone(context, game_id):
                    done.append(game_id)
            except Exception:
                if context.session.connection.closed:  # not the game's fault
                    raise
                log.exception("game %s: the time of an outage could not be given back", game_id)
                done.append(game_id)
                failed = True
    if not failed:
        store.mark_given_back(context.session, ended_at)


def may_enforce(context: Context) -> bool:
    """Return whether deadlines may be enforced: players can move, because a web process is up."""
    at = store.last_beat(context.session)
    return at is None or context.now() - at <= store.SHORTEST
