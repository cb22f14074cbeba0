"""Answers kept before an upgrade are given to repeated requests after it, also with another key."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID, uuid4

import psycopg
from alembic import command
from sqlalchemy import create_engine

from api.core.config import Settings, libpq
from api.run import encryption_keys, migrate
from api.run.embedded.postgres import OWNER, Postgres
from api.store.answers import idempotency, kept_answers
from api.store.answers.kept_answers import Answer, Reference
from api.store.database.encryption import ANSWER, Cipher
from api.store.database.session import Database, Session
from tests.api.test_secrets_at_rest import OTHER_KEY
from tests.conftest import addresses

KEY = "Order 7 of Anna's"
KEPT = "INSERT INTO idempotency (owner, key, fingerprint, status, headers, body, created_at)" + (
    " VALUES (%s, %s, %s, 201, %s, %s, %s)"
)
PLACE = {"entry": 7, "version": 8, "signed": "\N{EM DASH} name AAAA\n"}


def test_answers_that_were_kept_before_an_upgrade_are_given_again(
    postgres: Postgres, administrator: psycopg.Connection
) -> None:
    administrator.execute("CREATE DATABASE kept_before")
    settings = addresses(postgres, "kept_before")
    engine = create_engine(postgres.url(OWNER, "kept_before"))
    owner, now, fingerprint = uuid4(), datetime.now(UTC), sha256(b"a request").digest()
    with engine.begin() as connection:
        command.upgrade(migrate.config(connection), "0038")
    engine.dispose()
    cipher = Cipher(settings.encryption_secrets())
    body = cipher.seal(b'{"hand":["C4"]}', owner.bytes + KEY.encode(), ANSWER)
    shown = idempotency.stored({"shown": PLACE})
    with psycopg.connect(libpq(settings.owner_database_url), autocommit=True) as sql:
        sql.execute("INSERT INTO apps VALUES (%s, 'host', %s)", (owner, now))
        sql.execute(KEPT, (owner, KEY, fingerprint, "{}", body, now))
        sql.execute(KEPT, (owner, "a move", fingerprint, shown, b"", now))
        migrate.upgrade(settings)
        whole, reference = Answer(201, "{}", b'{"hand":["C4"]}'), Answer(201, shown, b"")
        found = kept(settings, owner, fingerprint[:16], now)
        assert found == [whole, reference]
        assert idempotency.reference_of(found[1]) == Reference(PLACE, b"")
        rows = sql.execute("SELECT i::text FROM idempotency i WHERE body = ''").fetchall()
        assert not any("a move" in row for (row,) in rows), "a key is stored as a hash"
    new = replace(settings, encryption_keys=(OTHER_KEY, *settings.encryption_keys))
    assert encryption_keys.rotate(new) > 0
    assert kept(replace(settings, encryption_keys=(OTHER_KEY,)), owner, fingerprint[:16], now) == found
    administrator.execute("DROP DATABASE kept_before WITH (FORCE)")


def kept(settings: Settings, owner: UUID, fingerprint: bytes, now: datetime) -> list[Answer]:
    """Return the answers for two keys of a request with this fingerprint."""
    database, found = Database(settings), []
    with contextlib.closing(Session(database, owner)) as session:
        for key in (KEY, "a move"):
            before = kept_answers.claim(session, owner, key, fingerprint, now, now - timedelta(hours=24))
            assert before is not None
            assert before.fingerprint == fingerprint
            found.append(before.answer)
    database.close()
    return found
