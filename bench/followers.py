"""Measure the cost and memory of idle followers, and when the last active follower gets a move.

First, moves are played in some games, alternately while IDLE followers (500) follow another game and while
nobody does; memory is that of the web processes (PSS). Then ACTIVE followers (500) follow the game that is
being played, one move after another, and the time from sending a move to its arrival at the last of them is
measured. All followers are in this one process, and its processor time is part of that delay.

    python -m bench.followers [ROUNDS [ACTIVE [IDLE]]]
"""

from __future__ import annotations

import resource
import selectors
import socket
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from bench.append import RULESET, SEATS, moves_of, stocked
from bench.http import load, served
from bench.http.served import Address, Api, Game
from bench.memory import kind

CLIENTS = 16
SECONDS = 3.0
MOVES = 30
STOCK = 12  # games for each client and round


class Subscribers:
    """Connections that follow a game; `heard` counts the events that each has received."""

    def __init__(self, address: Address, game: str, number: int) -> None:
        self.selector = selectors.DefaultSelector()
        self.received: dict[socket.socket, int] = {}
        ask = f"GET /v1/games/{game}/events HTTP/1.1\r\nHost: bench\r\nAccept: text/event-stream\r\n\r\n"
        for _ in range(number):
            connection = socket.create_connection(address)
            connection.sendall(ask.encode())
            self.received[connection] = 0
            self.selector.register(connection, selectors.EVENT_READ)
        self.wait_for(1)  # the view

    def wait_for(self, events: int) -> None:
        """Wait until everyone has received this many events."""
        late = {connection for connection, received in self.received.items() if received < events}
        deadline = time.monotonic() + 60
        while late:
            assert time.monotonic() < deadline, f"{len(late)} followers did not receive event {events}"
            for key, _ in self.selector.select(1):
                connection = key.fileobj
                assert isinstance(connection, socket.socket)
                chunk = connection.recv(262_144)
                assert chunk, "the server closed a follower's connection"
                self.received[connection] += chunk.count(b"\nevent: ")
                if self.received[connection] >= events:
                    late.discard(connection)

    def leave(self) -> None:
        """Close all connections."""
        for connection in self.received:
            connection.close()


@contextmanager
def idle_followers(api: Api, game: Game, number: int) -> Iterator[None]:
    """Open connections that follow a game in which nothing happens."""
    subscribers = Subscribers(served.address(api.url), game.id, number)
    try:
        yield
    finally:
        subscribers.leave()


def memory() -> float:
    """Return the memory of the web processes, in kB."""
    found = (each for each in psutil.Process().children(recursive=True) if kind(each) == "web process")
    return sum(process.memory_full_info().pss for process in found) / 1000


def cost(api: Api, players: list[str], rounds: int, number: int) -> None:
    """Measure moves with and without idle followers, alternately."""
    quiet = api.new_game(RULESET, players, visibility="public")
    address = served.address(api.url)
    pairs, sizes = [], []
    for _ in range(rounds):
        alone, watched = ([stocked(api, players, STOCK) for _ in range(CLIENTS)] for _ in range(2))
        first = load.run(address, alone, SECONDS)
        before = memory()
        with idle_followers(api, quiet, number):
            sizes.append((memory() - before) / number)
            pairs.append((first, load.run(address, watched, SECONDS)))
    rate = statistics.median(watched.rate / alone.rate for alone, watched in pairs)
    processor = statistics.median(watched.cost / alone.cost for alone, watched in pairs)
    print(
        f"moves with {number} idle followers: {rate:.2f} of those without (processor time {processor:.2f}); "
        f"memory of each {max(sizes):.1f} kB at most"
    )


def delay(api: Api, players: list[str], number: int) -> None:
    """Play one move after another while many follow the game, and print how long each takes to arrive."""
    game = api.new_game(RULESET, players, visibility="public")
    address = served.address(api.url)
    subscribers = Subscribers(address, game.id, number)
    delays = []
    with socket.create_connection(address) as mover:
        for move, request in zip(range(MOVES), moves_of(api, game, keyed=False), strict=False):
            begun = time.perf_counter()
            mover.sendall(request)
            subscribers.wait_for(move + 2)
            delays.append((time.perf_counter() - begun) * 1000)
            assert mover.recv(65536).startswith(b"HTTP/1.1 201")
    subscribers.leave()
    median, worst = statistics.median(delays), max(delays)
    print(f"the last of {number} active followers gets a move after {median:.0f} ms (worst {worst:.0f})")


def main() -> None:
    """Measure, and print."""
    rounds, active, idle = (*map(int, sys.argv[1:]), *(3, 500, 500)[len(sys.argv) - 1 :])
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    streams = str(2 * max(active, idle))
    with served.api(MAX_STREAMS=streams) as api:  # all followers count as one caller
        players = api.players(SEATS)
        delay(api, players, active)
        cost(api, players, rounds, idle)


if __name__ == "__main__":
    main()
