"""Giving a seat of a running game to somebody else, whoever has decided that."""

from __future__ import annotations

from functools import partial
from uuid import UUID

import referee
from api.context import Context
from api.game.game import Game
from api.game.rows import read_hours, time_of
from api.game.saving import end_guests, handed_over
from api.store.game import seating


def hand_over(context: Context, game: Game, seat: int, who: referee.Who, **marks: bool) -> None:
    """Give a seat to another player or a bot; `marks` in the entries say who has decided that."""
    taken, now = game.seats[seat], time_of(context, game)
    session = context.session
    game.append("left", now, {"seat": seat, **taken.who.to_json(), "replaced": True, **marks})
    game.change(seat, guest=False, host=False, orders=False, orders_checked_at=None)
    player = who.player and UUID(who.player.id)
    game.later += [
        partial(end_guests, context, taken),
        partial(handed_over, context, game.id, seat),
        partial(seating.seat_player, session, game.id, seat, player, who.bot),
    ]
    if taken.player is not None:
        former = UUID(taken.player.id)
        game.later.append(partial(seating.note_former, session, game.id, former, game.app_id))
    read_hours(context, game, who.player)
    dropped = {"dropped": True} if "dropped" in marks else {}
    game.append("joined", now, {"seat": seat, **who.to_json(), "entropy": "", "replaced": True, **dropped})
