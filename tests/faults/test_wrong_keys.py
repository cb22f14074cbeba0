"""Processes whose ENCRYPTION_KEYS do not fit the database: they do not start, and do not go on."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import psycopg
import pytest

from api.app import create_app
from api.callers import app_keys
from api.core.config import Settings, StartError, libpq
from api.features.proofs import keys as log_keys
from api.run import encryption_keys
from api.store.database import session
from tests.servers.serving import run
from tests.support.callers import Caller

pytestmark = pytest.mark.long

OTHER = base64.b64encode(b"another key of thirty-two bytes!").decode()
BOTS = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}, {"bot": "random"}]}
WORDS = "encrypted with a key"
WRONG = {"wrong": (OTHER,), "missing": ()}

wrong_keys = pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes check their keys at each use of the database, and nobody wait for that."""
    monkeypatch.setattr(session, "CHECK_KEYS_EVERY", 0.0)
    monkeypatch.setattr(encryption_keys, "PAUSE", 0.0)


@contextmanager
def serving(settings: Settings, token: str | None = None) -> Iterator[Caller]:
    app = create_app(settings)
    try:
        yield Caller(app, token)
    finally:
        app.extensions["card_referee"].database.close()


@pytest.fixture
def token(settings: Settings) -> str:
    return app_keys.create(settings, "host", ["read", "write"], None)[1]


def prefixes(sql: psycopg.Connection) -> set[bytes]:
    """Return the first bytes of every seed and private part: the marks of their keys."""
    columns = ("seed FROM games", "private FROM entries WHERE private IS NOT NULL")
    rows = [row for of in columns for row in sql.execute(f"SELECT {of}")]
    return {bytes(value)[:5] for (value,) in rows}


@pytest.mark.parametrize("command", ["web", "worker"])
@wrong_keys
def test_neither_web_nor_worker_starts(settings: Settings, command: str, wrong: tuple[str, ...]) -> None:
    refused = run(
        command,
        *(("--port", "0") if command == "web" else ()),
        DATABASE_URL=libpq(settings.database_url),
        WORKER_DATABASE_URL=libpq(settings.worker_database_url),
        ENCRYPTION_KEYS=",".join(wrong),
    )
    assert refused.returncode == 1, refused.stderr
    assert WORDS in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert OTHER not in refused.stderr


@wrong_keys
def test_readiness_says_why_and_nothing_is_written(
    settings: Settings, sql: psycopg.Connection, token: str, wrong: tuple[str, ...]
) -> None:
    """As for a process that started while the database was away."""
    with serving(settings, token) as right:
        game = right.post("/v1/games", BOTS).json["id"]
    before = prefixes(sql)
    with serving(replace(settings, encryption_keys=wrong), token) as host:
        ready = host.get("/readyz")
        assert (ready.status_code, WORDS in ready.json["detail"]) == (503, True)
        assert OTHER not in ready.text
        for answer in (host.post("/v1/games", BOTS), host.get(f"/v1/games/{game}")):
            assert answer.status_code == 503, answer.text
            assert WORDS in answer.json["detail"]
        assert Caller(host.app).get("/healthz").status_code == 200
    assert prefixes(sql) == before
    assert sql.execute("SELECT count(*) FROM games").fetchone() == (1,)


def test_a_key_that_disappears_while_running_is_noticed(
    settings: Settings, sql: psycopg.Connection, token: str
) -> None:
    both = replace(settings, encryption_keys=(OTHER, *settings.encryption_keys))
    with serving(settings, token) as old, serving(both, token) as new:
        game = old.post("/v1/games", BOTS).json["id"]
        assert old.get("/readyz").status_code == 200
        assert encryption_keys.rotate(both) > 0
        assert old.get("/readyz").status_code == 503
        assert old.post("/v1/games", BOTS).status_code == 503
        assert new.get("/readyz").status_code == 200
        assert new.get(f"/v1/games/{game}").status_code == 200
        assert len(prefixes(sql)) == 1


def test_a_server_with_a_key_waits_for_the_database_to_be_encrypted(
    settings: Settings, sql: psycopg.Connection, token: str
) -> None:
    """Otherwise another server, without a key, could not read what it writes."""
    sql.execute("DELETE FROM encryption")
    with serving(settings, token) as host, serving(replace(settings, encryption_keys=()), token) as plain:
        ready = host.get("/readyz")
        assert (ready.status_code, "migrate" in ready.json["detail"]) == (503, True)
        assert plain.get("/readyz").status_code == 200
        encryption_keys.ensure(settings)
        assert host.get("/readyz").status_code == 200
        assert plain.get("/readyz").status_code == 503


@wrong_keys
def test_no_command_writes_with_a_wrong_key(
    settings: Settings, sql: psycopg.Connection, wrong: tuple[str, ...]
) -> None:
    before = sql.execute("SELECT public_key FROM log_keys").fetchall()
    other = replace(settings, encryption_keys=wrong)
    for command in (log_keys.rotate, encryption_keys.ensure, encryption_keys.rotate):
        with pytest.raises(StartError):
            command(other)
    assert sql.execute("SELECT public_key FROM log_keys").fetchall() == before


def test_an_interrupted_encryption_is_continued(
    settings: Settings, sql: psycopg.Connection, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(settings, token) as host:
        host.post("/v1/games", BOTS)
    both = replace(settings, encryption_keys=(OTHER, *settings.encryption_keys))
    reseal = encryption_keys.resealing.sealed_parts()
    monkeypatch.setattr(
        encryption_keys.resealing,
        "sealed_parts",
        lambda: [*(part for part in reseal if part.table == "games"), None],
    )
    with pytest.raises(AttributeError):
        encryption_keys.rotate(both)
    assert len(prefixes(sql)) == 2
    monkeypatch.setattr(encryption_keys.resealing, "sealed_parts", lambda: reseal)
    encryption_keys.ensure(both)
    assert len(prefixes(sql)) == 1


def test_one_unreadable_row_does_not_stop_the_others(
    settings: Settings, sql: psycopg.Connection, token: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(settings, token) as host:
        games = [host.post("/v1/games", BOTS).json["id"] for _ in range(2)]
    sql.execute("UPDATE games SET position = seed WHERE id = %s", (games[0],))
    both = replace(settings, encryption_keys=(OTHER, *settings.encryption_keys))
    with pytest.raises(StartError, match="1 row"):
        encryption_keys.rotate(both)
    assert games[0] in capsys.readouterr().err
    with serving(replace(settings, encryption_keys=(OTHER,)), token) as host:
        assert host.get(f"/v1/games/{games[1]}").status_code == 200
    encryption_keys.ensure(both)
