"""The statement that writes the changes of a game: its row, its turns and its new entries.

It writes only at the expected version. With a guard it is a transaction by itself, for a game that was not
locked: it writes nothing if the game's row or the caller's credential has changed since they were read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, bindparam, column, exists

from api.core import metrics
from api.core.callers import Caller
from api.store.citus import layout_of
from api.store.database.connections import text_of
from api.store.database.encryption import Cipher
from api.store.database.session import Session
from api.store.games import GET, GameRow, NewEntry, ended, sealed, sealed_position
from api.store.layout import Write
from api.store.seating import TurnChanges
from api.store.tables.accounts import credentials
from api.store.tables.columns import TIME
from api.store.tables.games import games

# Any change of a row gives it a new `xmin`.
GET_MARKED = GET.add_columns(column("xmin"))
GET_MARK = GET.with_only_columns(column("xmin"), games.c.head)
# Whether a credential is still as it was when it was looked up.
HOLDS = exists().where(
    credentials.c.id == bindparam("credential"),
    credentials.c.revoked_at.is_(None),
    credentials.c.expires_at.is_not_distinct_from(bindparam("expires_at", type_=TIME)),
)
CHECKED = {GET_MARKED: GET_MARKED.where(HOLDS), GET_MARK: GET_MARK.where(HOLDS)}


class Mark(NamedTuple):
    """The state of a game's row: the transaction that wrote it, and the hash of the last entry.

    After a failover to a standby that had not received everything, other transactions get the numbers of
    those that were lost. The hash tells them apart, except for changes without an entry, such as a title.
    """

    xmin: str
    head: bytes


class Guard(NamedTuple):
    """What must not have changed: the game's row, and the caller's credential, if there is one."""

    mark: Mark
    caller: Caller


class Request(NamedTuple):
    """A request with an Idempotency-Key, as its entry names it: hashes of the key and of the content."""

    id: UUID
    fingerprint: bytes


UNNAMED = None, None


class Change(NamedTuple):
    """A game's new state, its previous version, the changes of its turns, and the new entries.

    It is written if the `guard` holds. The entry with the number `caused` names the `request`.
    """

    row: GameRow
    expected: int
    turns: TurnChanges
    entries: Sequence[NewEntry]
    guard: Guard | None = None
    request: Request | None = None
    caused: int = 0


def get_marked(session: Session, game_id: UUID, checked: Caller | None) -> tuple[GameRow, Mark] | None:
    """Return a game in its stored form (it is not `opened`), and a mark of the state of its row.

    Return None, too, if the credential of the caller to be `checked` is not as it was when looked up.
    """
    row = _get(session, GET_MARKED, game_id, checked)
    if row is None:
        return None
    *columns, xmin = row
    game = GameRow(*columns)
    return game, Mark(xmin, bytes(game.head))


def get_mark(session: Session, game_id: UUID, checked: Caller | None) -> Mark | None:
    """Return only the mark; None as for `get_marked`."""
    row = _get(session, GET_MARK, game_id, checked)
    return None if row is None else Mark(row[0], bytes(row[1]))


def _get(session: Session, statement: Select[Any], game_id: UUID, checked: Caller | None) -> Any:
    if checked is None:
        return session.execute(text_of(statement), {"game": game_id}).fetchone()
    values = {"game": game_id, "credential": checked.credential_id, "expires_at": checked.expires_at}
    return session.execute(text_of(CHECKED[statement]), values).fetchone()


def write_all(session: Session, changes: Sequence[Change]) -> list[Mark | None]:
    """Write changes of games in the open transaction.

    Return the new mark of each game's row, or None if the game was not as expected.
    """
    written = layout_of(session).write(session, [_write(session.cipher, change) for change in changes])
    return [_written(session, change, xmin) for change, xmin in zip(changes, written, strict=True)]


def write_alone(session: Session, change: Change) -> Mark | None:
    """Write a change in a transaction of its own; return the same.

    Raises UniqueViolation if the request was made before.
    """
    xmin = layout_of(session).write_alone(session, _write(session.cipher, change))
    return _written(session, change, xmin)


def _written(session: Session, change: Change, xmin: str | None) -> Mark | None:
    """Publish a change, if it was written; return the new mark."""
    if xmin is None:
        return None
    if change.entries:
        metrics.count_entries(change.row.app_id, len(change.entries))
        session.publish(change.row.app_id, change.row.id, change.row.version)
    return Mark(xmin, change.row.head)


def _write(cipher: Cipher, change: Change) -> Write:
    """Return a change in its stored form."""
    row, guard = change.row, change.guard
    clocks = [row.seats, row.head, row.drawn, sealed_position(cipher, row), row.result, row.updated_at]
    state = [row.status, row.version, *clocks, row.sitting, *ended(row)]
    named = {} if change.request is None else {change.caused: change.request}
    entries = [(*sealed(cipher, row.id, e), *named.get(e.seq, UNNAMED)) for e in change.entries]
    conditions: Sequence[Any] = ()
    if guard is not None:
        credential = guard.caller.credential_id
        conditions = [*guard.mark, credential, credential, guard.caller.expires_at]
    of_game = row.id, row.app_id, row.test_clock, change.expected, state
    return Write(*of_game, *change.turns, entries, conditions)
