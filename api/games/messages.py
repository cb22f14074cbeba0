"""Messages, resignations, and cancelling a game."""

from __future__ import annotations

from uuid import UUID

from api.context import Context
from api.core.callers import APP, Caller, Expected
from api.core.errors import Forbidden
from api.core.json import Json
from api.games.acting import Act, Rules, act, holder
from api.games.commanding import Given, obey, obeyed
from api.games.game import Game
from api.games.receipts import receipt
from api.games.views import Visibility, show_entry, visibility_of
from referee.table import commands


def say(context: Context, game_id: UUID, seat: int | None, text: str, given: Given) -> object:
    """Post a message from a seat or, if an app names no seat, from the game's maker.

    Raises GameOver after the end, because the log ends with the game, and so does every stream of it;
    IllegalMove if the rules of the game forbid this seat to say this.
    """

    rules = Rules(authorise=speaker, show=_said)
    return act(
        context, game_id, seat, lambda act: obeyed(act, commands.play.Say(act.number, text), given), rules
    )


def resign(context: Context, game_id: UUID, seat: int | None, if_match: Expected, given: Given) -> object:
    """Resign for a seat: its team loses, and the game is over."""
    return obey(context, game_id, seat, commands.play.Resign, given, Rules(if_match))


def cancel(context: Context, game_id: UUID) -> object:
    """Cancel a game, which its maker may do until it is over. Nobody wins."""
    return act(
        context, game_id, None, lambda act: obeyed(act, commands.play.Cancel()), Rules(authorise=maker)
    )


def speaker(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, int | None]:
    """Authorise a seat's player, and the game's app, which may also speak for no seat.

    Raises NotFound, Forbidden, BadRequest.
    """
    visibility = visibility_of(caller, game)
    return (visibility, None) if seat is None and visibility.maker else holder(caller, game, seat)


def maker(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, None]:
    """Authorise the game's app. Raises NotFound, Forbidden."""
    visibility = visibility_of(caller, game)
    if not (visibility.maker and caller.kind == APP):
        raise Forbidden("Only the app of this game may do this.")
    return visibility, None


def _said(act: Act) -> Json:
    assert act.entry is not None
    shown = {"entry": show_entry(act.entry, act.seen_as), "version": act.game.version}
    return {**shown, "receipt": receipt(act.context, act.game)}
