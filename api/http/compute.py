"""Forwards long requests to processes that serve nobody else meanwhile.

A web process has one thread, so a long computation would delay all its other requests. Therefore a request
that replays a whole game is forwarded unchanged to a compute process (`api.run.web.compute`), and the web
process only waits for the answer. These requests wait in a fair queue of their own (`api.http.queue`).
"""

from __future__ import annotations

import http.client
import socket
import time
from contextlib import closing, suppress
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import IO

from flask import Response, request
from werkzeug.wsgi import FileWrapper

from api.core.config import Settings
from api.core.errors import OUTCOME_UNKNOWN, Overloaded, TookTooLong
from api.core.readers import KIB
from api.core.resources import COMPUTE_PLACES
from api.http.middleware import REQUEST_ID
from api.http.queue import FairQueue, Line

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
        self._begun = False
        self._queue = FairQueue(COMPUTE_PLACES, settings.compute_workers, settings.compute_queue)

    def begin(self) -> None:
        """Let the compute processes start, because somebody uses this server: a long request may follow."""
        if not self._begun:
            self._begun = True
            with suppress(OSError), closing(Connection(self._path, 1)) as knock:
                knock.connect()

    def answer(self, line: Line, *, changes: bool) -> Response:
        """Forward the current request, whose body has been read; it may change something.

        Raises Overloaded, TookTooLong; LineFull if others need the room to wait.
        """
        if not self._queue.enter(line, self._seconds):
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
            self._queue.leave(line)

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
            copy: IO[bytes] = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  (closed with the response)
            copyfileobj(answer, copy, 256 * KIB)
        finally:
            connection.close()
        length = copy.tell()
        copy.seek(0)
        response = Response(FileWrapper(copy, 64 * KIB), answer.status, direct_passthrough=True)
        response.headers.clear()
        response.headers.extend((k, v) for k, v in answer.getheaders() if k.lower() not in OURS)
        if answer.status not in (204, 304):
            response.content_length = length
        return response
