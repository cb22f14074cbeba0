"""Takes a finished month out of the database.

Its games are deleted like those of a deleted app: what stays is the log of all games, and for each app the
place in its feed up to which entries are gone. A call that was interrupted is repeated.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from uuid import UUID

import psycopg

from api.context import Context
from api.core.config import Settings, StartError
from api.features import opened
from api.features.months import exporting, files, months
from api.features.months.months import PIECE, Month
from api.games import verification
from api.store import games, log, removal
from api.store.database.session import Session, scalar

TRIES, PAUSE = 30, 2.0  # to drop a part, under a lock that no move may hold meanwhile; seconds between two
PLACES = """
    SELECT app_id, max(tick) FROM entries
    WHERE game_id >= %(first)s AND game_id < %(beyond)s GROUP BY app_id
"""
UNANNOUNCED = "SELECT FROM notice_positions WHERE app_id = %s AND tick < %s"
NOTE = "INSERT INTO detached (app_id, month, tick) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"

Report = Callable[[str], None]


def detach(settings: Settings, moment: datetime, file: Path, report: Report, now: datetime) -> None:
    """Delete the games of a month, which have to be in a file that `export` wrote. Raises StartError."""
    month = months.month_of(moment)
    with opened(settings.for_owner()) as context:
        session = context.session
        if month.beyond > months.month_of(now).first:
            raise StartError(f"{month.name} stays: it is not over.")
        if waits := months.unfinished(session, month, now):
            raise StartError(f"{month.name} stays: {waits}.")
        places = session.execute(PLACES, month._asdict()).fetchall()
        if any(session.execute(UNANNOUNCED, place).fetchone() is not None for place in places):
            raise StartError(f"{month.name} stays: not all of it is announced yet; is the worker running?")
        kept = _verified(context, file)
        ids = [*months.games_of(session, month)]
        if lost := [game for game in ids if game not in kept]:
            raise StartError(f"{month.name} stays: {file} lacks {len(lost)} of its games, such as {lost[0]}.")
        with session.transaction():
            for app, tick in places:
                session.execute(NOTE, (app, month.name, tick))
        for start in range(0, len(ids), PIECE):
            removal.delete_games(session, ids[start : start + PIECE])
        if not session.distributed:
            _drop(session, month)
    report(f"{month.name} is detached, with {len(ids)} games: keep {file}")


def _verified(context: Context, file: Path) -> set[UUID]:
    """Return the games in a file whose records there are those of now, and hold. Raises StartError."""
    kept = set()
    for line in files.read(file):
        try:
            game, record = UUID(line["game"]), dict(line["record"])
        except (AttributeError, KeyError, TypeError, ValueError):
            raise StartError(f"{file} has a line that `export` has not written.") from None
        row = games.get(context.session, game)
        if row is not None:
            now = files.as_read(exporting.line_of(context, game))
            there = record.pop("inclusion", None)  # in a tree that has grown since
            here = now["record"].pop("inclusion", None)
            if {**line, "record": record} != now or (here and not there):
                raise StartError(
                    f"The record of game {game} is another one in {file}: export its month again."
                )
            if faults := verification.faults(row, log.all_entries(context.session, game, row.version)):
                raise StartError(f"The log of game {game} does not hold: {'; '.join(faults)}.")
            kept.add(game)
    return kept


def _drop(session: Session, month: Month) -> None:
    """Drop the part of a month, in which nothing is left."""
    for _ in range(TRIES):
        try:
            with session.transaction():
                session.execute("SET LOCAL lock_timeout = '500ms'")  # others wait for us meanwhile
                if not scalar(session, "SELECT to_regclass(%s)", (month.part,)):
                    return
                session.execute(f"ALTER TABLE entries DETACH PARTITION {month.part}")
                if scalar(session, f"SELECT EXISTS (SELECT FROM {month.part})"):
                    raise StartError(f"{month.part} has entries of other games, and stays.")
                session.execute(f"DROP TABLE {month.part}")
                session.execute(f"DROP FUNCTION no_gap_in_{month.part}()")
            return
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
            time.sleep(PAUSE)
    raise StartError(f"{month.part} is empty, and could not be dropped: repeat the command later.")
