"""The copies of games that one process has (`api.game.finding`): the most recently used ones."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any
from uuid import UUID

MOST = 500


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
            if len(self._copies) > MOST:
                self._copies.popitem(last=False)

    def forget(self, game_id: UUID, version: int) -> None:
        """Forget a copy that is older than this version of the game."""
        with self._lock:
            if self._copies.get(game_id, (version, None))[0] < version:
                del self._copies[game_id]
