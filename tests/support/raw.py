"""Connections to a server on which a test writes bytes itself."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from tests.servers.serving import TIMEOUT, Server


def connect(server: Server) -> socket.socket:
    parts = urlsplit(server.url)
    assert parts.hostname is not None
    assert parts.port is not None
    return socket.create_connection((parts.hostname, parts.port), timeout=TIMEOUT)


def head(path: str, token: str | None, *more: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: test", "Content-Type: application/json", *more]
    if token is not None:
        lines.append(f"Authorization: Bearer {token}")
    return "\r\n".join([*lines, "", ""]).encode()
