"""Copies of games that this process used recently, so that the next change need not read them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any
from uuid import UUID

MOST = 1000


class Copies:
    """The copies of one process, by the id of the game; a request takes one out while it uses it."""

    def __init__(self) -> None:
        self._copies: OrderedDict[UUID, Any] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, game_id: UUID) -> Any:
        """Take a copy out; None if there is none, or if another request is using it."""
        with self._lock:
            return self._copies.pop(game_id, None)

    def put(self, game_id: UUID, copy: Any) -> None:
        """Put a copy in; if there are too many, the least recently used one is removed."""
        with self._lock:
            self._copies[game_id] = copy
            if len(self._copies) > MOST:
                self._copies.popitem(last=False)
