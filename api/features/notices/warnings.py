"""Warnings before a deadline, to the players of its seats."""

from __future__ import annotations

import logging
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple
from uuid import UUID

from api.context import Context
from api.core.names import Labels
from api.features.notices import events, projection
from api.store import due_work
from api.store.database.session import Session
from api.store.tables.games import games, turns

log = logging.getLogger("card_referee.jobs")


class Warned(NamedTuple):
    """A seat whose player gets a warning. Bots have no deadlines."""

    seat: int
    player_id: UUID
    deadline: datetime
    app_id: UUID
    version: int
    ruleset: str
    title: str | None
    external_id: str | None
    metadata: dict[str, str]
    test_clock: UUID | None


COLUMNS = [(turns if name in turns.c and name != "app_id" else games).c[name] for name in Warned._fields]


def take(session: Session, game_id: UUID, now: datetime) -> list[Warned]:
    """Return the seats of a game whose warning is due, and mark the warnings as done."""
    t, g = turns.c, games.c
    due: Any = turns.update().where(t.game_id == game_id, t.warn_at <= now, g.id == t.game_id)
    rows = session.execute(due.values(warn_at=None).returning(*COLUMNS))
    return sorted((Warned(*row) for row in rows), key=attrgetter("seat"))


def warn(context: Context, game_id: UUID, now: datetime) -> None:
    """Warn the seats of a game whose warnings are due, in the open transaction."""
    warned = take(context.session, game_id, now)
    if not warned:  # another worker has handled it since it was found
        return
    shown = [events.TurnNotice(game_id, w.version, w.seat, str(w.player_id), w.deadline) for w in warned]
    first = warned[0]
    labels = Labels(first.external_id, first.metadata)
    subject = events.Subject(
        first.app_id, game_id, first.ruleset, first.title, labels, test_clock=first.test_clock
    )
    events.posted(context, subject, [events.of_turn(events.TURN_WARNING, turn) for turn in shown], now)


def warn_next(context: Context, exclude: list[UUID]) -> UUID | None:
    """Warn the seats of the game whose warning is due the longest; return its id, or None if none is due."""
    game_id = None
    try:
        with context.session.transaction():
            game_id = due_work.next_due(context.session, due_work.WARNINGS, context.now(), exclude)
            if game_id is not None:
                warn(context, game_id, context.now())
    except Exception:
        if game_id is None:
            raise
        log.exception("game %s: its warnings failed", game_id)
        exclude.append(game_id)  # go on with the others; try this one again in the next round
    return game_id


def warn_all(context: Context) -> None:
    """Warn every seat whose warning is due, after the notices of its turn are queued."""
    projection.announce_all(context)
    failed: list[UUID] = []
    while warn_next(context, failed) is not None:
        pass
