"""All entries of an app's games, or of a player's, as one caller sees them: in pages, or live.

The caller sees the same of an entry as in the game's own log; entries of games that it may not see are left
out. A caller who may see a game only later reads its beginning in the game's log. `follow_turns` tells a
player live which games wait.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from uuid import UUID

from api.context import Context
from api.core.callers import PLAYER, Caller
from api.core.errors import Detached, Forbidden, NotFound
from api.core.json import dumps, loads
from api.games import answers_of_logs as answers
from api.games import looks, views
from api.games.game import Game
from api.games.loading import outline_of
from api.games.views import NO_LABELS, SPECTATOR, Visibility, seats_of, show_stored
from api.store import cursors, feed, games, log
from api.store.database.session import Session
from api.store.feed import START, FeedPart, Place, Placed, Selection
from api.store.log import StoredEntry
from api.streams.channels import Channel, Live, Watch
from api.streams.following import Event, Following, LookUp

SOON, LATER = 0.05, 1.0  # seconds between two looks at a feed while earlier transactions are open


class Filters(NamedTuple):
    """Which entries to read; None: no filter. `mine`: of games in which the caller has a seat."""

    player: Sequence[UUID] | None = None
    ruleset: Sequence[str] | None = None
    type: Sequence[str] | None = None
    move_type: Sequence[str] | None = None
    mine: bool = False

    def selection(self, caller: Caller) -> Selection:
        """Return the filter for the log, which includes at least everything that the caller is shown."""
        viewer = caller.player_id if caller.kind == PLAYER else None
        return Selection(self.player, viewer, self.mine, self.ruleset, self.type, self.move_type)

    def take(self, entry: FeedEntry) -> bool:
        """Return whether an entry matches, for any caller."""
        game = entry.game
        seated = {UUID(seat.player.id) for seat in game.seats if seat.player} if self.player else ()
        return (
            (self.player is None or any(player in seated for player in self.player))
            and (self.ruleset is None or game.ruleset in self.ruleset)
            and (self.type is None or entry.type in self.type)
            and (self.move_type is None or entry.move_type in self.move_type)
        )


class FeedEntry(NamedTuple):
    """An entry that the subscribers of an app share, with its game at the time of reading."""

    stored: StoredEntry
    place: Place
    cursor: str
    game: Game
    type: str
    move_type: str | None


def place_of(context: Context, cursor: str | None) -> Place:
    """Return the place where reading begins: the start, after a cursor, or `now` (only future entries).

    Raises BadRequest, Restored.
    """
    if cursor is None:
        return START
    if cursor == "now":
        return feed.newest(context.session, context.app_id)
    return cursors.read(context.session, context.app_id, cursor)


def _require_kept(session: Session, app_id: UUID, after: Place) -> None:
    """Raise Detached if entries after a place are of detached months, because a feed would leave them out.

    Call this after reading: a month may be detached between a check and a later read.
    """
    gone = feed.gone(session, app_id)
    if after < gone:
        raise Detached(
            "Entries after this cursor are of old games that are no longer here; continue after `cursor`.",
            cursor=cursors.write(session, gone),
        )


def _entries(session: Session, app_id: UUID, rows: Iterable[Placed]) -> list[FeedEntry]:
    rows = list(rows)
    known = {row.id: outline_of(row) for row in games.several(session, {e.place.game_id for e in rows})}
    entries = []
    for entry in rows:
        public, game = loads(entry.stored.public), known[entry.place.game_id]
        cursor, move = cursors.write(session, entry.place), public.get("move") or {}
        entries.append(FeedEntry(entry.stored, entry.place, cursor, game, public["type"], move.get("type")))
    return entries


def visibility_of(caller: Caller, entry: FeedEntry, filters: Filters) -> Visibility | None:
    """Return what a caller sees of a matching entry, or None if it may not see it."""
    if not filters.take(entry):
        return None
    try:
        visibility = views.visibility_of(caller, entry.game)
    except (NotFound, Forbidden):
        return None
    return visibility if visibility.seats or not filters.mine else None


def show(entry: FeedEntry, visibility: Visibility) -> answers.FeedEntry:
    """Return an entry with its game, and the cursor after it.

    The labels of the game are the current ones, and are shown only to callers who see them in the game.
    """
    game = entry.game
    return {
        "cursor": entry.cursor,
        "game": str(game.id),
        "ruleset": game.ruleset,
        "title": game.title,
        **(game.labels.to_json() if visibility.own else NO_LABELS),
        "entry": show_stored(entry.stored, visibility),
    }


def _show(entry: FeedEntry, visibility: Visibility) -> bytes:
    return dumps(show(entry, visibility))


def _read(
    context: Context, filters: Filters, after: Place, limit: int
) -> tuple[list[tuple[FeedEntry, Visibility]], FeedPart]:
    """Read the part of a feed that the caller may see. Raises Detached."""
    conditions = filters.selection(context.caller)
    part = feed.search(context.session, context.app_id, after, limit, conditions)
    _require_kept(context.session, context.app_id, after)
    seen_entries = [
        (entry, visibility_of(context.caller, entry, filters))
        for entry in _entries(context.session, context.app_id, part.entries)
    ]
    shown = [(entry, visibility) for entry, visibility in seen_entries if visibility is not None]
    for game, visibility in {entry.game.id: (entry.game, visibility) for entry, visibility in shown}.values():
        looks.record_view(context, game, visibility)
    return shown, part


def page(context: Context, filters: Filters, after: Place, limit: int) -> answers.Feed:
    """Return a page of a feed. Reading continues at `cursor` later, and at `next` if there is more already.

    An empty page may have a next one, because only some thousand entries are scanned for a page.
    """
    shown, part = _read(context, filters, after, limit)
    reached = cursors.write(context.session, part.reached)
    items = [show(entry, visibility) for entry, visibility in shown]
    return {"items": items, "next": reached if part.more else None, "cursor": reached}


class AppChannel(Channel[FeedEntry]):
    """The entries of all games of an app, shown when nothing can come before them any more."""

    def __init__(self, live: Live, app_id: UUID, end: Place) -> None:
        super().__init__(live, app_id, self._read_entries, end)
        self._pause = 0.0  # seconds until the next look, if there is more beyond an open transaction
        self._next_look = 0.0
        self._epoch: int | None = None

    def _read_entries(self, session: Session, place: Place) -> list[FeedEntry]:
        if self._epoch is None:
            self._epoch = session.epoch
        cursors.require_epoch(session, self._app_id, self._epoch, place)
        entries = _entries(session, self._app_id, feed.read(session, self._app_id, place, log.CHUNK).entries)
        if place == self._end:
            waits = feed.goes_on(session, self._app_id, entries[-1].place if entries else place)
            self._pause = min(max(SOON, 0 if entries else 2 * self._pause), LATER) if waits else 0.0
            self._next_look = time.monotonic() + self._pause
        else:
            _require_kept(session, self._app_id, place)
        return entries

    def advance(self, version: int | None = None) -> None:
        """Wake the subscribers: an entry was written in one of the games."""
        super().advance()

    def after(self, place: Place) -> list[FeedEntry]:
        """Return the entries after this place; look again if some could not be shown at the last look."""
        if self._pause and time.monotonic() >= self._next_look:
            self._next_look += LATER  # so that only one subscriber looks
            self._stale = True
        return super().after(place)

    def limit(self, timeout: float) -> float:
        """Return the timeout, or the seconds until the next look if that is sooner."""
        return min(timeout, self._next_look - time.monotonic()) if self._pause else timeout


@dataclass
class Feed(Following[FeedEntry]):
    """A caller who follows an app's games, or its own."""

    filters: Filters

    def channel(self) -> AbstractContextManager[Channel[FeedEntry]]:
        """Hold the channel of the app."""
        app_id = self.context.app_id
        with self.live.session(app_id) as session:
            end = feed.newest(session, app_id)
        return self.live.keep_open(app_id, lambda: AppChannel(self.live, app_id, end))

    def visibility_of(self, entry: FeedEntry) -> Visibility | None:
        """Return what the caller sees of the entry's game."""
        return visibility_of(self.context.caller, entry, self.filters)

    def event(self, channel: Channel[FeedEntry], entry: FeedEntry, visibility: Visibility) -> Event:
        """Return the entry with its game; the cursor is the event's id."""
        if visibility.whole or self.context.caller.by_app:  # only these may see cards that are not their own
            with self.live.session(self.context.app_id) as session:
                looks.record_view(replace(self.context, session=session), entry.game, visibility)
        return Event(entry.type, entry.cursor, channel.shown(entry, visibility, _show))


def follow(context: Context, live: Live, look_up: LookUp, filters: Filters, after: Place) -> Feed:
    """Begin to follow from a place on. Raises Detached."""
    _require_kept(context.session, context.app_id, after)
    return Feed(context, live, look_up, after, filters)


Read = Callable[[Context], Mapping[str, Any]]
"""Reads the first page of the caller's turns."""


@dataclass
class Inbox(Feed):
    """A subscriber of a player's turns; `listed` is what was sent last, `cursor` the event's id."""

    read: Read
    listed: Mapping[str, Any]
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


def follow_turns(context: Context, live: Live, look_up: LookUp, read: Read) -> Inbox:
    """Begin to follow, with the current turns."""
    after = feed.newest(context.session, context.app_id)  # first, because everything after it will be read
    cursor = cursors.write(context.session, after)
    return Inbox(context, live, look_up, after, Filters(), read, read(context), cursor)
