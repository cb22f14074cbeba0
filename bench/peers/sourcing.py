"""A game stored with pyeventsourcing in PostgreSQL, used as a library: no HTTP, no rules, one event per move.

It reads a line "GAMES SECONDS" and answers with a line of JSON: the seconds of each move. Each game has a
thread.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import ClassVar
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event


class Game(Aggregate):
    """A game: a list of who played which card."""

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.played: list[str] = []

    @event("Moved")
    def move(self, seat: int, card: str) -> None:
        """Play a card."""
        self.played.append(f"{seat}:{card}")


class Games(Application[UUID]):
    """The games, with the copies that the library keeps in memory."""

    env: ClassVar = {"AGGREGATE_CACHE_MAXSIZE": "1000"}

    def begin(self) -> UUID:
        """Begin a game; return its id."""
        game = Game(3)
        self.save(game)
        return game.id

    def move(self, game_id: UUID, seat: int, card: str) -> None:
        """Make a move, durably."""
        game: Game = self.repository.get(game_id)
        game.move(seat, card)
        self.save(game)


def play(games: Games, game_id: UUID, seconds: float, latencies: list[float]) -> None:
    """Make moves one after another for this many seconds."""
    end, number = time.perf_counter() + seconds, 0
    while (begun := time.perf_counter()) < end:
        games.move(game_id, number % 3, "9C")
        latencies.append(time.perf_counter() - begun)
        number += 1


def main() -> None:
    """Read lines, and answer each."""
    games = Games()
    print("ready", flush=True)
    for line in sys.stdin:
        count, seconds = line.split()
        ids = [games.begin() for _ in range(int(count))]
        print("made", flush=True)
        latencies: list[float] = []
        threads = [
            threading.Thread(target=play, args=(games, game_id, float(seconds), latencies)) for game_id in ids
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(json.dumps(latencies), flush=True)


if __name__ == "__main__":
    main()
