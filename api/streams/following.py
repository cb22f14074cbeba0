"""What all streams share."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Generic, NamedTuple

from api.context import Context
from api.core.callers import Caller
from api.core.errors import ServiceError
from api.games.views import Visibility
from api.store.database.session import Session
from api.streams.channels import AWAY, Channel, Kept, Live, Watch

RECHECK = timedelta(seconds=60)  # how often a token is looked up again, because notifications can get lost

LookUp = Callable[[Session], Caller]
"""Looks the caller's token up again. Raises Unauthorized, Forbidden where it does not do any more."""


class Event(NamedTuple):
    """An event of a stream: its name, where to resume after it, and JSON."""

    type: str
    id: str
    data: bytes


@dataclass
class Following(ABC, Generic[Kept]):
    """A caller who follows something; `after` is the place of the last entry that was handled."""

    context: Context
    live: Live
    look_up: LookUp
    after: Any
    checked: datetime = field(init=False)

    def __post_init__(self) -> None:
        self.checked = self.context.now()

    @abstractmethod
    def channel(self) -> AbstractContextManager[Channel[Kept]]:
        """Hold the channel of what is followed."""

    @abstractmethod
    def visibility_of(self, entry: Kept) -> Visibility | None:
        """Return what the caller sees of an entry, or None if it may not see it."""

    @abstractmethod
    def event(self, channel: Channel[Kept], entry: Kept, visibility: Visibility) -> Event:
        """Return the event of an entry."""

    def passed(self, entries: list[Kept], entry: Kept) -> None:
        """Record that an entry was handled."""

    def reseated(self, entries: list[Kept]) -> bool:
        """Return whether the caller may now see more or less than before."""
        return False

    def open(self, context: Context) -> None:
        """Determine again what the caller may see. Raises NotFound if it may no longer see anything."""

    def record(self) -> None:
        """Record that the caller is here."""

    @property
    def ended(self) -> bool:
        """Whether no more entries will come."""
        return False

    def run(self) -> Iterator[Event | None]:
        """Yield events as they are committed; None if nothing happened for a while.

        It ends when nothing more will come, when the caller may no longer see it, when the database stays
        down or was restored from a backup, and when the process ends.
        """
        begun = self.live.database.epoch
        try:
            with (
                self.channel() as channel,
                self.live.watch(channel, self.context.caller.credential_id) as watch,
            ):
                sent_at = time.monotonic()
                while not self.ended and not self.live.closing:
                    self.record()
                    entries = channel.after(self.after)
                    if self.live.database.epoch != begun:
                        return
                    self._check(entries, watch)
                    for event in self.publish(channel, entries, watch):
                        yield event
                        sent_at = time.monotonic()
                        del event  # it would take memory while the stream waits
                    left = sent_at + self.live.keep_alive - time.monotonic()
                    if left > 0 and not entries:
                        channel.wait(self.after, until_expiry(self.context, left), watch)
                    elif left <= 0:
                        channel.look()
                        yield None
                        sent_at = time.monotonic()
        except (ServiceError, *AWAY):
            return

    def publish(self, channel: Channel[Kept], entries: list[Kept], watch: Watch | None) -> Iterator[Event]:
        """Yield the events of entries."""
        for entry in entries:
            if watch is not None and watch.changed:
                return  # may change while an entry is sent, which takes as long as the caller reads
            visibility = self.visibility_of(entry)
            if visibility is not None:
                yield self.event(channel, entry, visibility)
            self.after = entry.place
            self.passed(entries, entry)

    def _check(self, entries: list[Kept], watch: Watch | None) -> None:
        """Look up the caller and what it may see again, if that may have changed.

        Raises Unauthorized, Forbidden, NotFound when it is over.
        """
        now = self.context.now()
        changed = watch is not None and watch.changed
        due = now - self.checked >= RECHECK or until_expiry(self.context, 1) <= 0
        if not (changed or due or self.reseated(entries)):
            return
        if watch is not None:
            watch.changed = False  # later notifications wake again
        self.context.caller = self.live.use(None, self._look_again)
        self.checked = now

    def _look_again(self, session: Session) -> Caller:
        context = replace(self.context, session=session)
        context.caller = self.look_up(session)
        self.open(context)
        return context.caller


def until_expiry(context: Context, timeout: float) -> float:
    """Return the timeout, or the seconds until the caller's token expires if that is sooner."""
    expires = context.caller.expires_at
    return timeout if expires is None else min(timeout, (expires - context.now()).total_seconds())
