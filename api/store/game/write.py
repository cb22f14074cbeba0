"""The statement that writes the changes of a game: its row, its turns and its new entries; nothing else does.

It writes only at the expected version. With a guard it is a transaction by itself, for a game that was not
locked: it writes nothing if the game's row or the caller's credential has changed since they were read.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from sqlalchemy import Select, bindparam, column, select

from api.store.database.encryption import Cipher
from api.store.database.session import Session
from api.store.distributed import layout_of
from api.store.distributed.layout import Write
from api.store.game.games import CONFIRMED, GET, GameRow, NewEntry, ended, sealed, sealed_position
from api.store.game.seating import TurnChanges
from api.store.idempotency_keys import NewAnswer
from api.store.tables.games import games

# Any change of a row gives it a new `xmin`.
GET_MARKED = GET.add_columns(column("xmin"))
GET_CONFIRMED = GET_MARKED.where(CONFIRMED)
GET_MARK = select(column("xmin"), games.c.head).where(games.c.id == bindparam("game"))
GET_MARK_CONFIRMED = GET_MARK.where(CONFIRMED)


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


class Credential(NamedTuple):
    """A caller's credential as it was when it was looked up, and its player."""

    credential: UUID | None
    expires_at: datetime | None
    player: UUID | None


def get_marked(
    session: Session, game_id: UUID, confirm: Credential | None = None
) -> tuple[GameRow, Mark] | None:
    """Return a game in its stored form (it is not `opened`), and a mark of the state of its row.

    Return None, too, if the credential to `confirm` is not any more as it was.
    """
    row = _execute(session, GET_MARKED, GET_CONFIRMED, game_id, confirm)
    if row is None:
        return None
    game = GameRow(*row[:-1])
    return game, Mark(row[-1], bytes(game.head))


def get_mark(session: Session, game_id: UUID, confirm: Credential | None = None) -> Mark | None:
    """Return only the mark, which takes the database and the driver half as long."""
    row = _execute(session, GET_MARK, GET_MARK_CONFIRMED, game_id, confirm)
    return None if row is None else Mark(row[0], bytes(row[1]))


def _execute(
    session: Session, plain: Select[Any], confirming: Select[Any], game_id: UUID, confirm: Credential | None
) -> Any:
    if confirm is None:
        return session.execute(plain, {"game": game_id}).fetchone()
    return session.execute(confirming, {"game": game_id, **confirm._asdict()}).fetchone()


def write_all(session: Session, changes: Sequence[Change]) -> list[bool]:
    """Write changes of games in the open transaction; return for each whether it was written."""
    writes = [_write(session.cipher, change) for change in changes]
    rows = layout_of(session).write(session, writes)
    for change, row in zip(changes, rows, strict=True):
        if row is not None:
            _publish(session, change.row)
    return [row is not None for row in rows]


def write_guarded(session: Session, change: Change, guard: Guard, answer: NewAnswer | None) -> Mark | None:
    """Write a change and an answer in a transaction of their own; return the mark of the new state.

    Return None if nothing was written: the guard has failed, or the answer's key is in use.
    """
    conditions = [*guard.mark, guard.credential_id, guard.expires_at]
    response = () if answer is None else answer.columns(session.cipher)
    write = _write(session.cipher, change)._replace(guard=conditions, response=response)
    try:
        row = layout_of(session).write_guarded(session, write)
    except (psycopg.errors.UniqueViolation, psycopg.errors.DeadlockDetected):
        return None
    if row is None:
        return None
    _publish(session, change.row)
    return Mark(str(row[0]), change.row.head)


def _publish(session: Session, row: GameRow) -> None:
    session.publish(row.app_id, row.id, row.version)


def _write(cipher: Cipher, change: Change) -> Write:
    """Return a change in its stored form."""
    row = change.row
    clocks = [row.seats, row.head, row.drawn, sealed_position(cipher, row), row.result, row.updated_at]
    state = [row.status, row.version, *clocks, row.sitting, *ended(row)]
    entries = [sealed(cipher, row.id, entry) for entry in change.entries]
    return Write(row.id, row.app_id, row.test_clock, change.expected, state, *change.turns, entries)
