"""How far the log of each app was announced to its listeners: webhooks, and players who can be reached.

An app without listeners has no position, so nothing is read for it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, any_, bindparam, select

from api.store.database.locks import Lock
from api.store.database.session import Session
from api.store.feed import START, Place
from api.store.tables.games import games

# A row that is there already is locked, so that nobody finds that the app has no listeners and ends it.
BEGIN = """
    INSERT INTO notice_positions (app_id, tick, game_id, seq) VALUES (%s, feed_tick(), %s, 0)
    ON CONFLICT (app_id) DO UPDATE SET app_id = excluded.app_id
"""
# Locks without a transaction number, for whose end all feeds would wait.
WAIT = "SELECT pg_advisory_xact_lock(%s, hashtext(%s::text))"
TRY = "SELECT pg_try_advisory_xact_lock(%s, hashtext(%s::text))"
POSITION = "SELECT tick, game_id, seq FROM notice_positions WHERE app_id = %s"
# A look-up for each app; with EXISTS, the planner might read all entries.
BEHIND = """
    SELECT p.app_id FROM notice_positions p WHERE coalesce(p.app_id = ANY (%s::uuid[]), true) AND (
        SELECT true FROM entries e
        WHERE e.app_id = p.app_id AND (e.tick, e.game_id, e.seq) > (p.tick, p.game_id, p.seq) LIMIT 1
    )
"""
# Citus plans no look-up in the shards for each row of the coordinator.
POSITIONS = """
    SELECT app_id, tick, game_id, seq FROM notice_positions WHERE coalesce(app_id = ANY (%s::uuid[]), true)
"""
BEYOND = "SELECT EXISTS (SELECT 1 FROM entries WHERE app_id = %s AND (tick, game_id, seq) > (%s, %s, %s))"
MOVE = "UPDATE notice_positions SET tick = %s, game_id = %s, seq = %s WHERE app_id = %s"


def begin(session: Session, app_id: UUID) -> None:
    """Announce the app's entries from this transaction on, if they are not announced already."""
    session.execute(BEGIN, (app_id, START.game_id))


def take(session: Session, app_id: UUID, *, wait: bool) -> Place | None:
    """Return an app's position; nobody else gets it until this transaction ends.

    Return None if it has none, or if somebody else has taken it, unless we `wait` for that.
    """
    taken = session.execute(WAIT if wait else TRY, (Lock.NOTICES.value, app_id)).fetchone()
    if not wait and taken == (False,):
        return None
    row = session.execute(POSITION, (app_id,)).fetchone()
    return Place(*row) if row else None


def move(session: Session, app_id: UUID, reached: Place) -> None:
    """Store how far an app's log is announced; until the transaction ends, no listener is added."""
    session.execute(MOVE, (*reached, app_id))


def end(session: Session, app_id: UUID) -> None:
    """Announce nothing more of an app, to which nobody listens."""
    session.execute("DELETE FROM notice_positions WHERE app_id = %s", (app_id,))


def behind(session: Session, app_ids: Sequence[UUID] | None) -> list[UUID]:
    """List the apps, or those of these apps, that have entries after their positions."""
    apps = None if app_ids is None else list(app_ids)
    if not session.distributed:
        return [row[0] for row in session.execute(BEHIND, (apps,))]
    rows = session.execute(POSITIONS, (apps,)).fetchall()
    return [row[0] for row in rows if session.execute(BEYOND, row).fetchone() == (True,)]


class Labelled(NamedTuple):
    """What notices say of a game, and who has its seats; `sitting` is JSON."""

    id: UUID
    app_id: UUID
    ruleset: str
    title: str | None
    external_id: str | None
    metadata: Mapping[str, str]
    test_clock: UUID | None
    sitting: str


LABELLED = select(*(games.c[name] for name in Labelled._fields)).where(
    games.c.id == any_(bindparam("games", type_=ARRAY(Uuid)))
)


def labelled(session: Session, game_ids: Collection[UUID]) -> dict[UUID, Labelled]:
    """Return what notices to apps say of these games, by id."""
    rows = session.execute(LABELLED, {"games": list(game_ids)}) if game_ids else ()
    return {row[0]: Labelled(*row) for row in rows}
