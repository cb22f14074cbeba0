"""The live log of a game, as one caller sees it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from uuid import UUID

import referee.records
from api.context import Context
from api.core.callers import APP
from api.core.json import dumps
from api.games.game import CANCELLED, FINISHED
from api.games.history import show_version
from api.games.views import Visibility, show_stored
from api.store.log import Chosen
from api.streams.channels import Channel, Follower, Fresh, Live
from api.streams.following import Event, Following, LookUp
from api.streams.log import open_log

RESEATED = ("joined", "left")  # after these entries, the caller may see more or less than before


@dataclass
class Subscription(Following[Fresh]):
    """A caller who follows a game of an app; `last` is the seq of its last entry if the game is over."""

    app_id: UUID
    game_id: UUID
    visibility: Visibility
    version: int
    last: int | None
    chosen: Chosen
    first: Event | None = None

    def __post_init__(self) -> None:
        """Give a caller without a name one for this stream."""
        super().__post_init__()
        self.who = self.context.caller.player_id or UUID(bytes=self.context.random_bytes(16))

    @property
    def ended(self) -> bool:
        """Whether no more entries will come."""
        return self.last is not None and self.after >= self.last

    def run(self) -> Iterator[Event | None]:
        """Yield the caller's view, if it has none, and then the entries."""
        if self.first is not None:
            yield self.first
            self.first = None  # it would only take memory while the stream waits
        yield from super().run()

    def channel(self) -> AbstractContextManager[Channel[Fresh]]:
        """Hold the channel of the game."""
        return self.live.subscribe(self.app_id, self.game_id, min(self.after, self.version))

    def visibility_of(self, entry: Fresh) -> Visibility | None:
        """Return what the caller sees of the game, if the entry matches."""
        return self.visibility if self.chosen.take(entry.public) else None

    def event(self, channel: Channel[Fresh], entry: Fresh, visibility: Visibility) -> Event:
        """Return the entry as the caller sees it."""
        return Event(entry.type, str(entry.place), channel.shown(entry, visibility, _show))

    def record(self) -> None:
        """Note that the caller follows the game, if it is a person."""
        if self.context.caller.kind != APP:
            follower = Follower(self.app_id, self.game_id, self.who, not self.visibility.seats)
            self.live.followers.record(follower, self.context.now())

    def passed(self, entries: list[Fresh], entry: Fresh) -> None:
        """Record the end of the game."""
        if entry.type in referee.records.LAST:
            self.last = entries[-1].place

    def reseated(self, entries: list[Fresh]) -> bool:
        """Return whether a player has joined or left."""
        return any(entry.type in RESEATED for entry in entries)

    def open(self, context: Context) -> None:
        """Determine again what the caller may see of the game. Raises NotFound."""
        _, self.visibility = open_log(context, self.game_id)


def _show(entry: Fresh, visibility: Visibility) -> bytes:
    return dumps(show_stored(entry.stored, visibility))


def subscribe(
    context: Context, live: Live, game_id: UUID, look_up: LookUp, after: int | None, chosen: Chosen
) -> Subscription:
    """Begin to follow, with the caller's view of the game, or after an entry that it has.

    Raises NotFound.
    """
    game, visibility = open_log(context, game_id, after or 0)
    first = None
    if after is None:
        shown = show_version(context, game, visibility, None)
        after = game.version
        first = Event("view", str(after), dumps(shown))
    last = game.version if game.status in (FINISHED, CANCELLED) else None
    return Subscription(
        context, live, look_up, after, game.app_id, game_id, visibility, game.version, last, chosen, first
    )
