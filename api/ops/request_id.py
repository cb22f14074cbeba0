"""The id of a request: in the answer, in every log line, and in forwarded requests."""

from __future__ import annotations

from typing import Any

from flask import has_request_context, request
from structlog.typing import EventDict

REQUEST_ID = "card_referee.request_id"  # its key in the WSGI environment


def add_request_id(logger: Any, method: str, event: EventDict) -> EventDict:
    """Return a log line with the id of the request that is being answered, if one is."""
    if "request_id" not in event and has_request_context() and REQUEST_ID in request.environ:
        event["request_id"] = request.environ[REQUEST_ID]
    return event
