"""A move in one statement that commits itself, based on a copy of the game in this process.

It writes only if the copy is the current game and the caller's token is still valid. Otherwise the caller
repeats the move in a transaction with a lock.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import NamedTuple
from uuid import UUID

import psycopg
from sqlalchemy import column

from api.store.database import cluster
from api.store.database.session import Session
from api.store.game.games import GET, UPDATE, Change, GameRow, opened, sealed, updated
from api.store.game.seating import Kind, statement_of
from api.store.idempotency_keys import NewAnswer

# Any change of a row gives it a new `xmin`.
GET_MARKED = GET.add_columns(column("xmin"))


class Mark(NamedTuple):
    """The state of a game's row: the transaction that wrote it, and the hash of the last entry.

    After a failover to a standby that had not received everything, other transactions get the numbers of
    those that were lost. The hash tells them apart.
    """

    xmin: str
    head: bytes


class KeyUsed(Exception):
    """The Idempotency-Key was used, or another request with it is waiting for this game."""


class Token(NamedTuple):
    """A caller's key or token at the time when it was looked up."""

    credential_id: UUID
    expires_at: datetime | None


def get(session: Session, game_id: UUID) -> tuple[GameRow, Mark] | None:
    """Return a game, and a mark of the state of its row."""
    row = session.execute(GET_MARKED, {"game": game_id}).fetchone()
    if row is None:
        return None
    game = opened(session, GameRow(*row[:-1]))
    return game, Mark(row[-1], game.head)


# Changes the game's row, if nothing needs the lock.
GUARDED = f"""{UPDATE}
    AND g.xmin = %s::xid AND g.head = %s
    AND EXISTS (SELECT FROM credentials c WHERE c.id = %s AND c.revoked_at IS NULL
        AND c.expires_at IS NOT DISTINCT FROM %s::timestamptz)
"""


@cache
def _statement(turns: Kind, keyed: bool) -> str:
    kept = """, kept AS (
        INSERT INTO idempotency
            (owner, key, fingerprint, created_at, status, headers, body, signature, final)
        SELECT %s::uuid, %s::uuid, %s::bytea, %s::timestamptz, %s::int, %s::text, %s::bytea, %s::bytea,
            %s::boolean
        FROM game
    )"""
    return f"""
        WITH game AS ({GUARDED} RETURNING g.id, g.xmin){statement_of(turns)}{kept if keyed else ""}
        INSERT INTO entries (game_id, seq, public, private, hash, notice)
        SELECT %s::uuid, %s::int, %s::text, %s::bytea, %s::bytea, %s::text FROM game
        RETURNING (SELECT game.xmin FROM game)
    """


def advance(
    session: Session, change: Change, mark: Mark, token: Token, answer: NewAnswer | None
) -> Mark | None:
    """Write a game's next state and append its entry; return the mark of the new state.

    Return None if nothing was written: the game has changed since `mark`, or the token is no longer valid.
    Raises KeyUsed, and then nothing was written either.
    """
    row, (entry,), cipher = change.row, change.entries, session.cipher
    values = [*updated(cipher, change), *mark, *token]
    kept = () if answer is None else answer.columns(cipher)
    stored = sealed(cipher, row.id, entry)
    try:
        if session.distributed:
            update = f"{GUARDED} RETURNING g.xmin"
            with session.transaction(pipelined=True):
                written = cluster.advance(session, update, values, change, [stored], kept)
        else:
            values += [*change.turns.values(row.id, row.app_id, row.test_clock), *kept, row.id, *stored]
            statement = _statement(change.turns.kind, answer is not None)
            written = session.execute_and_commit(statement, values)
    except (psycopg.errors.UniqueViolation, psycopg.errors.DeadlockDetected):
        raise KeyUsed from None
    if written is None:
        return None
    session.publish(row.app_id, row.id, row.version)
    return Mark(str(written[0]), row.head)
