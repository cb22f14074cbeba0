"""Messages, resignations, and cancelling a game."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import referee
from api.context import Context
from api.core.callers import APP, Caller, Expected
from api.core.errors import Forbidden, GameOver
from api.game.game import OPEN, RUNNING, Game
from api.game.receipts import receipt
from api.game.show import show_entry
from api.game.visibility import Visibility, visibility_of
from api.play import moves
from api.play.acting import Act, Rules, act, holder, require_unpaused
from api.play.signing import Given, signature


def say(context: Context, game_id: UUID, seat: int | None, text: str, given: Given) -> Any:
    """Post a message from a seat or, if an app names no seat, from the game's maker.

    Raises GameOver after the end, because the log ends with the game, and so does every stream of it;
    IllegalMove if the rules of the game forbid this seat to say this.
    """

    def change(act: Act) -> None:
        require_not_over(act.game)
        if act.number is not None and act.game.status == RUNNING:
            talk = referee.talk(act.game.state)
            if talk.move:
                require_unpaused(act.game)
                moves.make(act, {"type": talk.move, "text": text}, given)
                return
            if refusal := talk.refuse(text):
                raise moves.illegal(act.game, referee.Verdict(refusal))
        moves.require_room(act, text)
        who = {"seat": None, "player": None} if act.number is None else act.game.who(act.seat)
        act.entry = act.game.append("said", act.now, {**who, "text": text})

    return act(
        context, game_id, seat, change, Rules(authorise=speaker, status=None, even_paused=True, show=_said)
    )


def resign(context: Context, game_id: UUID, seat: int | None, if_match: Expected, given: Given) -> Any:
    """Resign for a seat: its team loses, and the game is over."""

    def change(act: Act) -> None:
        signed = signature(act.game, act.seat, given, "resigned")
        act.entry = act.game.give_up(act.now, "resigned", act.seat, signed=signed)

    return act(context, game_id, seat, change, Rules(if_match, even_paused=True))


def cancel(context: Context, game_id: UUID) -> Any:
    """Cancel a game, which its maker may do until it is over. Nobody wins."""

    def change(act: Act) -> None:
        require_not_over(act.game)
        act.entry = act.game.call_off(act.now)

    return act(context, game_id, None, change, Rules(authorise=maker, status=None, even_paused=True))


def require_not_over(game: Game) -> None:
    """Raise GameOver after the end."""
    if game.status not in (OPEN, RUNNING):
        raise GameOver("The game is over.")


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


def _said(act: Act) -> dict[str, Any]:
    assert act.entry is not None
    shown = {"entry": show_entry(act.entry, act.seen_as), "version": act.game.version}
    return {**shown, "receipt": receipt(act.context, act.game)}
