"""Copies of games that this process used recently, so that the next move need not read them.

A copy may be outdated: what is based on it is written by one statement, which does nothing if the game or
the caller's token has changed (`api.store.game.at_once`). A request takes the copy out while it uses it, so
that no other request has it, and puts it back after the answer is written. Nothing is shown from it before.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import NamedTuple, NoReturn
from uuid import UUID

from api.context import Context
from api.game.game import RUNNING, Game
from api.game.rows import game_of
from api.game.saving import Changed
from api.store.game import at_once
from api.store.game.at_once import Mark, Token
from api.store.idempotency_keys import NewAnswer

MOST = 1000  # games


class Copy(NamedTuple):
    """A game, and the mark of the state that it was read in."""

    game: Game
    mark: Mark


class NeedsLock(Exception):
    """The change cannot be written by one statement."""


class Copies:
    """The copies of one process."""

    def __init__(self) -> None:
        self._copies: OrderedDict[UUID, Copy] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, game_id: UUID) -> Copy | None:
        """Take a copy out; None if there is none, or if another request is using it."""
        with self._lock:
            return self._copies.pop(game_id, None)

    def put(self, copy: Copy) -> None:
        """Put a copy back, or a new one in; if there are too many, the least recently used one is removed."""
        with self._lock:
            self._copies[copy.game.id] = copy
            if len(self._copies) > MOST:
                self._copies.popitem(last=False)


def read(context: Context, game_id: UUID) -> Copy | None:
    """Read a game without a lock; None if there is none that the caller may know of."""
    found = at_once.get(context.session, game_id)
    return Copy(game_of(found[0]), found[1]) if found else None


def prepare(game: Game) -> None:
    """Prevent changes of a copy that need the lock: the end of the game, and reading its players' hours.

    A game ends only while its row is locked, so that requests for private cards wait for the end. The hours
    that players have set may move deadlines. Raises NeedsLock, now or during the change.
    """
    if game.status != RUNNING or game.test_clock or any(seat.orders or seat.looked for seat in game.seats):
        raise NeedsLock
    game.looks = game.hours = _locked


def _locked(*who: UUID) -> NoReturn:
    raise NeedsLock


def save(context: Context, copy: Copy, answer: NewAnswer | None) -> Copy | None:
    """Write the change of a copy; return the copy to put back, or None if nothing was written."""
    caller = context.caller
    assert caller.credential_id is not None
    if len(copy.game.entries) != 1:
        return None
    changed = Changed.of(copy.game)
    token = Token(caller.credential_id, caller.expires_at)
    mark = at_once.advance(context.session, changed.change, copy.mark, token, answer)
    if mark is None:
        return None
    changed.saved()
    return Copy(copy.game, mark)
