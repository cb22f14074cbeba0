"""A proxy that drops, doubles, delays and truncates requests and answers, and cuts streams."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

import httpx

FAULTS = ("drops the request", "drops the answer", "doubles", "delays", "truncates")
SHARE = 0.25  # of all requests
DELAY = 1.0  # the longest, in seconds
LINES = 30  # the most of a stream before it is cut
OWN = {"connection", "content-length", "transfer-encoding", "keep-alive", "content-encoding"}
STREAMS = ("text/event-stream",)


class BadNetwork:
    """The proxy; `did` counts the requests, and what it did to them."""

    def __init__(self, seed: int) -> None:
        self._chance, self.did = random.Random(seed), Counter[str]()
        self._lock = threading.Lock()
        self._proxies: list[ThreadingHTTPServer] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for proxy in self._proxies:
            proxy.shutdown()
            proxy.server_close()

    def choose(self) -> tuple[str, float]:
        """Return what happens to the next request, if anything, and a random number for it."""
        with self._lock:
            self.did["requests"] += 1
            fault = self._chance.choice(FAULTS) if self._chance.random() < SHARE else ""
            return fault, self._chance.random()

    def note(self, fault: str) -> None:
        """Count a fault."""
        with self._lock:
            self.did[fault] += 1

    def before(self, server: str) -> str:
        """Return an address that leads to a server through this network."""
        network = self
        http = httpx.Client(base_url=server, timeout=120, trust_env=False)

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                fault, amount = network.choose()
                if fault == "doubles" and self.headers.get("Accept", "").startswith(STREAMS):
                    fault = ""  # a stream has no end to wait for
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                with contextlib.suppress(httpx.TransportError, OSError):
                    if fault == "delays":
                        time.sleep(amount * DELAY)
                    if fault == "doubles":
                        http.request(self.command, self.path, headers=headers, content=body)
                    if fault != "drops the request":
                        with http.stream(self.command, self.path, headers=headers, content=body) as response:
                            self.pass_on(response, fault, amount)
                if fault:
                    network.note(fault)
                self.cut()

            def pass_on(self, response: httpx.Response, fault: str, amount: float) -> None:
                if response.headers.get("Content-Type", "").startswith(STREAMS):
                    self.begin(response)
                    self.stream(response, amount)
                    return
                whole = response.read()
                if fault != "drops the answer":
                    self.begin(response, len(whole))
                    part = int(len(whole) * amount) if fault == "truncates" else len(whole)
                    self.wfile.write(whole[:part])

            def begin(self, response: httpx.Response, length: int | None = None) -> None:
                self.send_response(response.status_code)
                for name, value in response.headers.items():
                    if name.lower() not in OWN:
                        self.send_header(name, value)
                if length is not None:
                    self.send_header("Content-Length", str(length))
                self.end_headers()

            def stream(self, response: httpx.Response, amount: float) -> None:
                """Pass some lines of a stream on, and half of the next one."""
                for number, line in enumerate(response.iter_lines()):
                    if number > amount * LINES:
                        network.note("cuts a stream")
                        self.wfile.write(line[: len(line) // 2].encode())
                        return
                    self.wfile.write(f"{line}\n".encode())

            def cut(self) -> None:
                self.close_connection = True
                with contextlib.suppress(OSError):
                    self.connection.shutdown(socket.SHUT_RDWR)

            def log_message(self, *_: object) -> None: ...

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

        proxy = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        proxy.daemon_threads = True
        self._proxies.append(proxy)
        threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
        return f"http://127.0.0.1:{proxy.server_port}"
