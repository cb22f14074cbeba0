"""Request bodies, with a time limit, and shares of the memory for those that arrive at the same time.

After the answer to a request whose body was not read to its end, the connection is closed.

Only for gevent's web processes, where a request that waits for its body holds nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import gevent
from gunicorn.http.errors import ParseException
from werkzeug.exceptions import RequestTimeout, TooManyRequests

from api.core.config import Settings
from api.core.errors import BadRequest
from api.core.readers import KIB
from api.core.resources import BODIES
from api.core.shares import Shares
from api.http.middleware import has_body
from api.http.queue import LINE, NOBODY, Line

LARGEST_BODIES = 8  # that one process holds
RETRY_AFTER = 2  # seconds
SMALL = 64 * KIB  # bytes that are not counted

CLOSE = ("Connection", "close")

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


class Bodies:
    """A WSGI application around another, which limits the time of bodies and the total size of large ones."""

    def __init__(self, inner: Application, settings: Settings) -> None:
        self.inner = inner
        self.seconds = settings.body_timeout
        self.shares = Shares(BODIES, LARGEST_BODIES * settings.max_record_body)

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        if not has_body(environ):
            return self.inner(environ, start_response)
        length = environ.get("CONTENT_LENGTH")
        body = environ["wsgi.input"] = Body(environ, int(length) if length else None, self)

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            return start_response(status, headers if body.ended else [*headers, CLOSE], *more)

        try:
            return self.inner(environ, start)
        finally:
            body.let_go()


class Body:
    """A body that is read within its time limit."""

    def __init__(self, environ: Environ, length: int | None, bodies: Bodies) -> None:
        """`length` is None if the body comes in chunks, the last of which is empty."""
        self._environ = environ
        self._inner = environ["wsgi.input"]
        self._length = length
        self.ended = length == 0
        self._bodies = bodies
        self._deadline = time.monotonic() + bodies.seconds
        self._received = 0
        self._line: Line | None = None
        self.held = 0

    def read(self, size: int = -1) -> bytes:
        """Read up to this many bytes. Raises RequestTimeout, TooManyRequests, BadRequest."""
        if self.ended:  # a timer would cost more than the rest of this call
            return b""
        return self._timed(self._inner.read, size)

    def readline(self, size: int = -1) -> bytes:
        """Read a line. Raises RequestTimeout, TooManyRequests, BadRequest."""
        return self._timed(self._inner.readline, size)

    def _timed(self, read: Callable[[int], bytes], size: int) -> bytes:
        with gevent.Timeout(max(0.001, self._deadline - time.monotonic()), RequestTimeout()):
            try:
                data = read(size)
            except ParseException:
                raise BadRequest({"body": ["Not well-formed chunks."]}) from None
        self._received += len(data)
        # A body that breaks off before its length has not ended.
        self.ended = self._received == self._length or (self._length is None and not data and size != 0)
        if self._received > SMALL:
            self._hold()
        return data

    def _hold(self) -> None:
        more = self._received - self.held
        self._line = self._line or self._environ.get(LINE) or Line(NOBODY, self._environ["REMOTE_ADDR"])
        if not self._bodies.shares.has_room(self._line):
            self.let_go()
            raise TooManyRequests(retry_after=RETRY_AFTER)
        self._bodies.shares.take(self._line, more)
        self.held += more

    def let_go(self) -> None:
        """Count its memory no more."""
        if self._line is not None:
            self._bodies.shares.give_back(self._line, self.held)
            self.held = 0
