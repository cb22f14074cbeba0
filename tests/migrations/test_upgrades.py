"""Databases of every earlier schema, with games in them, upgraded to the newest: the games continue.

`dump.py` writes the files, one for each schema, with the release that has it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic import command
from alembic.script import ScriptDirectory
from flask import Flask
from psycopg.types.json import Json
from sqlalchemy import create_engine

from api.app import create_app
from api.core.config import Settings, libpq
from api.run import migrate
from api.run.embedded.postgres import OWNER, Postgres
from tests.api.conftest import Caller, Clock, first_move
from tests.conftest import addresses

DUMPS = sorted(Path(__file__).parent.glob("*.json"))
FIRST = "0003"  # of a release


@pytest.fixture(scope="module", params=DUMPS, ids=lambda file: file.stem)
def old(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return the contents of a database with an earlier schema."""
    return {"schema": request.param.stem, **json.loads(request.param.read_text())}


@pytest.fixture(scope="module")
def upgraded(
    old: dict[str, Any], postgres: Postgres, administrator: psycopg.Connection
) -> Iterator[Settings]:
    """Return the settings of a database that was created with the earlier schema, filled, and upgraded."""
    name = f"released_{old['schema']}"
    administrator.execute(f"CREATE DATABASE {name}")
    settings = addresses(postgres, name)
    engine = create_engine(postgres.url(OWNER, name))
    with engine.begin() as connection:
        command.upgrade(migrate.config(connection), old["schema"])
    engine.dispose()
    with psycopg.connect(libpq(settings.owner_database_url), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # rows in any order
        for table, rows in old["tables"].items():
            connection.execute(
                f'INSERT INTO "{table}" OVERRIDING SYSTEM VALUE'
                f' SELECT * FROM json_populate_recordset(NULL::"{table}", %s)',
                (Json(rows),),
            )
    migrate.upgrade(settings)
    yield settings
    administrator.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="module")
def served(upgraded: Settings) -> Iterator[Flask]:
    app = create_app(upgraded, clock=Clock())
    yield app
    app.extensions["card_referee"].database.close()


def test_no_earlier_schema_is_missing() -> None:
    revisions = [each.revision for each in ScriptDirectory.from_config(migrate.config()).walk_revisions()]
    stems = [file.stem for file in DUMPS]
    assert stems == sorted(each for each in revisions if FIRST <= each <= stems[-1])


def test_data_related_to_games_is_there_after_an_upgrade(old: dict[str, Any], served: Flask) -> None:
    host, players = Caller(served, old["key"]), [Caller(served, token) for token in old["players"]]
    path = f"/v1/games/{old['open']}"
    sat = players[1].put(f"{path}/seats/1", {"invite": old["invite"]})
    assert (sat.status_code, sat.json["viewer"]["seats"]) == (200, [1])
    (hook,) = host.get("/v1/webhooks").json["items"]
    assert host.get(f"/v1/webhooks/{hook['id']}/deliveries").json["items"]
    assert len(host.get("/v1/games").json["items"]) == 3
    assert players[old["move"]["seat"]].get("/v1/me/turns").json["items"][0]["game"] == old["running"]
    assert host.post("/v1/players", {"name": "New"}).status_code == 201


def test_games_continue_after_an_upgrade(old: dict[str, Any], served: Flask) -> None:
    host, players = Caller(served, old["key"]), [Caller(served, token) for token in old["players"]]
    path = f"/v1/games/{old['running']}"
    for player, view in zip(players, old["views"], strict=True):
        shown = player.get(path).json
        assert (shown["status"], shown["version"]) == ("running", old["version"])
        assert shown["view"] == view
    for version in range(1, old["version"] + 1):
        assert players[0].get(f"{path}?version={version}").json["version"] == version
    mover, waiting = old["move"]["seat"], 1 - old["move"]["seat"]
    left = players[waiting].get(f"{path}/orders").json["orders"]
    assert left == [{"move": {"type": "play", "card": old["order"]}}]
    game = players[mover].get(path).json
    done = players[mover].post(f"{path}/moves", {"move": first_move(players[mover], game)})
    assert done.status_code == 201, done.text
    played = [each["move"] for each in host.get(f"{path}/events?limit=200").json["items"] if "order" in each]
    assert played == [left[0]["move"]]
    assert host.get(f"{path}/verification").json["ok"]
    assert players[waiting].post(f"{path}/resignation").status_code == 201
    for game_id in (old["running"], old["over"]):
        assert host.get(f"/v1/games/{game_id}").json["status"] == "finished"
        assert host.get(f"/v1/games/{game_id}/record").status_code == 200
        assert host.get(f"/v1/games/{game_id}/verification").json["ok"]
