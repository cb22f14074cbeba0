"""Rounds of the public beacon that deals wait for: fetched by the worker, never inside a request."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import referee
from api.core.context import Context
from api.game.game import OPEN
from api.game.rows import load
from api.game.saving import save
from api.outbox import beacon
from api.play.automatic import bots
from api.store.game import due, games

SOONEST, LATEST = timedelta(seconds=1), timedelta(minutes=1)  # until a round is asked for again


def draw_next(context: Context) -> bool:
    """Deal the game whose round has been due the longest; return whether there was one and it was dealt.

    The game is put off before the round is fetched: no transaction waits for another server, no two
    workers ask for one game, and what fails is tried again, less and less often.
    """
    url = context.settings.beacon_url
    found = _put_off(context) if url else None
    if found is None:
        return False
    game_id, awaited = found
    signature = beacon.fetch(url, *awaited)
    if signature is None:
        return False
    with context.session.transaction():
        game = load(context, game_id, lock=True)
        if game.status != OPEN or game.dealing is None or game.dealing.awaited != awaited:
            return True  # somebody else has dealt, or called the game off
        game.dealing = replace(game.dealing, signature=signature)
        game.start_if_full(context.now())
        save(context, game)
    bots.play_on(context, game)
    return True


def _put_off(context: Context) -> tuple[UUID, tuple[referee.Chain, int]] | None:
    """Find a game that waits for a round which is published, and the round; ask for it again later."""
    now = context.now()
    with context.session.transaction():
        game_id = due.next_due(context.session, due.TO_DRAW, now, [])
        if game_id is None:
            return None
        dealing = load(context, game_id).dealing
        if dealing is None or dealing.awaited is None or dealing.draw_at is None:
            raise RuntimeError(f"game {game_id} waits for no round")
        late = now - dealing.draw_at
        games.draw_later(context.session, game_id, now + min(max(late, SOONEST), LATEST))
        return game_id, dealing.awaited
