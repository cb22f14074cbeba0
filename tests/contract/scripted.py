"""A server that gives the answers that a test has prepared, one after another."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

EVENTS = "text/event-stream"


class Scripted(NamedTuple):
    """A prepared answer: its status, headers and body."""

    status: int
    body: str = '{"type": "about:blank", "title": "Later", "status": 500, "detail": ""}'
    content: str = "application/json"


@contextmanager
def scripted(*answers: Scripted) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Yield the server's address, and the requests' headers and `:path`; after the last answer comes 410."""
    left, requests = list(answers), []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            requests.append({":path": self.path, **headers})
            status, body, content = left.pop(0) if left else Scripted(410)
            self.send_response(status)
            self.send_header("Content-Type", content)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        do_GET = do_POST = answer

        def log_message(self, *_: object) -> None:
            """Do not log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", requests
        finally:
            server.shutdown()
