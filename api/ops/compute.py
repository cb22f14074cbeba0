"""Forwards long requests to processes that serve nobody else meanwhile.

A web process has one thread, so a long computation would delay all its other requests. Therefore a request
that replays a whole game is forwarded unchanged to a compute process (`api.run.web.compute`), and the web
process only waits for the answer. The number of waiting requests is limited, in total and for each caller.
"""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import IO

from flask import Response, request
from werkzeug.exceptions import TooManyRequests
from werkzeug.wsgi import FileWrapper

from api.core.config import Settings
from api.core.errors import OUTCOME_UNKNOWN, Overloaded, TookTooLong
from api.core.readers import KIB
from api.ops.request_id import REQUEST_ID

REQUEST_ID_HEADER = "X-Request-Id"
PASSED_ON = (
    "Accept",
    "Authorization",
    "Card-Referee-Player",
    "Content-Type",
    "Host",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
)
OURS = frozenset(("connection", "content-length", "date", "server", "transfer-encoding"))
IN_MEMORY = KIB * KIB  # bytes of an answer; longer ones are buffered on disk
RETRY_AFTER = 2  # seconds


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Connect to the compute process's socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Compute:
    """The connection of one web process to the compute processes."""

    def __init__(self, path: str, settings: Settings) -> None:
        self._path = path
        self._seconds = settings.compute_timeout
        self._queue = settings.compute_queue
        self._share = max(1, settings.compute_queue // 2)
        self._places = threading.BoundedSemaphore(settings.compute_workers)
        self._callers: Counter[str] = Counter()

    def answer(self, caller: str, *, changes: bool) -> Response:
        """Forward the current request, whose body has been read; it may change something.

        Raises Overloaded, TookTooLong; TooManyRequests if this caller has too many of them in progress.
        """
        with self._queued(caller):
            if not self._places.acquire(timeout=self._seconds):
                raise Overloaded("Too many long requests are under way.")
            begun = time.monotonic()
            try:
                return self._ask()
            except (OSError, http.client.HTTPException):
                outcome = OUTCOME_UNKNOWN if changes else "Nothing was changed."
                if time.monotonic() - begun >= self._seconds:
                    detail = f"This takes longer than the {self._seconds} seconds allowed. {outcome}"
                    raise TookTooLong(detail) from None
                raise Overloaded(f"The computation broke off. {outcome}") from None
            finally:
                self._places.release()

    @contextmanager
    def _queued(self, caller: str) -> Iterator[None]:
        if self._callers.total() >= self._queue:
            raise Overloaded("Too many long requests are under way.")
        if self._callers[caller] >= self._share:
            raise TooManyRequests(retry_after=RETRY_AFTER)
        self._callers[caller] += 1
        try:
            yield
        finally:
            self._callers[caller] -= 1
            if not self._callers[caller]:
                del self._callers[caller]

    def _ask(self) -> Response:
        connection = Connection(
            self._path, 2 * self._seconds
        )  # it may wait there for the other web processes
        try:
            headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
            headers[REQUEST_ID_HEADER] = request.environ.get(REQUEST_ID, "")
            target = request.environ["RAW_URI"]
            connection.request(request.method, target, request.get_data(), headers)
            answer = connection.getresponse()
            # Reads everything at once, so that a slow reader does not block a compute process.
            kept: IO[bytes] = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  (closed with the response)
            copyfileobj(answer, kept, 256 * KIB)
        finally:
            connection.close()
        length = kept.tell()
        kept.seek(0)
        response = Response(FileWrapper(kept, 64 * KIB), answer.status, direct_passthrough=True)
        response.headers.clear()
        response.headers.extend((k, v) for k, v in answer.getheaders() if k.lower() not in OURS)
        if answer.status not in (204, 304):
            response.content_length = length
        return response
