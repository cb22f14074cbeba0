"""Sealing everything secret in the database with the newest key: for the first key and after a rotation."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import psycopg

from api.store.database.encryption import Cipher, Undecipherable
from api.store.database.locks import RESEALING, Lock, permit
from api.store.tables import metadata
from api.store.tables.columns import Sealed, access_of

BATCH = 500


class SealedColumns(NamedTuple):
    """Sealed columns of a table, and the columns of its primary key."""

    table: str
    key: tuple[str, ...]
    sealed: Sealed


def sealed_parts() -> list[SealedColumns]:
    """List everything that is sealed, as the tables declare it."""
    return [
        SealedColumns(table.name, tuple(table.primary_key.columns.keys()), sealed)
        for table in metadata.sorted_tables
        for sealed in access_of(table).sealed
    ]


def current(connection: psycopg.Connection) -> bytes | None:
    """Return the prefix of the key with which everything is sealed; None if there was no key yet."""
    row = connection.execute("SELECT prefix FROM encryption").fetchone()
    return bytes(row[0]) if row else None


def is_complete(connection: psycopg.Connection) -> bool:
    """Return whether every value was sealed with the current key, so that none is left in another form."""
    return connection.execute("SELECT FROM encryption WHERE complete").fetchone() is not None


def reseal(connection: psycopg.Connection, cipher: Cipher, pause: float) -> tuple[int, list[str]]:
    """Record the newest key, and seal every value with it, one batch per transaction.

    Return the number of rows, and the names of those that none of our keys opens. The service may run
    meanwhile: a process that has the key reads both, and seals the rows that it changes with the newest one
    anyway. A process without it stops using the database within `pause` seconds; then what it has written is
    sealed as well. The connection is the owner's, in autocommit mode.
    """
    assert cipher.prefix is not None
    connection.execute("SELECT pg_advisory_lock(%s)", (Lock.RESEAL.value,))
    try:
        connection.execute(
            "INSERT INTO encryption (prefix, complete) VALUES (%s, false)"
            " ON CONFLICT (single) DO UPDATE SET prefix = excluded.prefix, complete = false",
            (cipher.prefix,),
        )
        changed, unreadable = _reseal_all(connection, cipher)
        if changed:
            time.sleep(pause)
            more, unreadable = _reseal_all(connection, cipher)
            changed += more
        connection.execute("UPDATE encryption SET complete = true")
        return changed, unreadable
    finally:
        connection.execute("SELECT pg_advisory_unlock(%s)", (Lock.RESEAL.value,))


def _reseal_all(connection: psycopg.Connection, cipher: Cipher) -> tuple[int, list[str]]:
    unreadable: list[str] = []
    changed = sum(sum(_batches(connection, cipher, part, unreadable)) for part in sealed_parts())
    return changed, unreadable


def _batches(
    connection: psycopg.Connection, cipher: Cipher, part: SealedColumns, unreadable: list[str]
) -> Iterator[int]:
    """Go through a table in the order of its key; yield the number of rows that each batch changed.

    Add the names of the rows that cannot be opened to `unreadable`, and leave them as they are.
    """
    assert cipher.prefix is not None
    sealed = part.sealed
    key, names = ", ".join(part.key), [*part.key, *sealed.more, *sealed.columns]
    begun = {name: f"substring({name} FROM 1 FOR {len(cipher.prefix)})" for name in sealed.columns}
    other = " OR ".join(f"{begins} <> %s" for begins in begun.values())
    sets = ", ".join(f"{name} = %s" for name in sealed.columns)
    # A row that the service has changed meanwhile is sealed with the newest key already.
    same = " AND ".join(
        [f"{name} = %s" for name in part.key] + [f"{name} IS NOT DISTINCT FROM %s" for name in sealed.columns]
    )
    last: Sequence[Any] = ()
    while True:
        beyond = f"AND ({key}) > ({', '.join(['%s'] * len(last))})" if last else ""
        with connection.transaction():
            connection.execute(permit(RESEALING))
            rows = connection.execute(
                f"SELECT {', '.join(names)} FROM {part.table} WHERE ({other}) {beyond}"
                f" ORDER BY {key} LIMIT {BATCH}",
                (*[cipher.prefix] * len(sealed.columns), *last),
            ).fetchall()
            new = []
            for row in rows:
                try:
                    new.append(_resealed(cipher, part, row))
                except Undecipherable:
                    unreadable.append(_named(part, row))
            with connection.cursor() as cursor:
                cursor.executemany(f"UPDATE {part.table} SET {sets} WHERE {same}", new)
        if not rows:
            return
        last = rows[-1][: len(part.key)]
        yield len(new)


def _named(part: SealedColumns, values: Sequence[Any]) -> str:
    """Return the name of a row for operators: its table and key."""
    shown = (value.hex() if isinstance(value, bytes) else str(value) for value in values[: len(part.key)])
    return f"{part.table} {' '.join(shown)}"


def _resealed(cipher: Cipher, part: SealedColumns, values: Sequence[Any]) -> list[Any]:
    """Return a row's columns sealed with the newest key, followed by the row's key and what it was."""
    sealed = part.sealed
    named = values[: len(part.key) + len(sealed.more)]
    row, place = sealed.row(*named), sealed.place(*named)
    columns = [
        None if value is None else cipher.seal(cipher.open(value, row, place), row, place)
        for value in values[len(named) :]
    ]
    return [*columns, *values[: len(part.key)], *values[len(named) :]]
