"""Request bodies, with a time limit, and a limit on memory for those that arrive at the same time.

Only for gevent's web processes, where a request that waits for its body holds nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import gevent
from gunicorn.http.errors import ParseException
from werkzeug.exceptions import HTTPException, RequestTimeout

from api.core.config import Settings
from api.core.errors import BadRequest, Overloaded
from api.core.readers import KIB

SKIPPING = 0.5  # seconds to wait for more of the unread rest of a body
PART = 64 * KIB
IN_MEMORY = 64 * KIB * KIB  # bytes of large bodies that one process holds at once

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


class Bodies:
    """A WSGI application around another, which limits the time of bodies and the total size of large ones."""

    def __init__(self, inner: Application, settings: Settings) -> None:
        self.inner = inner
        self.seconds = settings.body_timeout
        self.small = settings.max_body
        self.large = settings.max_record_body
        self.held = 0

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        if environ.get("CONTENT_LENGTH", "0") in ("", "0") and "HTTP_TRANSFER_ENCODING" not in environ:
            return self.inner(environ, start_response)
        length = environ.get("CONTENT_LENGTH")
        body = environ["wsgi.input"] = Body(environ["wsgi.input"], int(length) if length else None, self)
        try:
            return self.inner(environ, start_response)
        finally:
            body.skip()
            self.held -= body.held


class Body:
    """A body that is read within its time limit."""

    def __init__(self, inner: Any, length: int | None, bodies: Bodies) -> None:
        """`length` is None if the body comes in chunks, the last of which is empty."""
        self._inner = inner
        self._length = length
        self._ended = False
        self._bodies = bodies
        self._deadline = time.monotonic() + bodies.seconds
        self._received = 0
        self.held = 0

    def read(self, size: int = -1) -> bytes:
        """Read up to this many bytes. Raises RequestTimeout, Overloaded, BadRequest."""
        if self._received == self._length:  # a timer would cost more than the rest of this call
            return b""
        return self._timed(self._inner.read, size)

    def readline(self, size: int = -1) -> bytes:
        """Read a line. Raises RequestTimeout, Overloaded, BadRequest."""
        return self._timed(self._inner.readline, size)

    def skip(self) -> None:
        """Read the unused rest: if a connection is closed with unread bytes, its answer may be lost.

        The answer waits meanwhile, so this ends as soon as no more bytes arrive.
        """
        left = 0 if self._ended or self._received == self._length else self._bodies.large
        with suppress(HTTPException, ParseException):
            while left > 0 and time.monotonic() < self._deadline:
                with gevent.Timeout(SKIPPING, RequestTimeout()):
                    data = self._inner.read(min(left, PART))
                if not data:
                    break
                left -= len(data)

    def _timed(self, read: Callable[[int], bytes], size: int) -> bytes:
        with gevent.Timeout(max(0.001, self._deadline - time.monotonic()), RequestTimeout()):
            try:
                data = read(size)
            except ParseException:
                raise BadRequest({"body": ["Not well-formed chunks."]}) from None
        self._received += len(data)
        self._ended = not data and size != 0
        if self._received > self._bodies.small:
            self._hold()
        return data

    def _hold(self) -> None:
        more = self._received - self.held
        if self._bodies.held + more > IN_MEMORY:
            raise Overloaded("Too many large bodies are arriving at once.")
        self.held += more
        self._bodies.held += more
