"""Around every request: an id, limits, headers, compression, a log line, metrics.

This is WSGI that works on plain lists of headers, because this costs a move a third of the time of
Flask's own hooks.
"""

from __future__ import annotations

import gzip
import re
import time
from collections.abc import Callable, Iterable
from functools import lru_cache
from secrets import token_hex
from typing import Any

import structlog
from flask import Flask, Response, has_request_context, request
from structlog.typing import EventDict
from werkzeug.middleware.proxy_fix import ProxyFix

from api.core import metrics, tracing
from api.core.config import Settings
from api.feature import RateLimits
from api.http import cors

# What is compressed. Flask-Compress would change the ETags of games, and needs three more packages.
GZIP_LEVEL = 6
LEAST, LEAST_OF_API = 1_000, 16_000  # bytes
MOST = 4 * 1024 * 1024  # longer responses are streams anyway
COMPRESSED = frozenset(
    [
        "text/html",
        "text/css",
        "text/javascript",
        "application/javascript",
        "application/json",
        "application/yaml",
        "image/svg+xml",
    ]
)
# Parts of the WSGI environment, and of answers.
REQUEST_ID = "card_referee.request_id"  # its key in the WSGI environment
Environ = dict[str, Any]
Start = Callable[..., Any]
log = structlog.get_logger()
CONTEXT = "card_referee.context"
request_id_form = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}").fullmatch
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
CHECKS = frozenset(("/healthz", "/readyz", "/metrics"))
HEADERS = [
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("Cache-Control", "no-store"),  # answers that may be cached set their own header
]
# A table is some forty files, so each carries only the headers that it needs; its routes set the others.
FILES = "/web/"
OF_FILES = frozenset(("Access-Control-Allow-Origin", "Vary"))


def compress(response: Response) -> Response:
    """Compress a response if its client accepts that and it is worth it."""
    if response.status_code != 200 or response.content_encoding is not None or request.method != "GET":
        return response
    is_api = request.path.startswith("/v1/") and not request.path.startswith("/v1/rulesets/")
    if not _fits(response, LEAST_OF_API if is_api else LEAST) or not request.accept_encodings["gzip"]:
        return response
    etag, _ = response.get_etag()
    response.direct_passthrough = False  # of a file, which can be read now
    response.set_data((_pack if is_api or not etag else _pack_file)(response.get_data()))
    response.content_encoding = "gzip"
    response.vary.add("Accept-Encoding")
    if etag and not is_api:
        response.set_etag(etag, weak=True)  # the same content in other bytes
    return response


def _fits(response: Response, least: int) -> bool:
    return least <= (response.content_length or 0) <= MOST and response.mimetype in COMPRESSED


def _pack(data: bytes) -> bytes:
    return gzip.compress(data, GZIP_LEVEL, mtime=0)


_pack_file = lru_cache(maxsize=128)(_pack)


def add_request_id(logger: Any, method: str, event: EventDict) -> EventDict:
    """Return a log line with the id of the request that is being answered, if one is."""
    if "request_id" not in event and has_request_context() and REQUEST_ID in request.environ:
        event["request_id"] = request.environ[REQUEST_ID]
    return event


def install(app: Flask, settings: Settings, limits: RateLimits | None) -> None:
    """Add this middleware to an application."""
    app.wsgi_app = RequestMiddleware(app.wsgi_app, settings, limits)  # type: ignore[method-assign]  # as Flask documents it
    if settings.trusted_proxies:
        n = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=n, x_proto=n)  # type: ignore[method-assign]  # as Flask documents it
    app.after_request(compress)


class RequestMiddleware:
    """The application with its middleware."""

    def __init__(
        self,
        inner: Callable[[Environ, Start], Iterable[bytes]],
        settings: Settings,
        limits: RateLimits | None,
    ) -> None:
        self.inner = inner
        self.origins = (*settings.cors_origins, *settings.embed_origins)
        self.limits = limits

    def __call__(self, environ: Environ, start_response: Start) -> Iterable[bytes]:
        """Answer a request."""
        if not tracing.traces():
            return self._answer(environ, start_response, None)
        method = _method(environ)
        above = environ.get("HTTP_TRACEPARENT")
        with tracing.under(above, method, "SERVER", http__request__method=method) as span:
            return self._answer(environ, start_response, span)

    def _answer(self, environ: Environ, start_response: Start, span: Any) -> Iterable[bytes]:
        begun = time.perf_counter()
        named = environ.get("HTTP_X_REQUEST_ID")
        request_id = named if named and request_id_form(named) else token_hex(16)
        environ[REQUEST_ID] = request_id
        ours = [("X-Request-Id", request_id)]
        if self.limits is not None:
            self.limits.count_address(environ, checks=environ["PATH_INFO"] in CHECKS)
        if self.origins:
            ours += cors.headers(environ, self.origins)

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            if environ["PATH_INFO"].startswith(FILES) and status[:3] in ("200", "304"):
                headers += [header for header in ours if header[0] in OF_FILES]
            else:
                present = {name for name, _ in headers}
                headers += ours
                headers += self.limits.headers(environ) if self.limits is not None else ()
                headers += [header for header in HEADERS if header[0] not in present]
            _note(environ, int(status[:3]), time.perf_counter() - begun, span)
            return start_response(status, headers, *more)

        if self.origins and cors.is_preflight(environ, self.origins):
            start("204 NO CONTENT", [*cors.PREFLIGHT])
            return []
        return self.inner(environ, start)


def has_body(environ: Environ) -> bool:
    """Return whether a request announces a body."""
    return environ.get("CONTENT_LENGTH", "0") not in ("", "0") or "HTTP_TRANSFER_ENCODING" in environ


def _method(environ: Environ) -> str:
    method = environ["REQUEST_METHOD"]
    return method if method in METHODS else "other"


def _note(environ: Environ, status: int, took: float, span: Any) -> None:
    fields = {"method": _method(environ), "route": "none"}
    request = environ.get("werkzeug.request")
    rule = getattr(request, "url_rule", None)
    if request is not None and rule is not None:
        fields["route"] = rule.rule
        # Text in a path can be anything that a caller typed; ids and numbers are safe to log.
        fields |= {key: str(value) for key, value in request.view_args.items() if type(value) is not str}
    context = environ.get(CONTEXT)
    if context is not None and context.caller.app_id is not None:
        fields["app"] = str(context.caller.app_id)
        if context.caller.player_id is not None:
            fields["by_player"] = str(context.caller.player_id)
    if span is not None:
        tracing.answered(span, fields["method"], fields["route"], status)
    metrics.requests_with(fields["method"], fields["route"], status).inc()
    metrics.seconds_with(fields["route"]).observe(took)
    log.info("request", request_id=environ[REQUEST_ID], status=status, ms=round(took * 1000, 2), **fields)
