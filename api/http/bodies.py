"""Request bodies, with a time limit, and limits on memory for those that arrive at the same time.

Each app has its own limit. Callers without a token, guests, and tokens that were not looked up share one, of
which one address can have half.

After the answer to a request whose body was not read to its end, the connection is closed.

Only for gevent's web processes, where a request that waits for its body holds nothing else.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import gevent
from gunicorn.http.errors import ParseException
from werkzeug.exceptions import RequestTimeout, TooManyRequests

from api.core.config import Settings
from api.core.errors import BadRequest
from api.core.readers import KIB
from api.http.hooks import has_body
from api.http.queue import LINE, NOBODY, STRANGERS, Line

LARGEST_BODIES = 2  # largest bodies of a party that one process holds
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
        self.large = settings.max_record_body
        self._held: Counter[Hashable] = Counter()

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

    def hold(self, line: Line, size: int) -> None:
        """Count memory for a party. Raises TooManyRequests."""
        alone = line.party in STRANGERS and self._held[line] + size > self.large
        if alone or self._held[line.party] + size > LARGEST_BODIES * self.large:
            raise TooManyRequests(retry_after=RETRY_AFTER)
        self.let_go(line, -size)

    def let_go(self, line: Line, size: int) -> None:
        """Count memory of a party no more."""
        for name in (line.party, line):
            self._held[name] -= size
            if not self._held[name]:
                del self._held[name]


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
        try:
            self._bodies.hold(self._line, more)
        except TooManyRequests:
            self.let_go()
            raise
        self.held += more

    def let_go(self) -> None:
        """Count its memory no more."""
        if self._line is not None:
            self._bodies.let_go(self._line, self.held)
            self.held = 0
