"""Receipts: signed statements of what a caller was shown, so that a changed log can be proved later."""

from __future__ import annotations

from datetime import timedelta

import referee
import referee.proofs
from api.context import Context
from api.games.game import Game

DELAY = timedelta(hours=24)  # within which a game is promised to be in the log of all games


def receipt(context: Context, game: Game, *extensions: str) -> str | None:
    """Return the receipt for the current state of a game: its version, and the hash of its last entry.

    Return None if nobody signs here.
    """
    if context.signer is None:
        return None
    name, of = str(game.id), (game.version, game.head)
    return context.signer.checkpoint(context.session, context.now(), name, *of, *extensions)


def with_promise(context: Context, game: Game) -> str | None:
    """Return the receipt of a new game, which promises that it will be in the log of all games.

    With this receipt, its owner can prove that the server has left the game out.
    """
    by = (context.now() if game.test_clock else game.created_at) + DELAY
    if by <= context.now():
        return receipt(context, game)
    line = referee.proofs.promise_line(referee.commitment(game.seed), by)
    return receipt(context, game, line)
