"""Giving a seat of a running game to somebody else, whoever has decided that."""

from __future__ import annotations

from uuid import UUID

import referee
from api.context import Context
from api.game.game import Game
from api.game.rows import read_hours, time_of
from api.game.saving import end_guests
from api.store.game import orders, seating


def hand_over(context: Context, game: Game, seat: int, who: referee.Who, **marks: bool) -> None:
    """Give a seat to another player or a bot; `marks` in the entries say who has decided that."""
    taken, now = game.seats[seat], time_of(context, game)
    end_guests(context, game, seat)
    game.append("left", now, {"seat": seat, **taken.who.to_json(), "replaced": True, **marks})
    if taken.player is not None:
        seating.note_former(context.session, game.id, UUID(taken.player.id), game.app_id)
    game.change(seat, guest=False, host=False, orders=False, orders_checked_at=None)
    orders.delete(context.session, game.id, seat)
    seating.seat_player(context.session, game.id, seat, who.player and UUID(who.player.id), who.bot)
    read_hours(context, game, who.player)
    dropped = {"dropped": True} if "dropped" in marks else {}
    game.append("joined", now, {"seat": seat, **who.to_json(), "entropy": "", "replaced": True, **dropped})
