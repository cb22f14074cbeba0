"""What depends on how the tables are laid out: in one PostgreSQL, or over the machines of a Citus cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from sqlalchemy import ColumnElement, Table

from api.store.database.session import Session

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
KEPT = "INSERT INTO idempotency (owner, key, fingerprint, created_at, headers, body, signature, final)"


def update(guarded: bool) -> str:
    """Return the statement that changes a game's row, if it is as expected; it returns its new `xmin`."""
    return f"{UPDATE}{GUARD if guarded else ''} RETURNING g.xmin"


class Write(NamedTuple):
    """A change of a game in stored columns: its row, its turns, its new entries, and a response to be kept.

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
    response: Sequence[Any] = ()

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

    def write_guarded(self, session: Session, write: Write) -> str | None:
        """Write a guarded change in a transaction of its own; return the same."""

    def queue_leaf(self, session: Session, game_id: UUID, ended: bool) -> None:
        """Queue the leaf of a game that was created or has ended, for the log of all games."""
        return

    def follow_metadata(
        self, session: Session, app_id: UUID, kind: str, id_: UUID, metadata: Mapping[str, str]
    ) -> None:
        """Write the pairs by which an object is found by its metadata; `kind` is its table."""
        return

    def claim_external_id(
        self, session: Session, app_id: UUID, game_id: UUID, external_id: str | None
    ) -> None:
        """Make an external id that of an app's game alone. Raises UniqueViolation."""
        return

    def claim_place(
        self, session: Session, series_id: UUID | None, number: int | None, game_id: UUID
    ) -> None:
        """Make a place in a series that of a game alone. Raises UniqueViolation."""
        return

    def hold(self, session: Session, *ids: UUID) -> bool:
        """Keep what has these ids from being deleted; return False if the rows themselves must be locked."""

    def hold_alone(self, session: Session, id_: UUID) -> None:
        """Wait until nobody holds this id, and keep others from it, before it is deleted."""
        return

    def lockable(self, game_ids: Sequence[UUID]) -> Sequence[Sequence[UUID]]:
        """Return the games in groups whose rows one statement can lock."""

    def forget(self, session: Session, game_ids: Sequence[UUID]) -> None:
        """Delete what only a cluster has of games, before they are deleted."""
        return

    def horizon(self, session: Session) -> int | None:
        """Return the horizon of feeds; None if the statement that reads a feed asks for it."""

    def behind(self, session: Session, app_ids: Sequence[UUID] | None) -> list[UUID]:
        """List the apps, or those of these apps, that have entries after their positions of notices."""

    def prune(self, session: Session, table: Table, *old: ColumnElement[bool]) -> int:
        """Delete the old rows of a whole table; return how many. Each statement is a transaction."""
