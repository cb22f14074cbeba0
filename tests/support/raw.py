"""Connections to a server on which a test writes bytes itself, or that are handed over in turn."""

from __future__ import annotations

import socket
import threading
from urllib.parse import urlsplit

from api.store.database.session import Database
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


def waiting(database: Database) -> int:
    return database._pool.get_stats()["requests_waiting"]


def served_in_turn(database: Database) -> list[int]:
    """Return the order in which eight callers get the only connection; its holder (8) asks again at once."""
    order: list[int] = []

    def use(number: int) -> None:
        connection = database.checkout()
        order.append(number)
        database.give_back(connection)

    held = database.checkout()
    threads = []
    for number in range(8):
        threads.append(threading.Thread(target=use, args=(number,)))
        threads[-1].start()
        while waiting(database) <= number:  # the next one asks only when this one waits
            assert threads[-1].is_alive()
            threading.Event().wait(0.001)
    database.give_back(held)
    use(8)
    for thread in threads:
        thread.join(TIMEOUT)
    return order
