"""What these operations answer."""

from __future__ import annotations

from typing import Annotated, TypedDict

from api.core.paging import PageOf
from api.http.answers import Keywords, Timestamp, Uuid


class RefusedRequest(TypedDict):
    """A request of the app, or of one of its players, that was refused."""

    id: Uuid
    at: Timestamp
    request_id: Annotated[str, "The `X-Request-Id` of the answer."]
    method: str
    path: str
    status: Annotated[int, Keywords(minimum=400)]
    problem: Annotated[str, "The `type` of the answer."]
    detail: Annotated[
        str | None,
        "The `detail` of the answer; null for refused moves, and for what players sent with their own "
        "tokens.",
    ]
    credential: Annotated[Uuid, "The id of the key or token."]
    player: Annotated[Uuid | None, "The player who sent it, or in whose place the app did."]


class RefusedRequestList(PageOf[RefusedRequest]):
    """A page of refused requests."""
