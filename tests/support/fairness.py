"""Connections that are handed over in turn."""

from __future__ import annotations

import threading

from api.store.database.session import Database
from tests.servers.serving import TIMEOUT


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
