"""The statement that writes the changes of a game: its row, its turns and its new entries; nothing else does.

It writes only at the expected version. With a guard it is a transaction by itself, for a game that was not
locked: it writes nothing if the game's row or the caller's credential has changed since they were read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from sqlalchemy import column

from api.store.database import cluster
from api.store.database.encryption import Cipher
from api.store.database.session import Session
from api.store.game.games import CONFIRMED, GET, GameRow, NewEntry, sealed, sealed_position
from api.store.game.seating import Kind, TurnChanges, statement_of
from api.store.idempotency_keys import NewAnswer

# Any change of a row gives it a new `xmin`.
GET_MARKED = GET.add_columns(column("xmin"))
GET_CONFIRMED = GET_MARKED.where(CONFIRMED)


class Mark(NamedTuple):
    """The state of a game's row: the transaction that wrote it, and the hash of the last entry.

    After a failover to a standby that had not received everything, other transactions get the numbers of
    those that were lost. The hash tells them apart.
    """

    xmin: str
    head: bytes


class Guard(NamedTuple):
    """What must not have changed: the game's row, and the caller's credential with its time of expiry."""

    mark: Mark
    credential_id: UUID
    expires_at: datetime | None


class Change(NamedTuple):
    """A game's new state, its previous version, the changes of its turns, and the new entries."""

    row: GameRow
    expected: int
    turns: TurnChanges
    entries: Sequence[NewEntry]

    @property
    def kind(self) -> tuple[int, Kind]:
        """Return the parameters of the statement that writes it: the numbers of entries and of turns."""
        return len(self.entries), self.turns.kind


def get_marked(session: Session, game_id: UUID) -> tuple[GameRow, Mark] | None:
    """Return a game in its stored form (it is not `opened`), and a mark of the state of its row."""
    return _marked(session.execute(GET_MARKED, {"game": game_id}).fetchone())


def get_confirmed(
    session: Session, game_id: UUID, credential: UUID | None, expires_at: datetime | None, player: UUID | None
) -> tuple[GameRow, Mark] | None:
    """Return the same, or None if the caller's credential is not any more as it was when it was looked up."""
    values = {"game": game_id, "credential": credential, "expires_at": expires_at, "player": player}
    return _marked(session.execute(GET_CONFIRMED, values).fetchone())


def _marked(row: tuple[Any, ...] | None) -> tuple[GameRow, Mark] | None:
    if row is None:
        return None
    game = GameRow(*row[:-1])
    return game, Mark(row[-1], bytes(game.head))


UPDATE = """
    UPDATE games g SET status = %s, version = %s, seats = %s, head = %s, drawn = %s, position = %s,
        result = %s, updated_at = %s, sitting = %s
    WHERE g.id = %s AND g.version = %s
"""
GUARD = """
    AND g.xmin = %s::xid AND g.head = %s
    AND EXISTS (SELECT FROM credentials c WHERE c.id = %s AND c.revoked_at IS NULL
        AND c.expires_at IS NOT DISTINCT FROM %s::timestamptz)
"""
ANSWER = """, kept AS (
    INSERT INTO idempotency
        (owner, key, fingerprint, created_at, headers, body, signature, final)
    SELECT %s::uuid, %s::uuid, %s::bytea, %s::timestamptz, %s::text, %s::bytea, %s::bytea, %s::boolean
    FROM game
)"""


def _update(guarded: bool) -> str:
    return f"{UPDATE}{GUARD if guarded else ''} RETURNING g.xmin"


@cache
def _statement(entries: int, turns: Kind, guarded: bool = False, keyed: bool = False) -> str:
    """Return the statement for a change with so many entries.

    Handwritten SQL, because it is several statements in one: separately, each would cost 75 µs more. Each
    names the game, so that it can be planned for one partition (`tests/api/test_one_game.py`).
    """
    rows = ", ".join(["(%s::int, %s::text, %s::bytea, %s::bytea, %s::text)"] * entries)
    return f"""
        WITH game AS ({_update(guarded)}, g.id){statement_of(turns)}{ANSWER if keyed else ""}
        INSERT INTO entries (game_id, seq, public, private, hash, notice)
        SELECT %s::uuid, e.* FROM game, (VALUES {rows}) AS e
        RETURNING (SELECT game.xmin FROM game)
    """


def write_all(session: Session, changes: Sequence[Change]) -> list[bool]:
    """Write changes of games in the open transaction; return for each whether it was written."""
    done = [False] * len(changes)
    for n, written in _written(session, changes):
        if written is not None:
            done[n] = True
            _publish(session, changes[n].row)
    return done


def write_guarded(session: Session, change: Change, guard: Guard, answer: NewAnswer | None) -> Mark | None:
    """Write a change and an answer in a transaction of their own; return the mark of the new state.

    Return None if nothing was written: the guard has failed, or the answer's key is in use.
    """
    conditions = [*guard.mark, guard.credential_id, guard.expires_at]
    kept = () if answer is None else answer.columns(session.cipher)
    try:
        if session.distributed:
            with session.transaction(pipelined=True):
                written = _distributed(session, change, conditions, kept)
        else:
            statement = _statement(*change.kind, guarded=True, keyed=answer is not None)
            values = _values(session.cipher, change, conditions, kept)
            written = session.execute_and_commit(statement, values)
    except (psycopg.errors.UniqueViolation, psycopg.errors.DeadlockDetected):
        return None
    if written is None:
        return None
    _publish(session, change.row)
    return Mark(str(written[0]), change.row.head)


def _written(session: Session, changes: Sequence[Change]) -> Iterator[tuple[int, tuple[Any, ...] | None]]:
    """Write changes, those of one kind together; yield the number of each, and a row if it was written."""
    if session.distributed:
        yield from ((n, _distributed(session, change)) for n, change in enumerate(changes))
        return
    kinds: dict[tuple[int, Kind], list[int]] = {}
    for n, change in enumerate(changes):
        kinds.setdefault(change.kind, []).append(n)
    for kind, members in kinds.items():
        values = [_values(session.cipher, changes[n]) for n in members]
        yield from zip(members, session.execute_each(_statement(*kind), values), strict=True)


def _distributed(
    session: Session, change: Change, conditions: Sequence[Any] = (), kept: Sequence[Any] = ()
) -> tuple[Any, ...] | None:
    values = [*_updated(session.cipher, change), *conditions]
    entries = [sealed(session.cipher, change.row.id, entry) for entry in change.entries]
    return cluster.advance(session, _update(bool(conditions)), values, change, entries, kept)


def _publish(session: Session, row: GameRow) -> None:
    session.publish(row.app_id, row.id, row.version)


def _values(
    cipher: Cipher, change: Change, conditions: Sequence[Any] = (), kept: Sequence[Any] = ()
) -> list[Any]:
    """Return the parameters of the statement."""
    row = change.row
    turns = change.turns.values(row.id, row.app_id, row.test_clock)
    values = [*_updated(cipher, change), *conditions, *turns, *kept, row.id]
    for entry in change.entries:
        values += sealed(cipher, row.id, entry)
    return values


def _updated(cipher: Cipher, change: Change) -> list[Any]:
    """Return the parameters of UPDATE."""
    row = change.row
    clocks = [row.seats, row.head, row.drawn, sealed_position(cipher, row), row.result, row.updated_at]
    return [row.status, row.version, *clocks, row.sitting, row.id, change.expected]
