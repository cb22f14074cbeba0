"""The next migration, which is invented here: games, kept responses and old versions stay as they were."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import psycopg
import pytest

from api.core.config import Settings, StartError, libpq
from api.core.release import newest
from api.run import migrate
from api.run.embedded.postgres import Postgres
from tests.support.callers import Caller, first_move, new_game
from tests.support.databases import addresses
from tests.support.migrations import invented as invented
from tests.support.service import *  # noqa: F403  # the fixtures

KEY = {"Idempotency-Key": "once"}


@pytest.fixture
def migrated(invented: str, sql: psycopg.Connection, settings: Settings) -> Iterator[Callable[[], str]]:
    """Upgrade when the test says so, and leave the schema as it was."""

    def upgrade() -> str:
        migrate.upgrade(settings)
        (number,) = sql.execute("SELECT version_num FROM alembic_version").fetchone() or ("",)
        return str(number)

    yield upgrade
    sql.execute("ALTER TABLE games DROP COLUMN IF EXISTS invented")
    sql.execute("UPDATE alembic_version SET version_num = '0001'")


def test_games_go_on_after_the_next_migration(
    host: Caller, four: list[Caller], migrated: Callable[[], str], invented: str, sql: psycopg.Connection
) -> None:
    game = new_game(host, four[:2], "bisca")
    path = f"/v1/games/{game['id']}"
    mover = four[game["to_act"][0]]
    body = {"move": first_move(mover, game)}
    first = mover.post(f"{path}/moves", body, headers=KEY)
    views = [each.get(path).json for each in four[:2]]
    assert host.get("/readyz").status_code == 503  # this release knows a newer schema than the database has

    assert migrated() == invented

    assert host.get("/readyz").status_code == 200
    assert sql.execute("SELECT DISTINCT invented FROM games").fetchall() == [("yes",)]
    assert [each.get(path).json for each in four[:2]] == views
    again = mover.post(f"{path}/moves", body, headers=KEY)
    assert (again.headers["Idempotency-Replayed"], again.json) == ("true", first.json)
    mover = four[views[0]["to_act"][0]]
    assert mover.post(f"{path}/moves", {"move": first_move(mover, mover.get(path).json)}).status_code == 201
    assert mover.post(f"{path}/resignation").status_code == 201
    assert host.get(f"{path}/verification").json["ok"]


def test_the_release_before_goes_on_with_the_next_schema(
    host: Caller, migrated: Callable[[], str], invented: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as OLDEST_CODE is not newer than what it knows."""
    assert migrated() == invented
    monkeypatch.undo()  # this process knows only the first schema now
    newest.cache_clear()
    assert host.get("/readyz").status_code == 200


@pytest.mark.parametrize("number", ["0000", "0074", "9999"])
def test_an_unknown_schema_is_refused(
    number: str, postgres: Postgres, administrator: psycopg.Connection
) -> None:
    administrator.execute(f"CREATE DATABASE unknown_{number}")
    settings = addresses(postgres, f"unknown_{number}")
    with psycopg.connect(libpq(settings.owner_database_url), autocommit=True) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num varchar(32) PRIMARY KEY)")
        connection.execute(f"INSERT INTO alembic_version VALUES ('{number}')")
    with pytest.raises(StartError, match=f"has schema {number}, which this release does not know"):
        migrate.upgrade(settings)
    administrator.execute(f"DROP DATABASE unknown_{number} WITH (FORCE)")
