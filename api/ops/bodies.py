"""Request bodies, with a time limit, and a limit on memory for those that arrive at the same time.

After the answer to a request whose body was not read to its end, the connection is closed.

Only for gevent's web processes, where a request that waits for its body holds nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import gevent
from gunicorn.http.errors import ParseException
from werkzeug.exceptions import RequestTimeout

from api.core.config import Settings
from api.core.errors import BadRequest, Overloaded
from api.core.readers import KIB
from api.ops.hooks import has_body

IN_MEMORY = 64 * KIB * KIB  # bytes of large bodies that one process holds at once

CLOSE = ("Connection", "close")

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


class Bodies:
    """A WSGI application around another, which limits the time of bodies and the total size of large ones."""

    def __init__(self, inner: Application, settings: Settings) -> None:
        self.inner = inner
        self.seconds = settings.body_timeout
        self.small = settings.max_body
        self.held = 0

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        if not has_body(environ):
            return self.inner(environ, start_response)
        length = environ.get("CONTENT_LENGTH")
        body = environ["wsgi.input"] = Body(environ["wsgi.input"], int(length) if length else None, self)

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            return start_response(status, headers if body.ended else [*headers, CLOSE], *more)

        try:
            return self.inner(environ, start)
        finally:
            self.held -= body.held


class Body:
    """A body that is read within its time limit."""

    def __init__(self, inner: Any, length: int | None, bodies: Bodies) -> None:
        """`length` is None if the body comes in chunks, the last of which is empty."""
        self._inner = inner
        self._length = length
        self.ended = length == 0
        self._bodies = bodies
        self._deadline = time.monotonic() + bodies.seconds
        self._received = 0
        self.held = 0

    def read(self, size: int = -1) -> bytes:
        """Read up to this many bytes. Raises RequestTimeout, Overloaded, BadRequest."""
        if self.ended:  # a timer would cost more than the rest of this call
            return b""
        return self._timed(self._inner.read, size)

    def readline(self, size: int = -1) -> bytes:
        """Read a line. Raises RequestTimeout, Overloaded, BadRequest."""
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
        if self._received > self._bodies.small:
            self._hold()
        return data

    def _hold(self) -> None:
        more = self._received - self.held
        if self._bodies.held + more > IN_MEMORY:
            raise Overloaded("Too many large bodies are arriving at once.")
        self.held += more
        self._bodies.held += more
