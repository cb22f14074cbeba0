"""Ratings of players, and who is best."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.context import Context
from api.features.ratings import ratings
from api.features.ratings.answers import RatingList
from api.http import auth
from api.http.operation import Operations
from api.http.queries import Pages

blueprint = Operations("ratings", __name__, "Ratings of players from the public games that they finish.")


@blueprint.GET("/v1/players/<uuid:player>/ratings", auth.READERS)
def get_ratings(context: Context, player: UUID) -> RatingList:
    """Show a player's ratings, one for each game.

    An app can read those of its own players, a player only their own. Public games between people count, a
    few seconds after their end: each seat is held by another player, and no time is a test clock's.
    """
    return ratings.of_player(context, player)


@blueprint.GET(
    "/v1/rulesets/<string(maxlength=64):ruleset>/ladder",
    auth.READERS_OR_ANYBODY,
    query=Pages,
)
def list_ladder(context: Context, ruleset: str, query: dict[str, Any]) -> RatingList:
    """List the players of the app by their rating in a game, the best first.

    Without a token, and for a guest of one seat, list guests and accounts of this server.
    """
    return ratings.ladder(context, ruleset, query["page"])
