"""What surrounds every request: an id, limits, headers, a line in the log, numbers for the metrics."""

from __future__ import annotations

import re
import time
from hashlib import sha256
from typing import Any
from uuid import uuid4

import structlog
from flask import Flask, Response, request
from werkzeug.exceptions import TooManyRequests
from werkzeug.middleware.proxy_fix import ProxyFix

from api.config import Settings, rate
from api.ops import cors, metrics
from api.ops.limits import Limit, Standing
from api.ops.logs import REQUEST_ID

log = structlog.get_logger()

BEGUN, STANDINGS, CONTEXT = (f"card_referee.{name}" for name in ("begun", "standings", "context"))
request_id_form = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}").fullmatch
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
UNLIMITED = ("/healthz", "/readyz", "/metrics")
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",  # whatever may be kept says so itself
}


def install(app: Flask, settings: Settings) -> None:
    """Put everything around the requests of an application."""
    limits = _limits(settings)
    policy = ", ".join(limit.policy for limit, _ in limits)
    if settings.trusted_proxies:
        n = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=n, x_proto=n, x_host=n)  # type: ignore[method-assign]

    def before() -> Response | None:
        environ = request.environ
        environ[BEGUN] = time.perf_counter()
        given = environ.get("HTTP_X_REQUEST_ID")
        environ[REQUEST_ID] = given if given and request_id_form(given) else uuid4().hex
        if settings.cors_origins:
            answer = cors.preflight(settings.cors_origins)
            if answer is not None:
                return answer
        if limits and request.path not in UNLIMITED:
            environ[STANDINGS] = standings = [limit.take(caller()) for limit, caller in limits]
            wait = max(standing.wait for standing in standings)
            if wait:
                raise TooManyRequests(retry_after=wait)
        return None

    def after(response: Response) -> Response:
        headers = response.headers
        for name, value in HEADERS.items():
            if name not in headers:
                headers[name] = value
        headers["X-Request-Id"] = request.environ[REQUEST_ID]
        standings = request.environ.get(STANDINGS)
        if standings:
            headers["RateLimit-Policy"] = policy
            headers["RateLimit"] = ", ".join(map(_standing, limits, standings))
        if settings.cors_origins:
            cors.allow(settings.cors_origins, response)
        _note(response.status_code)
        return response

    app.before_request(before)
    app.after_request(after)


def _limits(settings: Settings) -> list[tuple[Limit, Any]]:
    chosen = [("token", settings.rate_limit, _token), ("address", settings.address_rate_limit, _address)]
    return [(Limit(name, *rate(text)), caller) for name, text, caller in chosen if text]


def _token() -> str:
    """Name the caller by the token; without one by the address, who has such a limit too."""
    token = request.environ.get("HTTP_AUTHORIZATION")
    return sha256(token.encode("latin-1", "replace")).hexdigest() if token else _address()


def _address() -> str:
    return request.remote_addr or ""


def _standing(limit: tuple[Limit, Any], standing: Standing) -> str:
    return f'"{limit[0].name}";r={standing.left};t={standing.reset}'


def _note(status: int) -> None:
    environ = request.environ
    took = time.perf_counter() - environ[BEGUN]
    route = request.url_rule.rule if request.url_rule else "none"
    method = request.method if request.method in METHODS else "other"
    metrics.requests.labels(method, route, status).inc()
    metrics.seconds.labels(route).observe(took)
    # Text in a path is whatever somebody typed there; ids and numbers are safe to keep.
    fields = {key: str(value) for key, value in (request.view_args or {}).items() if type(value) is not str}
    context = environ.get(CONTEXT)
    if context is not None and context.caller.app_id is not None:
        fields["app"] = str(context.caller.app_id)
        if context.caller.player_id is not None:
            fields["by_player"] = str(context.caller.player_id)
    log.info(
        "request",
        method=method,
        route=route,
        status=status,
        ms=round(took * 1000, 2),
        **fields,
    )
