"""The log of a game as it grows, as one caller sees it: what every kind of stream is made from."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from api.core.context import Caller, Context
from api.core.errors import ServiceError
from api.core.json import dumps
from api.game.game import CANCELLED, FINISHED, Game
from api.game.show import show_game, show_stored
from api.game.visibility import Visibility
from api.store import log
from api.store.database.session import Session
from api.store.log import StoredEntry
from api.streams.channels import AWAY, Channel, Fresh, Live, Watch
from api.streams.log import open_log

RECHECK = timedelta(seconds=60)  # as often a token is looked up again, should a notice have got lost
RESEATED = ("joined", "left")  # after these entries the caller may see more, or less, than before
LAST = ("finished", "cancelled")


LookUp = Callable[[Session], Caller]
"""Looks the caller's token up again. Raises Unauthorized, Forbidden where it does not do any more."""


class Event(NamedTuple):
    """One thing that a stream tells: an entry's `type` and seq, or `view` and the version; `data` is JSON."""

    type: str
    id: int
    data: bytes


@dataclass
class Subscription:
    """A caller who follows a game of an app; `last` is the seq of its last entry where the game is over."""

    context: Context
    live: Live
    app_id: UUID
    game_id: UUID
    look_up: LookUp
    visibility: Visibility
    first: Event | None
    after: int
    version: int
    last: int | None
    checked: datetime

    @property
    def ended(self) -> bool:
        """Nothing will come any more."""
        return self.last is not None and self.after >= self.last

    def run(self) -> Iterator[Event | None]:
        """Yield everything that happens, as it is committed; None where nothing does for a while.

        It ends when the game is over, when the caller may no longer see it, and when the database stays away.
        """
        if self.first is not None:
            yield self.first
        try:
            with (
                self.live.subscribe(self.app_id, self.game_id, min(self.after, self.version)) as channel,
                self.live.watch(channel, self.context.caller.credential_id) as watch,
            ):
                while not self.ended:
                    found = channel.after(self.after)
                    self._check(found, watch)
                    if found:
                        yield from self._publish(channel, found, watch)
                    elif self._waits(channel, watch):
                        yield None
        except (ServiceError, *AWAY):
            return

    def _waits(self, channel: Channel, watch: Watch | None) -> bool:
        """Wait for the next entry; returns whether none has come for the whole time of a keep-alive."""
        timeout = _until_expiry(self.context, self.live.keep_alive)
        quiet = not channel.wait(self.after, timeout, watch)
        if quiet:
            channel.look()
        return quiet

    def _publish(self, channel: Channel, found: list[Fresh], watch: Watch | None) -> Iterator[Event]:
        for entry in found:
            if watch is not None and watch.changed:
                return  # while the entry before was sent, which takes as long as the caller reads
            yield Event(entry.type, entry.seq, channel.shown(entry, self.visibility, self._show))
            self.after = entry.seq
            if entry.type in LAST:
                self.last = found[-1].seq

    def _show(self, entry: StoredEntry) -> bytes:
        return dumps(show_stored(entry, self.visibility))

    def _check(self, found: list[Fresh], watch: Watch | None) -> None:
        """Look again who calls and what they see, where that may have changed.

        Raises Unauthorized, Forbidden, NotFound when it is over.
        """
        now = self.context.now()
        reseated = any(entry.type in RESEATED for entry in found)
        changed = watch is not None and watch.changed
        if not (reseated or changed or now - self.checked >= RECHECK or _until_expiry(self.context, 1) <= 0):
            return
        if watch is not None:
            watch.changed = False  # from here on a notice is news again
        with self.live.session(None) as session:
            context = replace(self.context, session=session)
            context.caller = self.look_up(session)
            _, self.visibility = open_log(context, self.game_id)
        self.context.caller = context.caller
        self.checked = now


def _until_expiry(context: Context, timeout: float) -> float:
    """Return the timeout, or the seconds until the caller's token expires where those are fewer."""
    expires = context.caller.expires_at
    return timeout if expires is None else min(timeout, (expires - context.now()).total_seconds())


def subscribe(
    context: Context, live: Live, game_id: UUID, look_up: LookUp, after: int | None
) -> Subscription:
    """Begin to follow: with the caller's view of the game, or after an entry that it has. Raises NotFound."""
    game, seen = open_log(context, game_id)
    first = None
    if after is None:
        after = game.version
        first = Event("view", after, dumps(show_game(game, seen)))
    last = game.version if game.status in (FINISHED, CANCELLED) else None
    return Subscription(
        context, live, game.app_id, game_id, look_up, seen, first, after, game.version, last, context.now()
    )


def everything(context: Context, live: Live, game_id: UUID, look_up: LookUp, after: int) -> Iterator[bytes]:
    """Return the log after an entry to its end, a chunk of lines at a time. Raises NotFound, at once.

    It ends early where the caller may not read on.
    """
    game, seen = open_log(context, game_id)
    return _lines(context, live, game, seen, look_up, after)


def _lines(
    context: Context, live: Live, game: Game, seen: Visibility, look_up: LookUp, after: int
) -> Iterator[bytes]:
    begun = False
    while after < game.version:
        try:
            with live.session(context.caller.app_id) as session:  # none is held while the caller reads
                if begun:
                    context = replace(context, session=session, caller=look_up(session))
                    _, seen = open_log(context, game.id)
                found = log.page(session, game.id, after, min(log.CHUNK, game.version - after))
        except ServiceError:
            return
        if not found:
            return
        yield b"".join(dumps(show_stored(entry, seen)) + b"\n" for entry in found)
        after, begun = found[-1].seq, True


def wait_for_more(
    context: Context, live: Live, game_id: UUID, look_up: LookUp, after: int, timeout: float
) -> None:
    """Return once there are entries after this one, or cannot be any; in `timeout` seconds at the latest.

    The caller is looked up again before. Raises NotFound, Unauthorized, Forbidden. The caller's session holds
    no connection while it waits.
    """
    game, _ = open_log(context, game_id)
    if after < game.version or game.status in (FINISHED, CANCELLED):
        return
    context.session.close()
    until = time.monotonic() + timeout
    with (
        live.subscribe(game.app_id, game_id, game.version) as channel,
        live.watch(channel, context.caller.credential_id) as watch,
    ):
        while not channel.after(after):
            if watch is not None and watch.changed:
                watch.changed = False
                with live.session(None) as session:
                    context.caller = look_up(session)
            left = _until_expiry(context, until - time.monotonic())
            if left <= 0:
                break
            if not channel.wait(after, min(left, live.keep_alive), watch):
                channel.look()
    context.caller = look_up(context.session)
