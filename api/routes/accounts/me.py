"""The caller, and the games that wait for the caller."""

from __future__ import annotations

from functools import partial
from typing import Any

from api.accounts import players
from api.context import Context
from api.http import auth
from api.http.operation import JSON, Operations
from api.routes.streams import sending
from api.routes.streams.sending import STREAM
from api.schemas.people import Me, TurnList
from api.schemas.requests.queries import TurnPages
from api.streams import inbox

blueprint = Operations("me", __name__)


@blueprint.GET("/v1/me", auth.HOLDERS, Me)
def get_me(context: Context) -> Any:
    """Return the owner of the token."""
    return players.me(context)


@blueprint.GET("/v1/me/turns", auth.PLAYERS, TurnList, query=TurnPages, produces=(JSON, STREAM))
def list_my_turns(context: Context, query: dict[str, Any]) -> Any:
    """List the games in which it is my turn, the earliest deadline first.

    With `wait`, an empty first page waits until there is such a game. As `text/event-stream` it is live: the
    event `turns` has the first page, and is sent again after each change.
    """
    page = query["page"]
    read = partial(players.turns, chosen=page)
    following = (context, sending.live(), sending.look_up(context, auth.PLAYERS), read)
    if sending.form(JSON, STREAM) == STREAM:
        with sending.held(context) as held:
            return sending.stream(inbox.follow(*following), held)
    if "wait" in query and page.cursor is None:
        with sending.held(context):
            return inbox.wait(*following, sending.timeout(context, query["wait"])), 200, sending.CLOSE
    return players.turns(context, page)
