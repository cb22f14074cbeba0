"""An app's own requests that were refused."""

from __future__ import annotations

from typing import Any

from api.context import Context
from api.features.requests import refusals
from api.features.requests.answers import RefusedRequestList
from api.http import auth
from api.http.fields import Text
from api.http.operation import Operations
from api.http.patterns import Id
from api.http.queries import Pages


class RefusalFilters(Pages):
    """Which refused requests to find."""

    problem = Text(1, 64, about="Only those with this problem type, such as `stale-version`.")
    player = Id(about="Only those of this player, or made in the player's place.")
    key = Id(about="Only those with this key or token.")


blueprint = Operations(
    "requests", __name__, "Requests of an app that were refused lately, with their problems."
)


@blueprint.GET("/v1/requests", auth.APP_READERS, query=RefusalFilters)
def list_refused_requests(context: Context, query: dict[str, Any]) -> RefusedRequestList:
    """List requests of the app and its players that were refused, newest first.

    They are kept for three days, without bodies, queries and tokens; of many in a minute, only the first 20
    in each process are noted.
    """
    return refusals.page(context, query.pop("page"), query)
