"""A player gives up the own key of a seat, signed with it: who has signed in acts on other devices, too."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.context import Context
from api.core.errors import Conflict, GameOver
from api.game.game import OPEN, RUNNING
from api.play.acting import Act, Rules, act
from api.play.signing import Given, signature


def retire(context: Context, game_id: UUID, seat: int | None, given: Given) -> Any:
    """Retire the key of a seat; from then on nothing is signed there. Raises Conflict if it has none."""

    def change(act: Act) -> None:
        game = act.game
        if game.status not in (OPEN, RUNNING):
            raise GameOver("The game is over.")
        if game.seats[act.seat].public_key is None:
            raise Conflict(f"Seat {act.seat} has no public key.")
        signed = signature(game, act.seat, given, "key_retired")
        at = max(act.now, game.updated_at)
        act.entry = game.append("key_retired", at, game.who(act.seat), signed=signed)

    return act(context, game_id, seat, change, Rules(status=None, even_paused=True))
