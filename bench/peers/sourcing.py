"""A game kept with pyeventsourcing in PostgreSQL, as a library: no HTTP, no rules, an event a move.

A line "GAMES SECONDS" in, a line of JSON with the seconds of each move out. Each game has a thread.
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
    """Who played what."""

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
    """Make moves one after another for so long."""
    end, number = time.perf_counter() + seconds, 0
    while (begun := time.perf_counter()) < end:
        games.move(game_id, number % 3, "9C")
        latencies.append(time.perf_counter() - begun)
        number += 1


def main() -> None:
    """Answer line by line."""
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
