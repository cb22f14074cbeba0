"""Talk after the end of a game. It is not in the log, which ends with the game, and proves nothing."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.context import Context
from api.core.errors import Conflict, NotFound
from api.features.chat import store
from api.games.game import OPEN, RUNNING
from api.games.loading import game_of, time_of
from api.games.messages import speaker
from api.games.views import SPECTATOR, visibility_of
from api.http import idempotency
from api.store import games
from referee.clocks import timestamp

NOT_OVER = "The game is not over: what is said in it is posted to its messages."
FULL = f"{store.MOST} messages have been posted since the end, and there can be no more."


def show(context: Context, game_id: UUID) -> dict[str, Any]:
    """List what was said since the end, the first message first. Raises NotFound, Forbidden.

    Whoever watches a private game by a link is shown nothing: its players give each other the codes of the
    next one there.
    """
    row = games.get(context.session, game_id)
    if row is None:
        raise NotFound("There is no such game.")
    game = game_of(row)
    seen_as = visibility_of(context.caller, game)
    said = [] if seen_as == SPECTATOR and game.visibility == "private" else store.of(context.session, game_id)
    return {"items": [{"number": number, **message} for number, message in enumerate(said, 1)], "next": None}


def say(context: Context, game_id: UUID, seat: int | None, text: str) -> Any:
    """Post a message after the end from a seat or, if an app names no seat, from the game's maker.

    Raises NotFound, Forbidden, BadRequest, and Conflict while the game is not over or if nothing more fits.
    """
    with idempotency.transaction(context, even_ended=True):
        row = games.get(context.session, game_id)
        if row is None:
            raise NotFound("There is no such game.")
        game = game_of(row)
        _, number = speaker(context.caller, game, seat)
        if game.status in (OPEN, RUNNING):
            raise Conflict(NOT_OVER)
        who = {"seat": None, "player": None} if number is None else game.who(number)
        message = {**who, "by": context.caller.person, "text": text, "at": timestamp(time_of(context, game))}
        place = store.add(context.session, game_id, message)
        if place is None:
            raise Conflict(FULL)
        return idempotency.keep(context, {"number": place, **message})
