"""Cross-origin requests: which other sites' pages may call the API.

Tokens travel in a header that a page has to set by itself, never in cookies, so an origin that is let in
gets no more than what its page's own token allows.
"""

from __future__ import annotations

from collections.abc import Collection

from flask import Response, request

METHODS = "GET, POST, PUT, PATCH, DELETE"
ACCEPTED = (
    "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, X-Request-Id"
)
EXPOSED = (
    "ETag, Location, Retry-After, Idempotency-Replayed, WWW-Authenticate, X-Request-Id, RateLimit,"
    " RateLimit-Policy"
)
DAY = "86400"


def preflight(origins: Collection[str]) -> Response | None:
    """Answer a browser that asks whether a page of its origin may call; None where this is not one."""
    if request.method != "OPTIONS" or "Access-Control-Request-Method" not in request.headers:
        return None
    if not _allowed(origins):
        return None
    response = Response(status=204)
    response.headers["Access-Control-Allow-Methods"] = METHODS
    response.headers["Access-Control-Allow-Headers"] = ACCEPTED
    response.headers["Access-Control-Max-Age"] = DAY
    return response


def allow(origins: Collection[str], response: Response) -> None:
    """Let the page read the answer, where its origin is one of ours."""
    if "*" in origins:
        response.headers["Access-Control-Allow-Origin"] = "*"
    else:
        response.vary.add("Origin")
        if _allowed(origins):
            response.headers["Access-Control-Allow-Origin"] = request.headers["Origin"]
        else:
            return
    response.headers["Access-Control-Expose-Headers"] = EXPOSED


def _allowed(origins: Collection[str]) -> bool:
    origin = request.headers.get("Origin")
    return origin is not None and ("*" in origins or origin in origins)
