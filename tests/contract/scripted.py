"""A server that gives the answers that a test has prepared, one after another."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import NamedTuple

EVENTS = "text/event-stream"


class Scripted(NamedTuple):
    """A prepared answer: its status, headers and body."""

    status: int
    body: str = '{"type": "about:blank", "title": "Later", "status": 500, "detail": ""}'
    content: str = "application/json"
    headers: Mapping[str, str] = MappingProxyType({})


@contextmanager
def scripted(*answers: Scripted) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Yield the server's address, and the requests' headers, `:path` and `:body`; at the end comes 410."""
    left, requests = list(answers), []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
            headers = {name.lower(): value for name, value in self.headers.items()}
            requests.append({":path": self.path, ":body": sent, **headers})
            status, body, content, more = left.pop(0) if left else Scripted(410)
            self.send_response(status)
            self.send_header("Content-Type", content)
            for name, value in more.items():
                self.send_header(name, value)
            if status != 304:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, *_: object) -> None:
            """Do not log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", requests
        finally:
            server.shutdown()
