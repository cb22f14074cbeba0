"""Invitations: seats that a player may take without a code."""

from __future__ import annotations

from uuid import UUID

from api.context import Context
from api.core.errors import NotFound
from api.features.lobby import answers, store
from api.games.game import OPEN, Game
from api.games.loading import listed
from api.games.saving import change
from api.games.views import SPECTATOR, invited_seats, show_summary

NONE = "There is no such invitation."


def mine(context: Context) -> answers.OwnInvitations:
    """List the seats to which the calling player is invited, newest first; with a game's token, in it."""
    items: list[answers.OwnInvitation] = []
    only = context.caller.only_game
    for row in store.open_rematches(context.session, context.player_id):
        game = listed(context, row)
        if only not in (None, game.id):
            continue
        shown = show_summary(game, SPECTATOR, [])
        items += [{"seat": seat, "game": shown} for seat in invited_seats(context.caller, game)]
    return {"items": items, "next": None}


def decline(context: Context, game_id: UUID) -> None:
    """Decline an invitation: the seats stay open, for whoever has their codes. Raises NotFound."""

    def vacate(game: Game) -> None:
        invited = invited_seats(context.caller, game)
        if game.status != OPEN or not invited:
            raise NotFound(NONE)
        for seat in invited:
            game.change(seat, invited=None)

    try:
        change(context, game_id, vacate)
    except NotFound:  # the same for a game that is not there: nobody learns of one
        raise NotFound(NONE) from None
