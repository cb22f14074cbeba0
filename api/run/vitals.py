"""The job worker's own address for operators: `/healthz` and `/metrics`, if WORKER_HEALTH_PORT is set."""

from __future__ import annotations

import hmac
import socket
import threading
from collections.abc import Callable, Iterable
from socketserver import TCPServer, ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from api.core import metrics
from api.core.config import Settings, StartError

Start = Callable[..., Any]


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def server_bind(self) -> None:
        """Bind without asking for the name of the machine, for which a resolver may take long."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]
        self.setup_environ()


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Handler(WSGIRequestHandler):
    timeout = 10  # seconds for a request

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


def start(settings: Settings, why_ill: Callable[[], str]) -> None:
    """Begin to answer; `why_ill` returns why the worker does not work, or "". Raises StartError."""
    if not settings.worker_health_port:
        return

    def answer(environ: dict[str, Any], start_response: Start) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/healthz":
            reason = why_ill()
            status, body = ("503 Service Unavailable", reason) if reason else ("200 OK", "ok")
            start_response(status, [("Content-Type", "text/plain; charset=utf-8")])
            return [f"{body}\n".encode()]
        if environ["PATH_INFO"] != "/metrics" or not settings.metrics_token:
            start_response("404 Not Found", [])
            return []
        expected = f"Bearer {settings.metrics_token}".encode()
        if not hmac.compare_digest(expected, environ.get("HTTP_AUTHORIZATION", "").encode("latin-1")):
            start_response("401 Unauthorized", [("WWW-Authenticate", "Bearer")])
            return []
        metrics.measure_memory()
        start_response("200 OK", [("Content-Type", metrics.CONTENT_TYPE)])
        return [metrics.exposition()]

    try:
        kind = _Server6 if ":" in settings.host else _Server
        server = make_server(settings.host, settings.worker_health_port, answer, kind, _Handler)
    except OSError as error:
        raise StartError(
            f"Port {settings.worker_health_port} on {settings.host} cannot be used: {error.strerror}; "
            "choose another with WORKER_HEALTH_PORT."
        ) from None
    threading.Thread(target=server.serve_forever, name="vitals", daemon=True).start()
