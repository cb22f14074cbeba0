"""What depends on how the tables are laid out: in one PostgreSQL (`Plain`), or on a Citus cluster (`citus`).

In one PostgreSQL a change of a game is one statement, and triggers and unique keys complete it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from sqlalchemy import ColumnElement, Table, any_, func, literal_column, select, text

from api.store.database.session import Session, scalar

UPDATE = """
    UPDATE games g SET status = %s, version = %s, seats = %s, head = %s, drawn = %s, position = %s,
        result = %s, updated_at = %s, sitting = %s,
        ended_at = coalesce(%s::timestamptz, 'infinity'), reason = %s
    WHERE g.id = %s AND g.version = %s
"""
GUARD = """
    AND g.xmin = %s::xid AND g.head = %s
    AND (%s::uuid IS NULL OR EXISTS (SELECT FROM credentials c WHERE c.id = %s AND c.revoked_at IS NULL
        AND c.expires_at IS NOT DISTINCT FROM %s::timestamptz))
"""
ENTRY_COLUMNS = "seq, public, private, hash, notice, request, fingerprint"
ENTRY_VALUES = "%s::int, %s::text, %s::bytea, %s::bytea, %s::text, %s::uuid, %s::bytea"


def update(guarded: bool) -> str:
    """Return the statement that changes a game's row, if it is as expected; it returns its new `xmin`."""
    return f"{UPDATE}{GUARD if guarded else ''} RETURNING g.xmin"


class Write(NamedTuple):
    """A change of a game in stored columns: its row, its turns and its new entries.

    `state` are the parameters of UPDATE before the id, and `guard` those of GUARD, if there is one. `passed`
    are rows of turns that get another turn, by seat; `ended` the seats of those that go.
    """

    game_id: UUID
    app_id: UUID
    test_clock: UUID | None
    expected: int
    state: Sequence[Any]
    passed: Sequence[tuple[int, Sequence[Any]]]
    ended: Sequence[int]
    begun: Sequence[Sequence[Any]]
    entries: Sequence[Sequence[Any]]
    guard: Sequence[Any] = ()

    @property
    def updated(self) -> list[Any]:
        """Return the parameters of `update`."""
        return [*self.state, self.game_id, self.expected, *self.guard]


class Layout(Protocol):
    """How things are done that depend on the layout; in the open transaction, unless it says otherwise.

    What only a cluster does returns at once: one PostgreSQL has triggers, unique keys and locked rows for it.
    """

    def write(self, session: Session, writes: Sequence[Write]) -> list[str | None]:
        """Write changes of games; return the new `xmin` of each row, or None if it was not as expected."""

    def write_alone(self, session: Session, write: Write) -> str | None:
        """Write a change in a transaction of its own; return the same."""

    def queue_leaf(self, session: Session, game_id: UUID, ended: bool) -> None:
        """Queue the leaf of a game that was created or has ended, for the log of all games."""
        return

    def claim_external_id(
        self, session: Session, app_id: UUID, game_id: UUID, external_id: str | None
    ) -> None:
        """Make an external id that of an app's game alone. Raises UniqueViolation."""
        return

    def lock(self, session: Session, *ids: UUID) -> bool:
        """Keep what has these ids from being deleted; return False if the rows themselves must be locked."""

    def lock_alone(self, session: Session, id_: UUID) -> None:
        """Wait until nobody holds this id, and keep others from it, before it is deleted."""
        return

    def lockable(self, game_ids: Sequence[UUID]) -> Sequence[Sequence[UUID]]:
        """Return the games in groups whose rows one statement can lock."""

    def forget(self, session: Session, game_ids: Sequence[UUID]) -> None:
        """Delete what only a cluster has of games, before they are deleted."""
        return

    def horizon(self, session: Session) -> int | None:
        """Return the horizon of feeds; None if the statement that reads a feed asks for it."""

    def prune(self, session: Session, table: Table, *old: ColumnElement[bool]) -> int:
        """Delete the old rows of a whole table; return how many. Each statement is a transaction."""


TURN = "%s::int, %s::timestamptz, %s::timestamptz, %s::timestamptz, %s::uuid, %s::boolean"
COLUMNS = "seat, since, deadline, warn_at, player_id, automatic"
# A turn of which only something else changes was perhaps warned of already, which its row alone knows.
PASS_TURN = """UPDATE turns t SET seat = n.seat, since = n.since, deadline = n.deadline,
    warn_at = CASE
        WHEN (t.seat, t.since, t.deadline, t.player_id) = (n.seat, n.since, n.deadline, n.player_id)
        THEN t.warn_at ELSE n.warn_at END,
    player_id = n.player_id, automatic = n.automatic"""

PAGES_BATCH = 64  # pages in one statement that reads a table in its physical order: 512 KiB
PAGES = "SELECT pg_relation_size(to_regclass(%s)) / current_setting('block_size')::bigint"


class Kind(NamedTuple):
    """What the statement for a change depends on."""

    entries: int
    passed: int
    ended: int
    begun: int
    guarded: bool


class Plain(Layout):
    """The layout of one PostgreSQL."""

    def write(self, session: Session, writes: Sequence[Write]) -> list[str | None]:
        """Write changes, those of one kind together."""
        written: list[str | None] = [None] * len(writes)
        kinds: dict[Kind, list[int]] = {}
        for n, write in enumerate(writes):
            kinds.setdefault(_kind(write), []).append(n)
        for kind, members in kinds.items():
            returned = session.execute_each(_statement(kind), [_values(writes[n]) for n in members])
            for n, row in zip(members, returned, strict=True):
                written[n] = None if row is None else row[0]
        return written

    def write_alone(self, session: Session, write: Write) -> str | None:
        """Write a change by a statement that is a transaction by itself."""
        row = session.execute_and_commit(_statement(_kind(write)), _values(write))
        return None if row is None else row[0]

    def lock(self, session: Session, *ids: UUID) -> bool:
        """Return False: rows are locked."""
        return False

    def lockable(self, game_ids: Sequence[UUID]) -> Sequence[Sequence[UUID]]:
        """Return one group."""
        return [game_ids]

    def horizon(self, session: Session) -> int | None:
        """Return None: a statement finds it out."""
        return None

    def prune(self, session: Session, table: Table, *old: ColumnElement[bool]) -> int:
        """Delete the old rows, reading the table once in its physical order."""
        pages: int = scalar(session, PAGES, (table.name,))
        at: ColumnElement[str] = literal_column("ctid")
        some = select(at).select_from(table).where(text("ctid >= :first ::tid AND ctid < :end ::tid"), *old)
        chosen = func.array(some.with_for_update(skip_locked=True).scalar_subquery())
        statement = table.delete().where(at == any_(chosen))
        return sum(
            session.execute(statement, {"first": f"({page},0)", "end": f"({page + PAGES_BATCH},0)"}).rowcount
            for page in range(0, pages, PAGES_BATCH)
        )


PLAIN = Plain()


def _kind(write: Write) -> Kind:
    turns = len(write.passed), len(write.ended), len(write.begun)
    return Kind(len(write.entries), *turns, bool(write.guard))


@cache
def _statement(kind: Kind) -> str:
    """Return the statement for a change.

    Handwritten SQL, because it is several statements in one: separately, each would cost 75 µs more. Each
    names the game, so that it can be planned for one partition (`tests/core/store/test_one_game.py`).
    """
    rows = ", ".join([f"({ENTRY_VALUES})"] * kind.entries)
    changed = f"WITH game AS ({update(kind.guarded)}){_turns(kind)}"
    if not kind.entries:
        return f"{changed} SELECT xmin FROM game"
    return f"""
        {changed}
        INSERT INTO entries (game_id, {ENTRY_COLUMNS})
        SELECT %s::uuid, e.* FROM game, (VALUES {rows}) AS e
        RETURNING (SELECT xmin FROM game)
    """


def _turns(kind: Kind) -> str:
    """Return the part of the statement that changes the turns of the `game`.

    With rows of values, whose number it knows, the planner keeps a generic plan; with arrays it does not.
    """
    parts = ""
    if kind.passed:
        rows = ", ".join([f"(%s::int, {TURN})"] * kind.passed)
        parts += f""", passed AS (
            {PASS_TURN} FROM game, (VALUES {rows}) AS n(before, {COLUMNS})
            WHERE t.game_id = %s AND t.seat = n.before
        )"""
    if kind.ended:
        seats = ", ".join(["%s"] * kind.ended)
        parts += f""", ended AS (
            DELETE FROM turns t USING game WHERE t.game_id = %s AND t.seat IN ({seats})
        )"""
    if kind.begun:
        rows = ", ".join([f"({TURN})"] * kind.begun)
        parts += f""", begun AS (
            INSERT INTO turns (game_id, app_id, test_clock, {COLUMNS})
            SELECT %s::uuid, %s::uuid, %s::uuid, n.* FROM game, (VALUES {rows}) AS n
        )"""
    return parts


def _values(write: Write) -> list[object]:
    """Return the parameters of the statement."""
    values: list[object] = write.updated
    if write.passed:
        for seat, turn in write.passed:
            values += [seat, *turn]
        values.append(write.game_id)
    if write.ended:
        values += [write.game_id, *write.ended]
    if write.begun:
        values += [write.game_id, write.app_id, write.test_clock, *chain.from_iterable(write.begun)]
    return [*values, write.game_id, *chain.from_iterable(write.entries)] if write.entries else values
