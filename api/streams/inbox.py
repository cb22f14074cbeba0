"""The games that wait for a player, live."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from api.context import Context
from api.core.json import dumps
from api.game.visibility import SPECTATOR, Visibility, seats_of
from api.store.game import cursors, feed
from api.streams.channels import Channel, Live, Watch
from api.streams.feeds import Feed, FeedEntry, Filters
from api.streams.following import Event, LookUp

Read = Callable[[Context], dict[str, Any]]
"""Reads the first page of the caller's turns."""


@dataclass
class Inbox(Feed):
    """A subscriber of a player's turns; `listed` is what was sent last, `cursor` the event's id."""

    read: Read
    listed: dict[str, Any]
    cursor: str

    def run(self) -> Iterator[Event | None]:
        """Yield the current turns, and again after each change."""
        yield self._event()
        yield from super().run()

    def visibility_of(self, entry: FeedEntry) -> Visibility | None:
        """Return None for an entry of a game in which the caller has no seat and had no turn."""
        waited = any(turn["game"] == str(entry.game.id) for turn in self.listed["items"])
        return SPECTATOR if waited or seats_of(self.context.caller, entry.game) else None

    def publish(
        self, channel: Channel[FeedEntry], entries: list[FeedEntry], watch: Watch | None
    ) -> Iterator[Event]:
        """Yield the turns if the entries have changed them."""
        concerned = any(self.visibility_of(entry) is not None for entry in entries)
        if entries:
            self.after, self.cursor = entries[-1].place, entries[-1].cursor
        if concerned:
            listed = self.live.use(
                self.context.app_id, lambda session: self.read(replace(self.context, session=session))
            )
            if listed != self.listed:
                self.listed = listed
                yield self._event()

    def _event(self) -> Event:
        return Event("turns", self.cursor, dumps(self.listed))


def follow(context: Context, live: Live, look_up: LookUp, read: Read) -> Inbox:
    """Begin to follow, with the current turns."""
    after = feed.newest(context.session, context.app_id)  # first, because everything after it will be read
    cursor = cursors.write(context.session, context.app_id, after)
    return Inbox(context, live, look_up, after, Filters(), read, read(context), cursor)


def wait(context: Context, live: Live, look_up: LookUp, read: Read, timeout: float) -> dict[str, Any]:
    """Return the turns when there is one, after `timeout` seconds at the latest. Raises Unauthorized."""
    inbox = follow(context, live, look_up, read)
    until = time.monotonic() + timeout
    while not inbox.listed["items"] and time.monotonic() < until and not live.closing:
        inbox.wait(until - time.monotonic())
        inbox.listed = read(context)
    return inbox.listed
