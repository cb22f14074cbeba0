"""Find games."""

from __future__ import annotations

from typing import Any

from api.context import Context
from api.core.paging import PageOf
from api.features.search.filters import GameFilters
from api.features.search.search import search
from api.games.answers import GameSummary
from api.http import auth
from api.http.operation import Operations


class GameList(PageOf[GameSummary]):
    """A page of games, newest first."""


blueprint = Operations("search", __name__, tag="games")


@blueprint.GET("/v1/games", auth.READERS_OR_ANYBODY, query=GameFilters)
def list_games(context: Context, query: dict[str, Any]) -> GameList:
    """Find games.

    Lists the caller's own games; with visibility `public`, or without a token, everyone's public games. The
    newest come first, unless `sort` says otherwise. A cursor is valid only for the same filters and the same
    sort.
    """
    page = query.pop("page")
    return search(context, query, page)
