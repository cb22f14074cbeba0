"""Statistics of players."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.context import Context
from api.features.statistics import statistics
from api.features.statistics.answers import Statistics
from api.http import auth
from api.http.fields import Input
from api.http.operation import Operations
from api.http.patterns import Id


class Against(Input):
    """The player to compare with."""

    against = Id(about="Only games that this other player of the app has finished as well.")


blueprint = Operations("statistics", __name__, tag="players")


@blueprint.GET("/v1/players/<uuid:player>/statistics", auth.READERS, query=Against)
def get_statistics(context: Context, player: UUID, query: dict[str, Any]) -> Statistics:
    """Count a player's games, in total and for each ruleset.

    An app can read its own players, a player only themselves. Only games that were dealt here and finished,
    without a test clock, count; with `against`, only those that both players have finished.
    """
    return statistics.of_player(context, player, query.get("against"))
