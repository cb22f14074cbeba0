"""A schema that is downgraded and upgraded again: what games need is still there."""

from __future__ import annotations

import psycopg
from alembic import command
from sqlalchemy import create_engine

from api.core.config import libpq
from api.run import migrate
from api.run.embedded.postgres import OWNER, Postgres

GAME = """
    INSERT INTO apps VALUES (gen_random_uuid(), 'host', now());
    INSERT INTO games SELECT gen_random_uuid(), id, 'pedro', 1, '{}', 'public', %s, 'running', 1, '[]',
        '', '', 0, NULL, NULL, now(), now() FROM apps;
    INSERT INTO game_seats (game_id, seat, since, deadline, warn_at)
        SELECT games.id, t.* FROM games, (VALUES
            (0, now() - interval '1 day', now() + interval '2 days', now() + interval '36 hours'),
            (1, now(), now() + interval '1 hour', NULL),  -- whose turn is too short for a warning
            (2, NULL, NULL, NULL)) AS t
"""
LABELLED = """
    INSERT INTO apps VALUES (gen_random_uuid(), 'host', now());
    INSERT INTO players (id, app_id, name, created_at, metadata)
        SELECT gen_random_uuid(), id, 'Anna', now(), '{"club": "north", "a\\"b": "Ä"}' FROM apps
"""
PACE = '{"per_move":"PT72H","on_timeout":"resign","warn_before":"PT12H"}'


def test_warnings_are_given_after_a_downgrade_and_an_upgrade(
    postgres: Postgres, administrator: psycopg.Connection
) -> None:
    administrator.execute("CREATE DATABASE put_back")
    engine = create_engine(postgres.url(OWNER, "put_back"))
    with psycopg.connect(libpq(postgres.url(OWNER, "put_back")), autocommit=True) as sql:
        with engine.begin() as connection:
            command.upgrade(migrate.config(connection), "0002")
        sql.execute(GAME.replace("%s", f"'{PACE}'"))
        before = sql.execute("SELECT seat, warn_at FROM game_seats ORDER BY seat").fetchall()
        for step, to in ((command.downgrade, "0001"), (command.upgrade, "0002")):
            with engine.begin() as connection:
                step(migrate.config(connection), to)
        assert sql.execute("SELECT seat, warn_at FROM game_seats ORDER BY seat").fetchall() == before
    engine.dispose()
    administrator.execute("DROP DATABASE put_back WITH (FORCE)")


def test_metadata_is_found_after_a_downgrade_and_an_upgrade(
    postgres: Postgres, administrator: psycopg.Connection
) -> None:
    administrator.execute("CREATE DATABASE put_back")
    engine = create_engine(postgres.url(OWNER, "put_back"))
    pairs = "SELECT kind, key, value FROM metadata_pairs JOIN players USING (app_id, id) ORDER BY key"
    with psycopg.connect(libpq(postgres.url(OWNER, "put_back")), autocommit=True) as sql:
        with engine.begin() as connection:
            command.upgrade(migrate.config(connection), "0031")
        sql.execute(LABELLED)
        for step, to in ((command.downgrade, "0030"), (command.upgrade, "0031")):
            assert step is command.upgrade or len(sql.execute(pairs).fetchall()) == 2
            with engine.begin() as connection:
                step(migrate.config(connection), to)
        kept = [("players", 'a"b', "Ä"), ("players", "club", "north")]
        assert sql.execute(pairs).fetchall() == kept
    engine.dispose()
    administrator.execute("DROP DATABASE put_back WITH (FORCE)")
