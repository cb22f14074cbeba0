"""Messages: entries of the log and, after the end of a game, beside it."""

from __future__ import annotations

from uuid import UUID

from api.context import Context
from api.core.callers import Caller
from api.core.errors import Conflict, GameOver
from api.core.json import Json
from api.games.acting import Act, Terms, act, holder
from api.games.answers_of_logs import Message, Said
from api.games.commanding import Given, obey_within
from api.games.game import Game
from api.games.loading import load, time_of
from api.games.receipts import receipt
from api.games.views import SPECTATOR, Visibility, show_entry, visibility_of
from api.http import idempotency
from api.http.answers import shown
from api.store import talk
from referee.clocks import timestamp
from referee.table import commands


def say(context: Context, game_id: UUID, seat: int | None, text: str, given: Given) -> Said:
    """Post a message from a seat or, if an app names no seat, from the game's maker.

    It is an entry of the log, and for a day after the end a message beside it. Raises GameOver later;
    IllegalMove if the rules of the game forbid this seat to say this.
    """

    def change(act: Act) -> None:
        obey_within(act, commands.play.Say(act.number, text), given)

    try:
        return act(context, game_id, seat, change, Terms(_said, authorise=speaker))
    except GameOver:
        return _say_after(context, game_id, seat, text)


def _say_after(context: Context, game_id: UUID, seat: int | None, text: str) -> Said:
    """Post a message after the end. Raises NotFound, Forbidden, BadRequest, GameOver, Conflict."""
    with idempotency.transaction(context):
        game = load(context, game_id)
        _, number = speaker(context.caller, game, seat)
        now = time_of(context, game)
        if not game.over or now - game.updated_at > talk.OPEN_FOR:
            raise GameOver("Players can talk for a day after the end of the game.")
        who: Json = {"seat": None, "player": None} if number is None else {**game.who(number)}
        message = {**who, "by": context.caller.person, "text": text, "at": timestamp(now)}
        place = talk.add(context.session, game_id, message)
        if place is None:
            raise Conflict(f"The seat has posted {talk.MOST} messages since the end, and can post no more.")
        said: Said = {
            "entry": None,
            "version": game.version,
            "receipt": None,
            "message": shown(Message, None, number=place, **message),
        }
        return idempotency.keep(context, said)


def said_after(context: Context, game_id: UUID) -> list[Message]:
    """List what was said after the end, the first message first. Raises NotFound, Forbidden.

    Whoever watches a private game by a link is shown nothing: its players give each other the codes of the
    next one there.
    """
    game = load(context, game_id)
    seen_as = visibility_of(context.caller, game)
    by_link = seen_as == SPECTATOR and game.visibility == "private"
    said = [] if by_link else talk.of(context.session, game_id)
    return [shown(Message, None, number=number, **message) for number, message in enumerate(said, 1)]


def speaker(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, int | None]:
    """Authorise a seat's player, and the game's app, which may also speak for no seat.

    Raises NotFound, Forbidden, BadRequest.
    """
    visibility = visibility_of(caller, game)
    return (visibility, None) if seat is None and visibility.maker else holder(caller, game, seat)


def _said(act: Act) -> Said:
    assert act.entry is not None
    return {
        "entry": show_entry(act.entry, act.seen_as),
        "version": act.game.version,
        "receipt": receipt(act.context, act.game),
    }
