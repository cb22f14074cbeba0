"""Makes notices of the log: follows each app's feed, and queues what its listeners get.

Moves only append entries. Their notices are queued here, in one transaction with the position up to which the
log was read: so each entry is announced once, in the order of its game, whichever process dies. Only apps
with listeners have a position.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

import referee.records
from api.context import Context
from api.core.json import loads
from api.core.names import Labels
from api.feature import Due, Hook
from api.features.notices import events, positions
from api.features.notices.events import Notification, Subject, TurnNotice
from api.features.notices.positions import Labelled
from api.games.views import entry_of
from api.store import feed
from api.store.feed import Unannounced
from api.store.log import StoredEntry

log = logging.getLogger("card_referee.jobs")

BATCH = 100  # entries that are announced in one transaction
# Seconds between two batches of an app. The first entry after a pause is announced at once. A batch takes the
# processor time of about a move, so those of a busy app must be few, or they slow its moves down.
PAUSE = 0.1


class Announcement(NamedTuple):
    """Notices of what happened at the time `at` in one game, or to one app.

    Those of an entry have its `tick`.
    """

    subject: Subject
    notices: Sequence[Notification]
    at: datetime
    tick: int | None = None


class Listening(NamedTuple):
    """The events that some who listen to an app want, and what queues notices for them."""

    wanted: Collection[str]
    post: Callable[[Sequence[Announcement]], None]


listening: Hook[[UUID], Listening | None] = Hook()
"""Returns what is wanted of an app; None if nobody listens to it."""


def announce_next(context: Context, app_id: UUID, *, wait: bool = False) -> int:
    """Queue the notices of an app's next entries; return how many entries there were.

    If another worker is doing this now, `wait` for it, or do nothing.
    """
    session = context.session
    with session.transaction():
        position = positions.take(session, app_id, wait=wait)
        entries = feed.unannounced(session, app_id, position, BATCH) if position else []
        if not entries:
            return 0
        positions.move(session, app_id, entries[-1].place)
        listeners = [each for each in listening(context, app_id) if each is not None]
        if not listeners:
            positions.end(session, app_id)
        announcements = _announcements(context, entries, {*chain(*(each.wanted for each in listeners))})
        for each in listeners:
            each.post(announcements)
    return len(entries)


def announce_all(context: Context) -> None:
    """Queue the notices of all entries that can be read; a failure of one app does not stop the others."""
    for app_id in positions.behind(context.session, None):
        try:
            while announce_next(context, app_id, wait=True) == BATCH:
                pass
        except Exception:
            if context.session.connection.closed:  # not the app's fault
                raise
            log.exception("app %s: its log could not be announced", app_id)


def _announcements(context: Context, entries: Sequence[Unannounced], types: set[str]) -> list[Announcement]:
    """Return the notices of entries, without those that nobody wants: most entries have no others.

    An entry of a game that cannot be read is left out: the others do not wait for it.
    """
    wanted: list[tuple[Unannounced, referee.records.Members, dict[str, Any]]] = []
    for entry in entries:
        public, more = loads(entry.public), loads(entry.notice or "{}")
        awaited = _event_of_awaited(public) in types and "awaited" in more
        if entry.notice is not None and (awaited or not types.isdisjoint(events.events_of(public))):
            wanted.append((entry, public, more))
    games = positions.labelled(context.session, {entry.place.game_id for entry, *_ in wanted})
    announcements = []
    for each in wanted:
        place = each[0].place
        try:
            announcements.append(_announcement(games[place.game_id], *each))
        except Exception:  # whatever a damaged row leads to
            log.exception("game %s: its entry %s could not be announced", place.game_id, place.seq)
    return announcements


def _event_of_awaited(public: Mapping[str, Any]) -> str:
    """Return the event of the seats that are awaited after an entry."""
    before_start = public["type"] == "joined" and not public.get("replaced")
    return events.REVEAL_DUE if before_start else events.TURN_BEGAN


def _announcement(
    game: Labelled, entry: Unannounced, public: referee.records.Members, more: dict[str, Any]
) -> Announcement:
    players = [seat["player"] and seat["player"]["id"] for seat in loads(game.sitting)]
    stored = StoredEntry(entry.place.seq, entry.public, None, entry.hash, entry.words)
    of_entry = events.of_entry(game.id, entry_of(stored), players)
    event = _event_of_awaited(public)
    awaited = [
        TurnNotice(game.id, entry.place.seq, int(seat), players[int(seat)], by and datetime.fromisoformat(by))
        for seat, by in more.get("awaited", {}).items()
    ]
    return Announcement(
        Subject(
            game.app_id,
            game.id,
            game.ruleset,
            game.title,
            Labels(game.external_id, game.metadata),
            tuple(player for player in players if player),
            game.test_clock,
        ),
        of_entry + _invitations(game, public) + [events.of_turn(event, turn) for turn in awaited],
        datetime.fromisoformat(public["at"]),
        entry.place.tick,
    )


def _invitations(game: Labelled, public: Mapping[str, Any]) -> list[Notification]:
    """Return the notices of those who are invited to the seats of a new game."""
    if public["type"] != "created":
        return []
    invited = [(number, seat.get("invited")) for number, seat in enumerate(loads(game.sitting))]
    return [
        events.of_invitation(game.id, public["seq"], number, player) for number, player in invited if player
    ]


class Projector:
    """The thread of a worker that announces entries as soon as they are committed."""

    due: Due | None = None

    def __init__(self, new_context: Callable[[], AbstractContextManager[Context]]) -> None:
        self._new_context = new_context
        self._woken = threading.Condition()
        self._apps: set[UUID] = set()
        """Apps of which entries were committed."""
        self._stopping = False

    def run(self) -> None:
        """Announce entries until `stop`."""
        while apps := self._take():
            self.wake(*self._announce(apps))
            time.sleep(PAUSE)

    def hear(self, app: UUID | None) -> None:
        """Read the entries of an app now."""
        if app is not None:
            self.wake(app)

    def wake(self, *apps: UUID) -> None:
        """Read the entries of these apps now; may be called from any thread."""
        with self._woken:
            self._apps |= {*apps}
            self._woken.notify()

    def stop(self) -> None:
        """Announce nothing more; may be called from any thread."""
        with self._woken:
            self._stopping = True
            self._woken.notify()

    def _take(self) -> set[UUID]:
        """Wait for entries; return the apps that have some, or none to stop."""
        with self._woken:
            self._woken.wait_for(lambda: self._apps or self._stopping)
            apps, self._apps = self._apps, set()
            return set() if self._stopping else apps

    def _announce(self, apps: Collection[UUID]) -> Sequence[UUID]:
        """Announce a batch of each app; return those that were behind.

        They have to be looked at again: an entry can be read only when every older transaction has ended.
        """
        behind: Sequence[UUID] = ()
        try:
            with self._new_context() as context:
                behind = positions.behind(context.session, [*apps])
                for app_id in behind:
                    announce_next(context, app_id)
        except psycopg.OperationalError as error:  # the next look at all apps finds these entries
            log.warning("the database does not answer: %s", type(error).__name__)
        except Exception:
            log.exception("entries could not be announced")
        return behind
