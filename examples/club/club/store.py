"""What the club keeps in its own database: who is a member, what is played, and how games ended."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from club.formats import Pairing
from club.standings import Game, Match

SCHEMA = """
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS members (id TEXT PRIMARY KEY, name TEXT, secret TEXT UNIQUE, player TEXT);
CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, format TEXT, ruleset TEXT, best_of INTEGER,
  rounds INTEGER, seconds REAL);
CREATE TABLE IF NOT EXISTS entrants (event TEXT, number INTEGER, member TEXT, PRIMARY KEY (event, member));
CREATE TABLE IF NOT EXISTS matches (id TEXT PRIMARY KEY, event TEXT, round INTEGER, first TEXT, second TEXT,
  deadline TEXT, closed INTEGER DEFAULT 0);
CREATE TABLE IF NOT EXISTS games (match TEXT, number INTEGER, id TEXT UNIQUE, ended_at TEXT, winner TEXT,
  cancelled INTEGER DEFAULT 0, waited_for TEXT DEFAULT '', PRIMARY KEY (match, number));
"""


class Member(NamedTuple):
    """A member; `player` is known once the server has one, and whoever knows `secret` is the member."""

    id: str
    name: str
    secret: str
    player: str | None


class Event(NamedTuple):
    """A tournament or a ladder; `seconds` is how long a round, or a challenge, may take."""

    id: str
    format: str
    ruleset: str
    best_of: int
    rounds: int
    seconds: float

    def deadline(self, now: datetime) -> datetime:
        """Return when a round ends that begins now."""
        return now + timedelta(seconds=self.seconds)


class Store:
    """The database, for all threads; every method is one transaction."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.executescript(SCHEMA)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def _rows(self, sql: str, *values: Any) -> list[Any]:
        with self._lock:
            return self._connection.execute(sql, values).fetchall()

    def setting(self, name: str) -> str | None:
        """Return a setting, such as the place in the feed."""
        return next(
            (value for (value,) in self._rows("SELECT value FROM settings WHERE name = ?", name)), None
        )

    def set(self, **settings: str | None) -> None:
        """Store settings."""
        with self._transaction() as sql:
            sql.executemany("INSERT OR REPLACE INTO settings VALUES (?, ?)", settings.items())

    def members(self) -> dict[str, Member]:
        """Return all members by id, in the order in which they joined."""
        rows = self._rows("SELECT id, name, secret, player FROM members ORDER BY rowid")
        return {row[0]: Member(*row) for row in rows}

    def add_member(self, member: Member) -> None:
        """Add a member, who gets a player later."""
        with self._transaction() as sql:
            sql.execute("INSERT INTO members VALUES (?, ?, ?, NULL)", member[:3])

    def set_player(self, member: str, player: str) -> None:
        """Store a member's player."""
        with self._transaction() as sql:
            sql.execute("UPDATE members SET player = ? WHERE id = ?", (player, member))

    def events(self) -> list[Event]:
        """Return all events, the oldest first."""
        return [Event(*row) for row in self._rows("SELECT * FROM events ORDER BY rowid")]

    def add_event(self, event: Event, members: Sequence[str]) -> None:
        """Add an event with its members in the order of their seeds."""
        with self._transaction() as sql:
            sql.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", event)
            rows = [(event.id, number, member) for number, member in enumerate(members)]
            sql.executemany("INSERT INTO entrants VALUES (?, ?, ?)", rows)

    def entrants(self, event: str) -> list[str]:
        """Return who plays in an event, in the order of their seeds."""
        found = self._rows("SELECT member FROM entrants WHERE event = ? ORDER BY number", event)
        return [member for (member,) in found]

    def matches(self, event: str | None = None) -> list[Match]:
        """Return the matches of an event, or all."""
        rows = self._rows("SELECT * FROM matches WHERE ? IS NULL OR event = ? ORDER BY rowid", event, event)
        return [
            Match(id_, event, number, first, second, datetime.fromisoformat(deadline), bool(closed))
            for id_, event, number, first, second, deadline, closed in rows
        ]

    def add_matches(self, event: Event, number: int, pairings: Iterable[Pairing], deadline: datetime) -> None:
        """Add a round, unless it is there already."""
        rows = [
            (f"{event.id}-{number}-{board}", event.id, number, *pair, deadline.isoformat())
            for board, pair in enumerate(pairings, 1)
        ]
        with self._transaction() as sql:
            sql.executemany("INSERT OR IGNORE INTO matches VALUES (?, ?, ?, ?, ?, ?, 0)", rows)

    def close(self, match: str) -> None:
        """Note that a match is over."""
        with self._transaction() as sql:
            sql.execute("UPDATE matches SET closed = 1 WHERE id = ?", (match,))

    def games(self, event: str | None = None) -> list[Game]:
        """Return the games of an event, or all."""
        rows = self._rows(
            "SELECT games.* FROM games JOIN matches ON matches.id = match WHERE ? IS NULL OR event = ?"
            " ORDER BY match, number",
            *(event, event),
        )
        return [
            Game(
                match,
                number,
                id_,
                datetime.fromisoformat(ended_at) if ended_at else None,
                winner,
                bool(cancelled),
                tuple(waited_for.split()),
            )
            for match, number, id_, ended_at, winner, cancelled, waited_for in rows
        ]

    def plan_game(self, match: str, number: int) -> None:
        """Note that a game is about to be created, so that it is looked for after a crash."""
        with self._transaction() as sql:
            sql.execute("INSERT OR IGNORE INTO games (match, number) VALUES (?, ?)", (match, number))

    def name_game(self, match: str, number: int, game: str) -> None:
        """Store the server's id of a game."""
        with self._transaction() as sql:
            sql.execute("UPDATE games SET id = ? WHERE match = ? AND number = ?", (game, match, number))

    def end_game(self, game: Game) -> None:
        """Store how a game ended; doing it again changes nothing."""
        assert game.ended_at is not None
        row = (game.ended_at.isoformat(), game.winner, game.cancelled, " ".join(game.waited_for), game.id)
        with self._transaction() as sql:
            sql.execute(
                "UPDATE games SET ended_at = ?, winner = ?, cancelled = ?, waited_for = ? WHERE id = ?", row
            )
