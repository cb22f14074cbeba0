"""The log of a game as it grows, as one caller sees it: what every kind of stream is made from."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from api.services import tokens
from api.services.access import Sight
from api.services.context import Context
from api.services.errors import ServiceError
from api.services.events import open_log
from api.services.live import AWAY, Channel, Fresh, Live
from api.services.showing import show_game, show_stored
from api.services.table import CANCELLED, FINISHED
from api.services.texts import dumps
from api.store import log
from api.store.log import StoredEntry

RECHECK = timedelta(seconds=60)  # as often a token is looked up again while its stream runs
RESEATED = ("joined", "left")  # after these entries the caller may see more, or less, than before
LAST = ("finished", "cancelled")


class Told(NamedTuple):
    """One thing that a stream tells: an entry's `type` and seq, or `view` and the version; `data` is JSON."""

    type: str
    id: int
    data: bytes


@dataclass
class Following:
    """A caller who follows a game; `last` is the seq of its last entry where the game is over."""

    context: Context
    live: Live
    game_id: UUID
    token: str | None
    sight: Sight
    first: Told | None
    after: int
    version: int
    last: int | None
    checked: datetime

    @property
    def ended(self) -> bool:
        """Nothing will come any more."""
        return self.last is not None and self.after >= self.last

    def run(self) -> Iterator[Told | None]:
        """Give everything that happens, as it is committed; None where nothing does for a while.

        It ends when the game is over, when the caller may no longer see it, and when the database stays away.
        """
        if self.first is not None:
            yield self.first
        try:
            with self.live.follow(self.game_id, min(self.after, self.version)) as channel:
                while not self.ended:
                    found = channel.after(self.after)
                    self._check(found)
                    if found:
                        yield from self._tell(channel, found)
                    elif self._waits(channel):
                        yield None
        except (ServiceError, *AWAY):
            return

    def _waits(self, channel: Channel) -> bool:
        """Wait for the next entry; tells whether none has come for the whole time of a keep-alive."""
        quiet = not channel.wait(self.after, self.live.keep_alive)
        if quiet:
            channel.look()
        return quiet

    def _tell(self, channel: Channel, found: list[Fresh]) -> Iterator[Told]:
        for entry in found:
            yield Told(entry.type, entry.seq, channel.shown(entry, self.sight, self._show))
            self.after = entry.seq
            if entry.type in LAST:
                self.last = found[-1].seq

    def _show(self, entry: StoredEntry) -> bytes:
        return dumps(show_stored(entry, self.sight))

    def _check(self, found: list[Fresh]) -> None:
        """Look again who calls and what they see. Raises Unauthorized, NotFound when that is over."""
        now = self.context.now()
        reseated = any(entry.type in RESEATED for entry in found)
        expires = self.context.caller.expires_at
        if not reseated and now - self.checked < RECHECK and (expires is None or now < expires):
            return
        with self.live.session() as session:
            context = replace(self.context, session=session)
            context.caller = tokens.caller_of(session, self.token, now)
            _, self.sight = open_log(context, self.game_id)
        self.context.caller = context.caller
        self.checked = now


def follow(context: Context, live: Live, game_id: UUID, token: str | None, after: int | None) -> Following:
    """Begin to follow: with the caller's view of the game, or after an entry that it has. Raises NotFound."""
    table, seen = open_log(context, game_id)
    first = None
    if after is None:
        after = table.version
        first = Told("view", after, dumps(show_game(table, seen)))
    last = table.version if table.status in (FINISHED, CANCELLED) else None
    return Following(context, live, game_id, token, seen, first, after, table.version, last, context.now())


def everything(context: Context, live: Live, game_id: UUID, after: int) -> Iterator[bytes]:
    """Give the log after an entry to its end, a chunk of lines at a time. Raises NotFound, at once."""
    table, seen = open_log(context, game_id)
    return _lines(live, game_id, seen, after, table.version)


def _lines(live: Live, game_id: UUID, seen: Sight, after: int, version: int) -> Iterator[bytes]:
    while after < version:
        with live.session() as session:  # none is held while the caller reads
            found = log.page(session, game_id, after, min(log.CHUNK, version - after))
        if not found:
            return
        yield b"".join(dumps(show_stored(entry, seen)) + b"\n" for entry in found)
        after = found[-1].seq


def wait_for_more(context: Context, live: Live, game_id: UUID, after: int, patience: float) -> None:
    """Return once there are entries after this one, or cannot be any; in `patience` seconds at the latest.

    Raises NotFound. The caller's session holds no connection while it waits.
    """
    table, _ = open_log(context, game_id)
    if after < table.version or table.status in (FINISHED, CANCELLED):
        return
    context.session.close()
    until = time.monotonic() + patience
    with live.follow(game_id, table.version) as channel:
        while not channel.after(after):
            left = until - time.monotonic()
            if left <= 0:
                return
            if not channel.wait(after, min(left, live.keep_alive)):
                channel.look()
