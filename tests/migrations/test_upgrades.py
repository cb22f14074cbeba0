"""Databases of every released schema, with games in them, upgraded to the newest: the games continue.

`dump.py` writes the files, two for each schema, with the release that has it.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from flask import Flask

from api.app import create_app
from api.core.config import Settings, StartError, libpq
from api.run import migrate
from api.run.embedded.postgres import Postgres
from api.store import watch
from api.store.database.encryption import Cipher, orders_place
from tests.support.callers import Caller, Clock, first_move
from tests.support.databases import addresses

DUMPS = sorted(file.name.removesuffix(".sql.gz") for file in Path(__file__).parent.glob("*.sql.gz"))


@pytest.fixture(scope="module", params=DUMPS)
def old(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return what callers know of a database with an earlier schema."""
    known = json.loads(gzip.decompress(_file(request.param, "json").read_bytes()))
    return {"schema": request.param, **known}


def _file(stem: str, kind: str) -> Path:
    return Path(__file__).with_name(f"{stem}.{kind}.gz")


@pytest.fixture(scope="module")
def upgraded(
    old: dict[str, Any], postgres: Postgres, administrator: psycopg.Connection, template: str
) -> Iterator[Settings]:
    """Return the settings of a database that was restored from the dump, and upgraded."""
    name = f"released_{old['schema']}"
    administrator.execute(f"CREATE DATABASE {name}")
    settings = addresses(postgres, name)
    with psycopg.connect(libpq(settings.owner_database_url), autocommit=True) as connection:
        restore(connection, old["schema"])
    migrate.upgrade(settings)
    yield settings
    administrator.execute(f"DROP DATABASE {name} WITH (FORCE)")


def restore(connection: psycopg.Connection, stem: str) -> None:
    """Load a dump into an empty database."""
    connection.execute(gzip.decompress(_file(stem, "sql").read_bytes()))  # type: ignore[call-overload]
    connection.execute("RESET ALL")  # a dump clears the search path, for example


@pytest.fixture(scope="module")
def served(upgraded: Settings) -> Iterator[Flask]:
    app = create_app(upgraded, clock=Clock())
    yield app
    app.extensions["card_referee"].database.close()


@pytest.fixture(scope="module")
def callers(old: dict[str, Any], served: Flask) -> dict[str, Caller]:
    return {name: Caller(served, token) for name, token in old["callers"].items()}


SHAPE = """
    SELECT 'column', c.relname::text, string_agg(format('%s %s %s %s %s', a.attname, a.atttypid::regtype,
        a.attnotnull, a.attstorage, pg_get_expr(d.adbin, d.adrelid)), ', ' ORDER BY a.attname)
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') GROUP BY 2
    UNION ALL SELECT 'options', relname, reloptions::text FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
    UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT 'constraint', conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
    UNION ALL SELECT 'trigger', tgrelid::regclass::text, pg_get_triggerdef(oid) FROM pg_trigger
    WHERE NOT tgisinternal
    UNION ALL SELECT 'function', oid::regprocedure::text, concat(pg_get_functiondef(oid), proacl) FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND proname <> 'feed_offset'
    UNION ALL SELECT 'policy', tablename, p::text FROM pg_policies p
"""


def test_the_upgraded_schema_is_that_of_a_new_database(upgraded: Settings, settings: Settings) -> None:
    """Left out is what depends on the data: the partitions of months, and the offset after a restore."""
    shapes = []
    for each in (upgraded, settings):
        with psycopg.connect(libpq(each.owner_database_url)) as connection:
            rows = connection.execute(SHAPE).fetchall()  # type: ignore[call-overload]
        shapes.append({row for row in rows if "entries_" not in row[1].replace("entries_in_order", "")})
    assert len(shapes[0]) > 200
    assert shapes[0] - shapes[1] == set()
    assert shapes[1] - shapes[0] == set()


def test_requests_repeated_after_an_upgrade_get_their_first_answers(
    old: dict[str, Any], callers: dict[str, Caller]
) -> None:
    assert {request["path"].rpartition("/")[2] for request in old["requests"]} >= {
        "moves",
        "players",
        "tokens",
    }
    for request in old["requests"]:
        headers = {"Idempotency-Key": request["key"]}
        caller = callers[request["caller"]]
        again = caller(request["method"], request["path"], request["body"], headers=headers)
        assert again.headers.get("Idempotency-Replayed") == "true", request["path"]
        assert (again.status_code, again.json) == (request["status"], request["answer"])
    for game, events in old["logs"].items():
        assert callers["host"].get(f"/v1/games/{game}/events?limit=200").json["items"] == events


def test_data_related_to_games_is_there_after_an_upgrade(
    old: dict[str, Any], callers: dict[str, Caller]
) -> None:
    host = callers["host"]
    (hook,) = host.get("/v1/webhooks").json["items"]
    assert host.get(f"/v1/webhooks/{hook['id']}/deliveries").json["items"]
    assert len(host.get("/v1/games").json["items"]) == len(old["logs"])
    assert host.get(f"/v1/games/{old['labelled']}").json["metadata"]["club"] == "north"
    turns = callers[str(old["to_act"])].get("/v1/me/turns").json["items"]
    assert old["running"] in [turn["game"] for turn in turns]
    sat = callers["1"].put(f"/v1/games/{old['open']}/seats/1", {"invite": old["invite"]})
    assert (sat.status_code, sat.json["viewer"]["seats"]) == (200, [1])
    assert host.post("/v1/players", {"name": "New"}).status_code == 201


def test_games_continue_after_an_upgrade(old: dict[str, Any], callers: dict[str, Caller]) -> None:
    host, players = callers["host"], [callers["0"], callers["1"]]
    path = f"/v1/games/{old['running']}"
    for player, view in zip(players, old["views"], strict=True):
        shown = player.get(path).json
        assert (shown["status"], shown["version"]) == ("running", old["version"])
        assert shown["view"] == view
    for version in range(1, old["version"] + 1):
        assert players[0].get(f"{path}?version={version}").json["version"] == version
    mover, waiting = old["to_act"], 1 - old["to_act"]
    assert players[waiting].get(f"{path}/orders").json["orders"] == old["orders"]
    game = players[mover].get(path).json
    done = players[mover].post(f"{path}/moves", {"move": first_move(players[mover], game)})
    assert done.status_code == 201, done.text
    played = [each["move"] for each in host.get(f"{path}/events?limit=200").json["items"] if "order" in each]
    assert played == [old["orders"][0]["move"]]
    assert host.get(f"{path}/verification").json["ok"]
    assert players[waiting].post(f"{path}/resignation").status_code == 201
    for game_id in (old["running"], old["over"]):
        assert host.get(f"/v1/games/{game_id}").json["status"] == "finished"
        assert host.get(f"/v1/games/{game_id}/record").status_code == 200
        assert host.get(f"/v1/games/{game_id}/verification").json["ok"]


def test_every_released_schema_has_its_dump() -> None:
    """0041 is that of 0.1.0. A release with a newer schema adds the dump of its own."""
    assert DUMPS
    assert DUMPS[0] == "0041"
    assert DUMPS[-1] <= watch.newest()


def test_a_schema_from_before_the_baseline_is_refused_with_the_way_on(
    postgres: Postgres, administrator: psycopg.Connection
) -> None:
    administrator.execute("CREATE DATABASE too_old")
    settings = addresses(postgres, "too_old")
    with psycopg.connect(libpq(settings.owner_database_url), autocommit=True) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num varchar(32) PRIMARY KEY)")
        connection.execute("INSERT INTO alembic_version VALUES ('0040')")
    with pytest.raises(StartError, match=r"from before 0\.1\.0 \(revision 0040\).* the commit cad0144 first"):
        migrate.upgrade(settings)
    administrator.execute("DROP DATABASE too_old WITH (FORCE)")


OLD_FORMS = """
    UPDATE games SET sitting = NULL, seats = (
        SELECT jsonb_agg(who || clock ORDER BY number)::text
        FROM jsonb_array_elements(sitting::jsonb) WITH ORDINALITY AS s (who, number)
        JOIN jsonb_array_elements(seats::jsonb) WITH ORDINALITY AS c (clock, number) USING (number));
    INSERT INTO idempotency (owner, key, created_at, status, fingerprint, headers, body)
        SELECT id, gen_random_uuid(), now(), 201, '', '{"shown":{"entry":7}}', '' FROM apps LIMIT 1
"""


def test_rows_that_earlier_commits_left_in_older_forms_are_converted(
    old: dict[str, Any], postgres: Postgres, administrator: psycopg.Connection
) -> None:
    """What cad0144 read in two forms is read in one."""
    if old["schema"] != "0041":
        pytest.skip("no later schema had these forms")
    administrator.execute("CREATE DATABASE older_forms")
    settings = addresses(postgres, "older_forms")
    cipher = Cipher(settings.encryption_secrets())
    with psycopg.connect(libpq(settings.owner_database_url), autocommit=True) as sql:
        restore(sql, old["schema"])
        before = sql.execute("SELECT id, seats::jsonb, sitting::jsonb FROM games ORDER BY id").fetchall()
        sql.execute(OLD_FORMS)
        game, seat = sql.execute("SELECT game_id, seat FROM standing_orders").fetchone() or ()
        orders = json.dumps([order["move"] for order in old["orders"]]).encode()
        sealed = cipher.seal(orders, game.bytes, orders_place(seat))
        sql.execute("UPDATE standing_orders SET moves = %s", (sealed,))
        migrate.upgrade(settings)
        after = sql.execute("SELECT id, seats::jsonb, sitting::jsonb FROM games ORDER BY id").fetchall()
        assert after == before
        assert sql.execute("SELECT FROM idempotency WHERE headers LIKE '%entry%'").fetchall() == []
    app = create_app(settings, clock=Clock())
    waiting = Caller(app, old["callers"][str(seat)])
    assert waiting.get(f"/v1/games/{old['running']}/orders").json["orders"] == old["orders"]
    assert waiting.get(f"/v1/games/{old['running']}").json["view"] == old["views"][seat]
    app.extensions["card_referee"].database.close()
    administrator.execute("DROP DATABASE older_forms WITH (FORCE)")
