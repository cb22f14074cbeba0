"""Test clocks: an app sets the time of games that it has created for this purpose, and of no others.

Only games that are created on a clock follow it. Their times, in the log too, are the clock's; everything
around them (tokens, kept responses, when webhooks are tried again) uses the server's time. The first entry of
such a game names the clock, so that nobody takes its times for real ones.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from api.context import Context
from api.core.errors import BadRequest, Conflict, GameUnreadable, NotFound
from api.core.paging import Page, PageOf, uuid_page
from api.features.test_clocks import answers, store
from api.features.test_clocks.store import TestClock
from api.games import bots, deadlines
from api.games.game import Game
from api.games.loading import time_of
from api.games.saving import change_within
from api.http import idempotency
from api.http.answers import shown
from referee.clocks import timestamp
from referee.table import commands

MOST = 100  # clocks of an app
MOST_GAMES = 100  # of a clock
MOST_DUE = 500  # deadlines and warnings in one request
SPAN = timedelta(days=366 * 100)  # between the server's time and a clock's, either way


def create(context: Context, name: str | None, time: datetime | None) -> answers.TestClock:
    """Create a clock with this time, by default the server's. Raises BadRequest, Conflict."""
    now = context.now()
    _require_near(now, time or now, "time")
    with idempotency.transaction(context):
        if store.count(context.session, context.app_id) >= MOST:
            raise Conflict(f"An app has at most {MOST} test clocks.")
        clock = TestClock(context.new_id(), name, time or now, now)
        store.insert(context.session, context.app_id, clock)
        return idempotency.keep(context, show(clock))


def get(context: Context, clock_id: UUID) -> answers.TestClock:
    """Return a clock. Raises NotFound."""
    return show(_own(context, clock_id))


def is_free(context: Context, clock_id: UUID) -> bool:
    """Return whether a clock exists and is not locked by others; if so, lock it."""
    return store.is_free(context.session, clock_id)


def time(context: Context, clock_id: UUID) -> datetime:
    """Return the time of a clock."""
    return store.time(context.session, clock_id)


def page(context: Context, chosen: Page) -> PageOf[answers.TestClock]:
    """List the app's clocks, newest first."""
    rows = store.page(context.session, context.app_id, chosen.before, chosen.limit + 1)
    return uuid_page(rows, chosen, show)


def bind(context: Context, clock_id: UUID) -> datetime:
    """Return the time of the clock that a new game will follow. Raises NotFound, Conflict."""
    clock = _own(context, clock_id, lock=True)
    if store.count_games(context.session, clock_id) >= MOST_GAMES:
        raise Conflict(f"A test clock has at most {MOST_GAMES} games.", conflicts_with=str(clock_id))
    return clock.time


def advance(context: Context, clock_id: UUID, to: datetime | None, by: timedelta | None) -> answers.TestClock:
    """Set a clock forward; either everything that falls due until then happens, or nothing does.

    Raises NotFound, BadRequest if it would go back, Conflict if too much falls due.
    """
    with idempotency.transaction(context):
        clock = _own(context, clock_id, lock=True)
        field = "to" if to is not None else "by"
        try:
            until = to if to is not None else clock.time + (by or timedelta())
        except OverflowError:
            raise BadRequest({field: ["Is too far away."]}) from None
        if until < clock.time:
            raise BadRequest({field: [f"Must not be before the clock's time, {timestamp(clock.time)}."]})
        _require_near(context.now(), until, field)
        if not _run_until(context, clock_id, until, MOST_DUE):
            raise Conflict(f"More than {MOST_DUE} deadlines and warnings would be due: take smaller steps.")
        return idempotency.keep(context, show(clock._replace(time=until)))


def _run_until(context: Context, clock_id: UUID, until: datetime, most: int) -> bool:
    """Do everything that falls due by a test clock up to a time, one after the other.

    Each happens at its own time, in the transaction that is open. Nothing happens in a game that cannot be
    read. Return False if there is more than `most`.
    """
    unreadable: list[UUID] = []
    for _ in range(most):
        due = store.next_due(context.session, clock_id, until, unreadable)
        if due is None:
            store.set_time(context.session, clock_id, until)
            return True
        if due.at > store.time(context.session, clock_id):
            store.set_time(context.session, clock_id, due.at)
        if due.is_deadline:
            try:
                change_within(context, due.game_id, partial(_pass_and_play_on, context))
            except GameUnreadable:
                unreadable.append(due.game_id)
        else:
            deadlines.warned(context, due.game_id, store.time(context.session, clock_id))
    return False


def _pass_and_play_on(context: Context, game: Game) -> None:
    deadlines.enforce(context, game)
    bots.play(context, game, bots.IN_ONE_REQUEST)


def delete(context: Context, clock_id: UUID) -> None:
    """Delete a clock; its games that are not over are cancelled, if they can be read. Raises NotFound."""

    def call_off(game: Game) -> None:
        if not game.over:
            game.obey(commands.play.Cancel(), time_of(context, game))

    with context.session.transaction():
        _own(context, clock_id, lock=True)
        for game_id in store.games_under_way(context.session, clock_id):
            with suppress(GameUnreadable):
                change_within(context, game_id, call_off)
        store.delete(context.session, clock_id, context.now())


def show(clock: TestClock) -> answers.TestClock:
    """Return the form of a clock in answers."""
    return shown(answers.TestClock, clock)


def _own(context: Context, clock_id: UUID, *, lock: bool = False) -> TestClock:
    clock = store.get(context.session, context.app_id, clock_id, lock=lock)
    if clock is None:
        raise NotFound("There is no such test clock.")
    return clock


def _require_near(now: datetime, time: datetime, field: str) -> None:
    """Raise BadRequest for a time for which deadlines could not be computed."""
    if abs(time - now) > SPAN:
        raise BadRequest({field: ["Must be within a hundred years."]})
