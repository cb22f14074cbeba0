"""An app's own requests that were refused."""

from __future__ import annotations

from typing import Any

from api.context import Context
from api.features.requests import refusals
from api.http import auth
from api.http.fields import Text
from api.http.members import UUID, Count, DateTime, String
from api.http.operation import Operations
from api.http.patterns import Id
from api.http.queries import Pages
from api.http.shapes import Answer, page_of


class RefusalFilters(Pages):
    """Which refused requests to find."""

    problem = Text(1, 64, about="Only those with this problem type, such as `stale-version`.")
    player = Id(about="Only those of this player, or made in the player's place.")
    key = Id(about="Only those with this key or token.")


class RefusedRequest(Answer):
    """A request of the app, or of one of its players, that was refused."""

    id = UUID()
    at = DateTime()
    request_id = String(about="The `X-Request-Id` of the answer.")
    method = String()
    path = String()
    status = Count(400)
    problem = String(about="The `type` of the answer.")
    detail = String(
        null=True,
        about="The `detail` of the answer; null for refused moves, and for what players sent "
        "with their own tokens.",
    )
    credential = UUID(about="The id of the key or token.")
    player = UUID(null=True, about="The player who sent it, or in whose place the app did.")


RefusedRequestList = page_of(RefusedRequest, "RefusedRequestList", "A page of refused requests.")


blueprint = Operations(
    "requests", __name__, "Requests of an app that were refused lately, with their problems."
)


@blueprint.GET("/v1/requests", auth.APP_READERS, RefusedRequestList, query=RefusalFilters)
def list_refused_requests(context: Context, query: dict[str, Any]) -> Any:
    """List requests of the app and its players that were refused, newest first.

    They are kept for three days, without bodies, queries and tokens; of many in a minute, only the first 20
    in each process are noted.
    """
    return refusals.page(context, query.pop("page"), query)
