"""Sealing everything secret in the database with the newest key: for the first key and after a rotation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import psycopg

from api.store.database import encryption
from api.store.database.encryption import Cipher, Undecipherable
from api.store.database.locks import Lock

BATCH = 500


class Sealed(NamedTuple):
    """A table with sealed columns: what identifies a row, and what else its places depend on.

    `row` and `place` take the values of `key` and `more`, like the statements of the store.
    """

    table: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    place: Callable[..., bytes]
    more: tuple[str, ...] = ()
    row: Callable[..., bytes] = lambda first, *_: bytes(first.bytes)


# In each transaction; on a Citus cluster, on every machine that it reaches.
PERMIT = "SET LOCAL citus.propagate_set_commands = 'local'; SET LOCAL card_referee.resealing = 'on'"

SEALED = (
    Sealed("games", ("id",), ("seed",), lambda game: encryption.GAME_SEED),
    Sealed("games", ("id",), ("position",), lambda game, at: encryption.position_place(at), ("version",)),
    Sealed("entries", ("game_id", "seq"), ("private",), lambda game, seq: encryption.private_place(seq)),
    Sealed(
        "standing_orders",
        ("game_id", "seat"),
        ("moves", "cancelled"),
        lambda game, seat: encryption.orders_place(seat),
    ),
    Sealed(
        "snapshots",
        ("game_id", "form", "version"),
        ("state",),
        lambda game, form, version: encryption.snapshot_place(form, version),
    ),
    Sealed(
        "log_keys",
        ("public_key",),
        ("private_key",),
        lambda public: encryption.LOG_KEY,
        row=lambda public: bytes(public),
    ),
    Sealed(
        "cursor_key",
        ("single",),
        ("secret",),
        lambda single: encryption.CURSOR_KEY,
        row=lambda single: encryption.CURSOR_KEY,
    ),
    Sealed("webhooks", ("id",), ("secret", "secret_before"), lambda webhook: encryption.WEBHOOK_SECRET),
    Sealed("push_subscriptions", ("id",), ("subscription",), lambda made: encryption.PUSH_SUBSCRIPTION),
    Sealed("contacts", ("player_id",), ("key",), lambda player: encryption.CONTACT_KEY),
    Sealed("contacts", ("player_id",), ("email",), lambda player: encryption.CONTACT_EMAIL),
    Sealed("sign_ins", ("id",), ("address",), lambda asked: encryption.SIGN_IN_ADDRESS),
    Sealed(
        "idempotency",
        ("owner", "key"),
        ("body",),
        lambda owner, key: encryption.ANSWER,
        row=encryption.answer_row,
    ),
)


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
    changed = sum(sum(_batches(connection, cipher, sealed, unreadable)) for sealed in SEALED)
    return changed, unreadable


def _batches(
    connection: psycopg.Connection, cipher: Cipher, sealed: Sealed, unreadable: list[str]
) -> Iterator[int]:
    """Go through a table in the order of its key; yield the number of rows that each batch changed.

    Add the names of the rows that cannot be opened to `unreadable`, and leave them as they are.
    """
    assert cipher.prefix is not None
    key, names = ", ".join(sealed.key), [*sealed.key, *sealed.more, *sealed.columns]
    begun = {name: f"substring({name} FROM 1 FOR {len(cipher.prefix)})" for name in sealed.columns}
    other = " OR ".join(f"{begins} <> %s" for begins in begun.values())
    sets = ", ".join(f"{name} = %s" for name in sealed.columns)
    # A row that the service has changed meanwhile is sealed with the newest key already.
    same = " AND ".join(
        [f"{name} = %s" for name in sealed.key]
        + [f"{name} IS NOT DISTINCT FROM %s" for name in sealed.columns]
    )
    last: Sequence[Any] = ()
    while True:
        beyond = f"AND ({key}) > ({', '.join(['%s'] * len(last))})" if last else ""
        with connection.transaction():
            connection.execute(PERMIT)
            rows = connection.execute(
                f"SELECT {', '.join(names)} FROM {sealed.table} WHERE ({other}) {beyond}"
                f" ORDER BY {key} LIMIT {BATCH}",
                (*[cipher.prefix] * len(sealed.columns), *last),
            ).fetchall()
            new = []
            for row in rows:
                try:
                    new.append(_resealed(cipher, sealed, row))
                except Undecipherable:
                    unreadable.append(_named(sealed, row))
            with connection.cursor() as cursor:
                cursor.executemany(f"UPDATE {sealed.table} SET {sets} WHERE {same}", new)
        if not rows:
            return
        last = rows[-1][: len(sealed.key)]
        yield len(new)


def _named(sealed: Sealed, values: Sequence[Any]) -> str:
    """Return the name of a row for operators: its table and key."""
    shown = (value.hex() if isinstance(value, bytes) else str(value) for value in values[: len(sealed.key)])
    return f"{sealed.table} {' '.join(shown)}"


def _resealed(cipher: Cipher, sealed: Sealed, values: Sequence[Any]) -> list[Any]:
    """Return a row's columns sealed with the newest key, followed by the row's key and what it was."""
    named = values[: len(sealed.key) + len(sealed.more)]
    row, place = sealed.row(*named), sealed.place(*named)
    columns = [
        None if value is None else cipher.seal(cipher.open(value, row, place), row, place)
        for value in values[len(named) :]
    ]
    return [*columns, *values[: len(sealed.key)], *values[len(named) :]]
