"""What depends on how the tables are laid out: in one PostgreSQL, or on a Citus cluster.

One PostgreSQL has triggers, unique keys and locked rows. A cluster, on whose machines a trigger knows nothing
of the other machines, needs other statements instead: `distribution` leaves those triggers out.
`docs/guides/citus.md` says what differs; the statements that write a change are in `write`.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, Table, any_, func, literal_column, select, text

from api.store.database.locks import Lock
from api.store.database.session import Session, scalar

PAGES_BATCH = 64  # pages in one statement that reads a table in its physical order: 512 KiB
PAGES = "SELECT pg_relation_size(to_regclass(%s)) / current_setting('block_size')::bigint"

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


class Layout:
    """How things are done in one PostgreSQL, in the open transaction."""

    def queue_leaf(self, session: Session, game_id: UUID, ended: bool) -> None:
        """Queue the leaf of a new or ended game, for the log of all games, as a trigger does."""

    def claim_external_id(
        self, session: Session, app_id: UUID, game_id: UUID, external_id: str | None
    ) -> None:
        """Make an external id that of an app's game alone, as a unique key does. Raises UniqueViolation."""

    def lock(self, session: Session, *ids: UUID) -> bool:
        """Keep what has these ids from being deleted; return False if the rows themselves must be locked."""
        return False

    def lock_alone(self, session: Session, id_: UUID) -> None:
        """Wait until nobody holds this id, and keep others from it, before it is deleted: as rows do."""

    def lockable(self, game_ids: Sequence[UUID]) -> Sequence[Sequence[UUID]]:
        """Return the games in groups whose rows one statement can lock."""
        return [game_ids]

    def forget(self, session: Session, game_ids: Sequence[UUID]) -> None:
        """Delete what only a cluster has of games, before they are deleted."""

    def horizon(self, session: Session) -> int | None:
        """Return the horizon of feeds; None if the statement that reads a feed asks for it."""
        return None

    def prune(self, session: Session, table: Table, *old: ColumnElement[bool]) -> int:
        """Delete the old rows of a whole table; return how many. Each statement is a transaction.

        The table is read once, in its physical order.
        """
        pages: int = scalar(session, PAGES, (table.name,))
        at: ColumnElement[str] = literal_column("ctid")
        some = select(at).select_from(table).where(text("ctid >= :first ::tid AND ctid < :end ::tid"), *old)
        chosen = func.array(some.with_for_update(skip_locked=True).scalar_subquery())
        statement = table.delete().where(at == any_(chosen))
        return sum(
            session.execute(statement, {"first": f"({page},0)", "end": f"({page + PAGES_BATCH},0)"}).rowcount
            for page in range(0, pages, PAGES_BATCH)
        )


class Cluster(Layout):
    """How they are done on a cluster."""

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


PLAIN, CLUSTER = Layout(), Cluster()


def layout_of(session: Session) -> Layout:
    """Return how the tables of the session's database are laid out."""
    return CLUSTER if session.distributed else PLAIN
