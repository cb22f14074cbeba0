"""A proxy that is worse than any network: answers are lost after the server gave them, or cut off."""

from __future__ import annotations

import contextlib
import itertools
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from tests.servers.serving import TIMEOUT

EVENTS = 7  # events of a stream before it is cut off in the middle of the next
LOST, HALF = 0, 2  # of every five answers
OWN = {"connection", "content-length", "transfer-encoding", "keep-alive", "content-encoding"}


@contextmanager
def flaky(server: str, faults: list[str] | None = None) -> Iterator[str]:
    """Yield a server's address through which two of five answers are lost, one of them halfway.

    The paths of these are added to `faults`.
    """
    noted = [] if faults is None else faults
    requests = itertools.count()
    with httpx.Client(base_url=server, timeout=TIMEOUT, trust_env=False) as http:

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                turn = next(requests) % 5
                length = int(self.headers.get("Content-Length", "0"))
                headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                body = self.rfile.read(length)
                with http.stream(self.command, self.path, headers=headers, content=body) as response:
                    if response.headers.get("Content-Type", "").startswith("text/event-stream"):
                        self.begin(response)
                        self.stream(response)
                    else:
                        whole = response.read()
                        noted.extend([self.path] * (turn in (LOST, HALF)))
                        if turn != LOST:
                            self.begin(response, len(whole))
                            self.wfile.write(whole[: len(whole) // 2] if turn == HALF else whole)
                self.cut()

            def begin(self, response: httpx.Response, length: int | None = None) -> None:
                self.send_response(response.status_code)
                for name, value in response.headers.items():
                    if name.lower() not in OWN:
                        self.send_header(name, value)
                if length is not None:
                    self.send_header("Content-Length", str(length))
                self.end_headers()

            def stream(self, response: httpx.Response) -> None:
                ends = 0
                for line in response.iter_lines():
                    ends += line.startswith("data:")
                    if ends > EVENTS:
                        noted.append(self.path)
                        self.wfile.write(line[:20].encode())
                        return
                    self.wfile.write(f"{line}\n".encode())

            def cut(self) -> None:
                self.close_connection = True
                with contextlib.suppress(OSError):
                    self.connection.shutdown(socket.SHUT_RDWR)

            def log_message(self, *_: object) -> None: ...

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as proxy:
            thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.05})
            thread.start()
            try:
                yield f"http://127.0.0.1:{proxy.server_port}"
            finally:
                proxy.shutdown()
                thread.join()
