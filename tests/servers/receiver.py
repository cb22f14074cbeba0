"""A server for webhooks that behaves as told: it accepts, fails, hangs, redirects or drops requests."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from api.context import Context
from api.features.notices.client import Client
from api.features.notices.projection import announce_all
from api.features.webhooks.deliveries import Webhooks, slots

HANGS, DROPS = 0, -1  # instead of a status: never answers; closes the connection without an answer


@dataclass
class Receiver:
    """A server for webhooks; `behave` returns the status for the n-th request, HANGS or DROPS."""

    url: str = ""
    behave: Callable[[int], int] = lambda n: 204
    requests: list[dict[str, Any]] = field(default_factory=list)
    received: list[dict[str, Any]] = field(default_factory=list)
    """What was answered with 2xx."""
    released: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def events(self, *, once: bool = True) -> list[dict[str, Any]]:
        """Return the bodies in the order of their first arrival; with `once`, without repetitions."""
        found: dict[str, dict[str, Any]] = {}
        for n, request in enumerate(self.received):
            found.setdefault(request["headers"]["webhook-id"] if once else str(n), request["body"])
        return list(found.values())


@contextmanager
def receiving(behave: Callable[[int], int] | None = None) -> Iterator[Receiver]:
    receiver = Receiver()
    if behave is not None:
        receiver.behave = behave

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = {"path": self.path, "headers": headers, "data": data, "body": json.loads(data)}
            with receiver.lock:
                receiver.requests.append(request)
                status = receiver.behave(len(receiver.requests))
                if 200 <= status < 300:
                    receiver.received.append(request)
            if status == HANGS:
                receiver.released.wait(300)
            if status in (HANGS, DROPS):
                self.close_connection = True
                return
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", receiver.url + "/elsewhere")
            self.send_header("Content-Length", "0" if status == 204 else "5")
            self.end_headers()
            if status != 204:
                self.wfile.write(b"hello")

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield receiver
    finally:
        receiver.released.set()
        server.shutdown()
        server.server_close()


def deliver(context: Context) -> None:
    """Announce new entries, and deliver what is due at the context's time, one batch after another."""
    announce_all(context)
    with asyncio.Runner() as runner:
        channel = Webhooks(lambda: Client(context.settings, 1), context.now)
        while runs := channel.claim(context, slots(1)):
            context.session.close()
            channel.record(context, [runner.run(channel.send(run)) for run in runs])
        runner.run(channel.close())


def eventually(holds: Callable[[], object], timeout: float = 90, *, pause: float = 0.05) -> bool:
    """Wait until a condition holds; return False after the timeout, which is only a limit."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(pause)
    return False
