"""Rounds of the public beacon that deals wait for: the worker fetches them, a request never does."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import referee.proofs
import referee.table
from api.context import Context
from api.features.beacon import rounds as beacon
from api.games import bots
from api.games.game import OPEN, Game
from api.games.loading import load
from api.games.saving import change
from api.store import due_work, games
from referee.table import commands

SOONEST, LATEST = timedelta(seconds=1), timedelta(minutes=1)  # before a round is requested again


def draw_all(context: Context) -> None:
    """Deal the games that wait for a round, if it is published."""
    while draw_next(context):
        pass


def draw_next(context: Context) -> bool:
    """Deal the game whose round has been due the longest; return whether there was one and its round came.

    The game's next attempt is postponed before the round is fetched. So no transaction waits for another
    server, no two workers fetch a round for one game, and failures are retried less and less often.
    """
    url = context.settings.beacon_url
    postponed = _put_off(context) if url else None
    if postponed is None:
        return False
    game_id, awaited = postponed
    signature = beacon.fetch(url, *awaited)
    if signature is None:
        return False

    def deal(game: Game) -> None:
        if game.status == OPEN and game.dealing is not None and game.dealing.awaited == awaited:
            event = commands.decide(game, commands.play.Deal(signature), context.now())
            if isinstance(event, referee.table.Event):
                game.enter(event)

    game, _ = change(context, game_id, deal)  # unless it was dealt or cancelled in the meantime
    bots.play_on(context, game)
    return True


def _put_off(context: Context) -> tuple[UUID, tuple[referee.proofs.Chain, int]] | None:
    """Return a game whose round is published, and the round; postpone the game's next attempt."""
    now = context.now()
    with context.session.transaction():
        game_id = due_work.next_due(context.session, due_work.TO_DRAW, now, [])
        if game_id is None:
            return None
        dealing = load(context, game_id).dealing
        if dealing is None or dealing.awaited is None or dealing.draw_at is None:
            raise RuntimeError(f"game {game_id} waits for no round")
        late = now - dealing.draw_at
        games.draw_later(context.session, game_id, now + min(max(late, SOONEST), LATEST))
        return game_id, dealing.awaited
