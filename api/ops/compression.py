"""Compression with gzip for clients that accept it: pages and their files, and long answers of the API.

The answer to a move is not compressed, because it is short and compression would cost more than it saves.
"""

from __future__ import annotations

import gzip
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

Environ = dict[str, Any]
Start = Callable[..., Any]
Headers = list[tuple[str, str]]

LEVEL = 6
LEAST, LEAST_OF_API = 1_000, 16_000  # bytes
MOST = 4 * 1024 * 1024  # longer answers are streams anyway
KEPT = 64  # files, compressed once
TYPES = frozenset(
    [
        "text/html",
        "text/css",
        "text/javascript",
        "application/javascript",
        "application/json",
        "application/yaml",
        "image/svg+xml",
    ]
)


class Compression:
    """A WSGI application around another, which compresses its answers."""

    def __init__(self, inner: Callable[[Environ, Start], Iterable[bytes]]) -> None:
        self.inner = inner
        self._files: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    def __call__(self, environ: Environ, start_response: Start) -> Iterable[bytes]:
        """Answer a request."""
        path = environ["PATH_INFO"]
        is_api = path.startswith("/v1/")
        if environ["REQUEST_METHOD"] != "GET" or "gzip" not in environ.get("HTTP_ACCEPT_ENCODING", ""):
            return self.inner(environ, start_response)
        begun: list[Any] = []

        def start(status: str, headers: Headers, *more: Any) -> Any:
            if status[:3] != "200" or not _fits(headers, LEAST_OF_API if is_api else LEAST):
                return start_response(status, headers, *more)
            begun.extend((status, headers, more))
            return lambda data: None

        body = self.inner(environ, start)
        if not begun:
            return body
        status, headers, more = begun
        try:
            data = self._compressed(path, "" if is_api else dict(headers).get("ETag", ""), body)
        finally:
            close = getattr(body, "close", None)
            if close:
                close()
        start_response(status, _changed(headers, len(data), is_api), *more)
        return [data]

    def _compressed(self, path: str, etag: str, body: Iterable[bytes]) -> bytes:
        """Compress an answer, a file only once for each of its ETags."""
        key = (path, etag)
        if not etag:
            return gzip.compress(b"".join(body), LEVEL, mtime=0)
        if key not in self._files:
            self._files[key] = gzip.compress(b"".join(body), LEVEL, mtime=0)
            if len(self._files) > KEPT:
                self._files.popitem(last=False)
        return self._files[key]


def _fits(headers: Headers, least: int) -> bool:
    present = {name.lower(): value for name, value in headers}
    length = present.get("content-length", "")
    kind = present.get("content-type", "").partition(";")[0]
    return (
        length.isdigit()
        and least <= int(length) <= MOST
        and kind in TYPES
        and "content-encoding" not in present
    )


def _changed(headers: Headers, length: int, is_api: bool) -> Headers:
    """Return the headers of the compressed form, whose ETag means the same content in other bytes."""
    found = []
    vary = ["Accept-Encoding"]
    for name, value in headers:
        match name.lower():
            case "content-length":
                continue
            case "vary":
                vary.insert(0, value)
            case "etag" if not value.startswith("W/") and not is_api:
                found.append((name, f"W/{value}"))
            case _:
                found.append((name, value))
    return [*found, ("Content-Encoding", "gzip"), ("Content-Length", str(length)), ("Vary", ", ".join(vary))]
