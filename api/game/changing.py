"""Changing games: each is taken under its lock, decided about, and written in the same transaction.

Whatever happens to a game goes through here: bots, deadlines, outages, rounds of the beacon, test clocks, and
what the operator does. Only the changes of callers, which can often do without the lock, have more around
them (`api.play.acting`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar
from uuid import UUID

import psycopg

from api.context import Context
from api.game.game import Game
from api.game.rows import load, load_all
from api.game.saving import save, save_all

log = logging.getLogger("card_referee.game")

T = TypeVar("T")


def change(context: Context, game_id: UUID, decide: Callable[[Game], T]) -> tuple[Game, T]:
    """Change a game in a transaction of its own; return it, and what `decide` returns. Raises NotFound."""
    with context.session.transaction():
        return change_within(context, game_id, decide)


def change_within(context: Context, game_id: UUID, decide: Callable[[Game], T]) -> tuple[Game, T]:
    """Change a game in the open transaction, which keeps it locked, see `change`."""
    game = load(context, game_id, lock=True)
    before = list(game.seats)
    result = decide(game)
    if game.entries or game.seats != before:
        save(context, game)
    return game, result


def change_all(context: Context, game_ids: Sequence[UUID], decide: Callable[[Game], object]) -> list[UUID]:
    """Change games that the open transaction has locked, if possible by one statement.

    Return those that could not be read or decided about; they are left as they were.
    """
    failed, changed = [], []
    for game in load_all(context, game_ids) if game_ids else ():
        if isinstance(game, UUID):
            failed.append(game)
            continue
        try:
            decide(game)
        except psycopg.Error:
            raise  # nothing can be written in this transaction any more
        except Exception:
            log.exception("game %s: what was due failed", game.id)
            failed.append(game.id)
        else:
            changed.append(game)
    changed = [game for game in changed if game.entries]
    if changed:
        save_all(context, changed)
    return failed
