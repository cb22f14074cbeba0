"""All errors as `application/problem+json` (RFC 9457)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import psycopg
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException
from werkzeug.routing import WebsocketMismatch

from api.core.errors import (
    DISK_FULL,
    OUTCOME_UNKNOWN,
    BadRequest,
    ProblemType,
    ServiceError,
    Unavailable,
)
from api.core.json import dumps
from api.http.problem_types import BY_STATUS
from api.store.database.encryption import WrongKeys
from referee import Malformed

CONTENT_TYPE = "application/problem+json"

log = logging.getLogger(__name__)


def document(kind: ProblemType, detail: str, **members: Any) -> bytes:
    """Write a problem as JSON."""
    return dumps(
        {
            "type": f"/problems/{kind.slug}",
            "title": kind.title,
            "status": kind.status,
            "detail": detail,
            **members,
        }
    )


def _answer(
    kind: ProblemType, detail: str, headers: Mapping[str, str] | None = None, **members: Any
) -> Response:
    """Return the response for a problem type."""
    if kind.status == 409:
        members.setdefault("conflicts_with", _subject())
    body = document(kind, detail, instance=_instance(), **members)
    headers = {**kind.headers, **(headers or {})}
    return Response(body, kind.status, headers, content_type=CONTENT_TYPE)


def _instance() -> str:
    """Return the path of the request, without the secret that it may contain."""
    secret = (request.view_args or {}).get("token")
    return request.path.replace(secret, "…") if isinstance(secret, str) else request.path


def _subject() -> str | None:
    """Return the id of the object that the path names first."""
    return next((str(value) for value in (request.view_args or {}).values() if isinstance(value, UUID)), None)


def empty(status: int, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response without a body, and therefore without a content type."""
    response = Response(status=status, headers=headers)
    del response.headers["Content-Type"]
    return response


def refusal(error: ServiceError) -> Response:
    """Return the response for an error of a service."""
    return _answer(error.problem, error.detail, **error.members)


def _malformed(error: Malformed) -> Response:
    return _answer(BadRequest.problem, str(error), errors={error.place or "body": [error.detail]})


def of(error: Exception) -> tuple[int, str, str]:
    """Return the status, the problem type and the detail of a refusal."""
    if isinstance(error, ServiceError):
        kind, detail = error.problem, error.detail
    elif isinstance(error, Malformed):
        kind, detail = BadRequest.problem, str(error)
    else:
        status = error.code if isinstance(error, HTTPException) and error.code else 500
        kind = BY_STATUS.get(status, BadRequest.problem)
        detail = kind.title
    return kind.status, kind.slug, detail


def _http_error(error: HTTPException) -> Response:
    status = error.code or 500
    if 300 <= status < 400:
        return empty(status, dict(error.get_headers()))
    kind = BY_STATUS.get(status) or BY_STATUS[400 if status < 500 else 500]
    headers = {name: value for name, value in error.get_headers() if name in ("Allow", "Retry-After")}
    members = {"errors": {"request": [kind.title]}} if kind == BadRequest.problem else {}
    return _answer(kind, kind.about.replace("`", ""), headers, **members)


def _no_websockets(error: WebsocketMismatch) -> Response:
    detail = "This server speaks no WebSocket; games are followed by server-sent events."
    message = ["There are no WebSockets here; GET a game's events with Accept: text/event-stream instead."]
    return _answer(BadRequest.problem, detail, errors={"Upgrade": message})


def _unavailable(error: Exception) -> Response:
    log.warning("database unavailable: %s", type(error).__name__)
    return refusal(Unavailable(f"The database does not answer. {_outcome()}"))


def _wrong_keys(error: WrongKeys) -> Response:
    log.error("%s", error)
    return refusal(Unavailable(f"{error} {_outcome()}"))


def _disk_full(error: psycopg.errors.DiskFull) -> Response:
    log.error("the disk of the database is full")
    return refusal(Unavailable(f"{DISK_FULL} {_outcome()}"))


def _outcome() -> str:
    """Return whether a failed request may have changed something. A GET that stores a snapshot has not."""
    context = request.environ.get("card_referee.context")
    if context is None or request.method == "GET" or not context.session.committing:
        return "Nothing was changed."
    return OUTCOME_UNKNOWN


def _unexpected(error: Exception) -> Response:
    log.error("unexpected %s", type(error).__name__, exc_info=error)
    return _answer(BY_STATUS[500], f"This should not have happened. {_outcome()}")


def register(app: Flask) -> None:
    """Make the app answer every exception with a problem."""
    app.register_error_handler(ServiceError, refusal)
    app.register_error_handler(Malformed, _malformed)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(WebsocketMismatch, _no_websockets)
    for failure in (psycopg.OperationalError, psycopg.InterfaceError):
        app.register_error_handler(failure, _unavailable)
    app.register_error_handler(psycopg.errors.DiskFull, _disk_full)
    app.register_error_handler(WrongKeys, _wrong_keys)
    app.register_error_handler(Exception, _unexpected)
