"""Answers of gunicorn in as few pieces as possible, which may ask for the end of their connection.

gunicorn sends the headers of an answer and the first part of its body separately. Every piece takes a system
call and wakes the client, or the proxy in between.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any

from gunicorn import util
from gunicorn.http import wsgi

CLOSE = ("Connection", "close")

http_date = lru_cache(maxsize=1)(util.http_date)


class Response(wsgi.Response):  # type: ignore[misc]  # gunicorn has no types
    """An answer whose headers are sent together with the first part of its body."""

    headers_sent: bool
    _head = b""

    def process_headers(self, headers: list[tuple[str, str]]) -> None:
        """Read the application's headers; of those about the connection, only `Connection: close` counts."""
        super().process_headers(headers)
        if CLOSE in headers:
            self.force_close()

    def send_headers(self) -> None:
        """Write the headers, which are sent by the same call of `write`, `sendfile` or `close`."""
        if not self.headers_sent:
            lines = [*self.default_headers(), *(f"{name}: {value}\r\n" for name, value in self.headers)]
            self._head = "".join([*lines, "\r\n"]).encode("latin-1")
            self.headers_sent = True

    def write(self, data: bytes) -> None:
        """Send a part of the body at once."""
        super().write(data)
        self._send_head()  # if there is nothing else to send

    def sendfile(self, respiter: Any) -> bool:
        """Send a file; return whether that is possible."""
        self.send_headers()
        self._send_head()
        done = bool(super().sendfile(respiter))
        if done:
            self.sent = self.response_length or 0
        return done

    def close(self) -> None:
        """End the answer. If it is shorter than announced, the connection is closed."""
        self.send_headers()
        self._send_head()
        super().close()
        if self.sent < (self.response_length or 0) and not self._omits_body:
            self.force_close()

    def _emit_body(self, data: bytes) -> None:
        head, self._head = self._head, b""
        self.sock.sendall(head + (b"%X\r\n%b\r\n" % (len(data), data) if self.chunked else data))

    def _send_head(self) -> None:
        if self._head:
            head, self._head = self._head, b""
            self.sock.sendall(head)


def install() -> None:
    """Answer all requests of this process like this, and write the date only once a second."""
    wsgi.Response = Response
    util.http_date = lambda timestamp=None: http_date(int(time.time() if timestamp is None else timestamp))
