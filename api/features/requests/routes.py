"""An app's own requests that were refused."""

from __future__ import annotations

from typing import Any

from api.context import Context
from api.features.requests import refusals
from api.features.requests.shapes import RefusalFilters, RefusedRequestList
from api.http import auth
from api.http.operation import Operations

blueprint = Operations("requests", __name__)


@blueprint.GET("/v1/requests", auth.APP_READERS, RefusedRequestList, query=RefusalFilters)
def list_refused_requests(context: Context, query: dict[str, Any]) -> Any:
    """List requests of the app and its players that were refused, newest first.

    They are kept for three days, without bodies, queries and tokens; of many in a minute, only the first 20
    in each process are noted.
    """
    return refusals.page(context, query.pop("page"), query)
