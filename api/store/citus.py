"""A Citus cluster: other statements, where one PostgreSQL has triggers, unique keys or one statement.

`layout_of` says which of both a database is. `docs/guides/citus.md` says what differs.

Citus plans only statements that change one table, and a trigger on a machine knows nothing of the other ones:
`distribution` leaves those triggers out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from uuid import UUID

from sqlalchemy import ColumnElement, Table

from api.store.database.locks import Lock
from api.store.database.session import Session, scalar
from api.store.layout import (
    COLUMNS,
    ENTRY_COLUMNS,
    ENTRY_VALUES,
    PASS_TURN,
    PLAIN,
    TURN,
    Layout,
    Write,
    update,
)

PASSED = f"{PASS_TURN} FROM (VALUES ({TURN})) AS n({COLUMNS}) WHERE t.game_id = %s AND t.seat = %s"
END_TURNS = "DELETE FROM turns WHERE game_id = %s AND seat = ANY (%s)"
BEGIN_TURN = """
    INSERT INTO turns (game_id, app_id, test_clock, seat, since, deadline, warn_at, player_id, automatic)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
ENTRIES = f"INSERT INTO entries (game_id, {ENTRY_COLUMNS}, app_id, tick) VALUES "
ENTRY = f"(%s::uuid, {ENTRY_VALUES}, %s::uuid, %s::bigint)"
# A game's ticks never decrease.
PREVIOUS = ", (SELECT p.tick FROM entries p WHERE p.game_id = %s AND p.seq = %s)"

# Claims are rows of the coordinator, because a machine does not know the games of the others. A repeated
# claim of the same game does nothing; that of another game violates the unique key without the game.
RELEASE = "DELETE FROM claimed_external_ids WHERE game_id = %s AND external_id IS DISTINCT FROM %s"
CLAIM_ID = """
    INSERT INTO claimed_external_ids (app_id, external_id, game_id) VALUES (%s, %s, %s)
    ON CONFLICT (app_id, external_id, game_id) DO NOTHING
"""
FORGET = "DELETE FROM claimed_external_ids WHERE game_id = ANY (%(games)s)"

# In the form of two numbers, which nothing else here uses.
HOLD = f"""
    SELECT count(pg_advisory_xact_lock_shared({Lock.IDS.value}, hashtext(id)))
    FROM (SELECT DISTINCT id FROM unnest(%s::text[]) AS given (id) ORDER BY id) AS ordered
"""
HOLD_ALONE = f"SELECT pg_advisory_xact_lock({Lock.IDS.value}, hashtext(%s::text))"


class Citus:
    """The layout of a cluster."""

    def write(self, session: Session, writes: Sequence[Write]) -> list[str | None]:
        """Write changes one after the other, each on its game's machine."""
        return [_write(session, write) for write in writes]

    def write_alone(self, session: Session, write: Write) -> str | None:
        """Write a change in a transaction."""
        with session.transaction(pipelined=True):
            return _write(session, write)

    def queue_leaf(self, session: Session, game_id: UUID, ended: bool) -> None:
        """Queue it on the coordinator."""
        session.execute("INSERT INTO tree_queue (game_id, ended) VALUES (%s, %s)", (game_id, ended))

    def claim_external_id(
        self, session: Session, app_id: UUID, game_id: UUID, external_id: str | None
    ) -> None:
        """Claim it on the coordinator, and release the game's other one."""
        session.execute(RELEASE, (game_id, external_id))
        if external_id is not None:
            session.execute(CLAIM_ID, (app_id, external_id, game_id))

    def lock(self, session: Session, *ids: UUID) -> bool:
        """Lock the ids.

        A locked row of a table that is on every machine would be locked on each, and two transactions that do
        this at the same time can wait for each other.
        """
        session.execute(HOLD, ([str(id_) for id_ in ids],))
        return True

    def lock_alone(self, session: Session, id_: UUID) -> None:
        """Lock the id against those who hold it."""
        session.execute(HOLD_ALONE, (id_,))

    def lockable(self, game_ids: Sequence[UUID]) -> Sequence[Sequence[UUID]]:
        """Return each game alone."""
        return [[game_id] for game_id in game_ids]

    def forget(self, session: Session, game_ids: Sequence[UUID]) -> None:
        """Delete their claims."""
        session.execute(FORGET, {"games": list(game_ids)})

    def horizon(self, session: Session) -> int | None:
        """Ask the coordinator: each shard would compute a horizon of its own."""
        return int(scalar(session, "SELECT feed_horizon()"))

    def prune(self, session: Session, table: Table, *old: ColumnElement[bool]) -> int:
        """Delete the old rows in one statement: a table has a physical order on each machine."""
        return session.execute(table.delete().where(*old)).rowcount


CITUS: Layout = Citus()


def _write(session: Session, write: Write) -> str | None:
    game_id = write.game_id
    ticked = session.execute("SELECT feed_tick()")
    values = [*write.updated, game_id, write.expected]
    updated = session.execute(update(bool(write.guard)) + PREVIOUS, values)
    (tick,), row = ticked.fetchall()[0], updated.fetchone()
    if row is None:
        return None
    tick = max(tick, row[1] or 0)
    _change_turns(session, write)
    if write.entries:
        rows = ((game_id, *entry, write.app_id, tick) for entry in write.entries)
        statement = ENTRIES + ", ".join([ENTRY] * len(write.entries))
        session.execute(statement, [*chain.from_iterable(rows)])
    xmin: str = row[0]
    return xmin


def _change_turns(session: Session, write: Write) -> None:
    for seat, turn in write.passed:
        session.execute(PASSED, (*turn, write.game_id, seat))
    if write.ended:
        session.execute(END_TURNS, (write.game_id, list(write.ended)))
    for turn in write.begun:
        session.execute(BEGIN_TURN, (write.game_id, write.app_id, write.test_clock, *turn))


def layout_of(session: Session) -> Layout:
    """Return how the tables of the session's database are laid out."""
    return CITUS if session.distributed else PLAIN
