"""Giving a seat of a running game to somebody else, whoever has decided that."""

from __future__ import annotations

from uuid import UUID

from api.context import Context
from api.game.game import Game
from api.game.rows import read_hours, time_of
from api.game.saving import end_guests
from api.game.seat import Who
from api.store.game import orders, seating


def hand_over(context: Context, game: Game, seat: int, who: Who, **marks: bool) -> None:
    """Give a seat to another player or a bot; `marks` in the entries say who has decided that."""
    taken, now = game.seats[seat], time_of(context, game)
    before = {"seat": seat, **taken.who.to_json()}
    end_guests(context, game, seat)
    game.write("left", now, {**before, "replaced": True, **marks, **game.end_turn(seat, now)})
    if taken.player is not None:
        game.change(seat, former={**taken.former, taken.player.id: game.version}, previous=taken.player)
        seating.note_former(context.session, game.id, UUID(taken.player.id), game.app_id)
    fresh = {"since": None, "deadline": None, "away_until": None}  # a new turn for the new player
    game.change(
        seat,
        **who._asdict(),
        **fresh,
        guest=False,
        host=False,
        orders=False,
        orders_checked_at=None,
        nudged_at=None,
    )
    game.change(seat, public_key=None)  # the new player has none
    orders.delete(context.session, game.id, seat)
    seating.seat_player(context.session, game.id, seat, who.player and UUID(who.player.id), who.bot)
    read_hours(context, game)
    clocks = game.turn_over(now)
    dropped = {"dropped": True} if "dropped" in marks else {}
    joined = {"seat": seat, **who.to_json(), "entropy": "", "replaced": True, **dropped, **clocks}
    game.write("joined", now, joined)
