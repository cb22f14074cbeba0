"""Writes changes of games: their rows, their turns and their new entries.

A change is written only at the expected version. With a guard it is a transaction by itself, for a game that
was not locked: nothing is written if the game's row or the caller's credential has changed since they were
read.

In one PostgreSQL a change is one statement: separately, each of its parts would cost 75 µs more. Each names
the game, so that it can be planned for one partition (`tests/core/store/test_statements.py`). A Citus cluster
plans only statements that change one table: there it is several, all of them on the game's machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, bindparam, column, exists

from api.core import metrics
from api.core.callers import Caller
from api.store.database.connections import text_of
from api.store.database.encryption import Cipher
from api.store.database.session import Session
from api.store.games import GET, GameRow, NewEntry, ended, sealed, sealed_position
from api.store.seating import TurnChanges
from api.store.tables.accounts import credentials
from api.store.tables.columns import TIME
from api.store.tables.games import games

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
TURN = "%s::int, %s::timestamptz, %s::timestamptz, %s::timestamptz, %s::uuid, %s::boolean"
COLUMNS = "seat, since, deadline, warn_at, player_id, automatic"
# A turn of which only something else changes was perhaps warned of already, which its row alone knows.
PASS_TURN = """UPDATE turns t SET seat = n.seat, since = n.since, deadline = n.deadline,
    warn_at = CASE
        WHEN (t.seat, t.since, t.deadline, t.player_id) = (n.seat, n.since, n.deadline, n.player_id)
        THEN t.warn_at ELSE n.warn_at END,
    player_id = n.player_id, automatic = n.automatic"""
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
    if session.distributed:
        written = [_write_parts(session, change) for change in changes]
    else:
        written = _write_kinds(session, changes)
    return [_written(session, change, xmin) for change, xmin in zip(changes, written, strict=True)]


def write_alone(session: Session, change: Change) -> Mark | None:
    """Write a change in a transaction of its own; return the same.

    Raises UniqueViolation if the request was made before.
    """
    if session.distributed:
        with session.transaction(pipelined=True):
            xmin = _write_parts(session, change)
    else:
        row = session.execute_and_commit(_statement(_kind(change)), _values(session.cipher, change))
        xmin = None if row is None else row[0]
    return _written(session, change, xmin)


def _written(session: Session, change: Change, xmin: str | None) -> Mark | None:
    """Publish a change, if it was written; return the new mark."""
    if xmin is None:
        return None
    if change.entries:
        metrics.count_entries(change.row.app_id, len(change.entries))
        session.publish(change.row.app_id, change.row.id, change.row.version)
    return Mark(xmin, change.row.head)


def _update(guarded: bool) -> str:
    """Return the statement that changes a game's row, if it is as expected; it returns its new `xmin`."""
    return f"{UPDATE}{GUARD if guarded else ''} RETURNING g.xmin"


def _updated(cipher: Cipher, change: Change) -> list[Any]:
    """Return the parameters of `_update`."""
    row, guard = change.row, change.guard
    clocks = [row.seats, row.head, row.drawn, sealed_position(cipher, row), row.result, row.updated_at]
    values = [row.status, row.version, *clocks, row.sitting, *ended(row), row.id, change.expected]
    if guard is None:
        return values
    credential = guard.caller.credential_id
    return [*values, *guard.mark, credential, credential, guard.caller.expires_at]


def _entries(cipher: Cipher, change: Change) -> list[Sequence[Any]]:
    """Return the values of each new entry."""
    named = {} if change.request is None else {change.caused: change.request}
    return [(*sealed(cipher, change.row.id, e), *named.get(e.seq, UNNAMED)) for e in change.entries]


# --- in one PostgreSQL ------------------------------------------------------------------------------


class Kind(NamedTuple):
    """What the statement for a change depends on."""

    entries: int
    passed: int
    ended: int
    begun: int
    guarded: bool


def _kind(change: Change) -> Kind:
    turns = change.turns
    counts = len(change.entries), len(turns.passed), len(turns.ended), len(turns.begun)
    return Kind(*counts, change.guard is not None)


def _write_kinds(session: Session, changes: Sequence[Change]) -> list[str | None]:
    """Write changes, those of one kind together; return the new `xmin` of each row, or None."""
    written: list[str | None] = [None] * len(changes)
    kinds: dict[Kind, list[int]] = {}
    for n, change in enumerate(changes):
        kinds.setdefault(_kind(change), []).append(n)
    for kind, members in kinds.items():
        values = [_values(session.cipher, changes[n]) for n in members]
        returned = session.execute_each(_statement(kind), values)
        for n, row in zip(members, returned, strict=True):
            written[n] = None if row is None else row[0]
    return written


@cache
def _statement(kind: Kind) -> str:
    """Return the statement for a change in one PostgreSQL."""
    rows = ", ".join([f"({ENTRY_VALUES})"] * kind.entries)
    changed = f"WITH game AS ({_update(kind.guarded)}){_turns(kind)}"
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


def _values(cipher: Cipher, change: Change) -> list[object]:
    """Return the parameters of the statement."""
    row, (passed, ended, begun) = change.row, change.turns
    values: list[object] = _updated(cipher, change)
    if passed:
        for seat, turn in passed:
            values += [seat, *turn]
        values.append(row.id)
    if ended:
        values += [row.id, *ended]
    if begun:
        values += [row.id, row.app_id, row.test_clock, *chain.from_iterable(begun)]
    return [*values, row.id, *chain.from_iterable(_entries(cipher, change))] if change.entries else values


# --- on a cluster -----------------------------------------------------------------------------------

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


def _write_parts(session: Session, change: Change) -> str | None:
    """Write a change by several statements; return the new `xmin` of the row, or None."""
    row, (passed, ended, begun) = change.row, change.turns
    ticked = session.execute("SELECT feed_tick()")
    values = [*_updated(session.cipher, change), row.id, change.expected]
    updated = session.execute(_update(change.guard is not None) + PREVIOUS, values)
    (tick,), written = ticked.fetchall()[0], updated.fetchone()
    if written is None:
        return None
    xmin, previous = written
    for seat, turn in passed:
        session.execute(PASSED, (*turn, row.id, seat))
    if ended:
        session.execute(END_TURNS, (row.id, list(ended)))
    for turn in begun:
        session.execute(BEGIN_TURN, (row.id, row.app_id, row.test_clock, *turn))
    if change.entries:
        added = (row.app_id, max(tick, previous or 0))
        rows = ((row.id, *entry, *added) for entry in _entries(session.cipher, change))
        statement = ENTRIES + ", ".join([ENTRY] * len(change.entries))
        session.execute(statement, [*chain.from_iterable(rows)])
    return str(xmin)
