"""What a process knows without asking the database: copies of games, outages, a full disk."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

MOST_COPIES = 500


class Copies:
    """Copies by the id of the game. Only one request has a copy at a time."""

    def __init__(self) -> None:
        self._copies: OrderedDict[UUID, tuple[int, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, game_id: UUID) -> Any:
        """Take a copy out; None if there is none."""
        with self._lock:
            return self._copies.pop(game_id, (0, None))[1]

    def put(self, game_id: UUID, version: int, copy: Any) -> None:
        """Put a copy in; if there are too many, the least recently used one goes."""
        with self._lock:
            self._copies[game_id] = version, copy
            if len(self._copies) > MOST_COPIES:
                self._copies.popitem(last=False)

    def forget(self, game_id: UUID, version: int) -> None:
        """Forget a copy that is older than this version of the game."""
        with self._lock:
            if self._copies.get(game_id, (version, None))[0] < version:
                del self._copies[game_id]


@dataclass(slots=True)
class Heartbeat:
    """What a process knows of the service's outages (`api.games.outages`).

    A process that `beats` writes regularly that it is up: when it last did, and when the latest outage ended.
    """

    beats: bool = False
    at: datetime | None = None
    outage: datetime | None = None


TAKE_SPACE = """
    CREATE TEMPORARY TABLE disk_space ON COMMIT DROP AS
    SELECT repeat(md5(n::text), 60) FROM generate_series(1, 560) AS n
"""
"""Takes about a megabyte of the disk for a moment; longer texts would be compressed."""


class DiskMark:
    """The mark of this process, or of all that share a directory."""

    def __init__(self, directory: str | None) -> None:
        self._path = Path(directory, "disk-full") if directory else None
        self._full = False

    @property
    def full(self) -> bool:
        """Return whether the disk is full."""
        return self._full if self._path is None else self._path.exists()

    def mark(self) -> None:
        """Note that it is full."""
        self._full = True
        if self._path is not None:
            self._path.touch()

    def clear(self) -> None:
        """Note that it is not."""
        self._full = False
        if self._path is not None:
            self._path.unlink(missing_ok=True)
