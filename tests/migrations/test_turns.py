"""An upgrade moves turns to a table of their own, and a downgrade puts them back."""

from __future__ import annotations

import psycopg
from alembic import command
from sqlalchemy import create_engine

from api.core.config import libpq
from api.run import migrate
from api.run.embedded.postgres import OWNER, Postgres

GAME = """
    INSERT INTO apps VALUES (gen_random_uuid(), 'host', now());
    INSERT INTO players (id, app_id, name, created_at) SELECT gen_random_uuid(), id, 'Anna', now() FROM apps;
    INSERT INTO test_clocks (id, app_id, time, created_at)
        SELECT gen_random_uuid(), id, now(), now() FROM apps;
    INSERT INTO games (id, app_id, ruleset, ruleset_version, options, visibility, status, version, seats,
        seed, head, drawn, created_at, updated_at, test_clock)
        SELECT gen_random_uuid(), a.id, 'pedro', 1, '{}', 'public', 'running', 1, '[]', '', '', 0, now(),
        now(), c.id FROM apps a, test_clocks c;
    INSERT INTO game_seats (game_id, seat, player_id, bot, since, deadline, warn_at, test_clock)
        SELECT games.id, t.seat, p.id, t.bot, t.since, t.deadline, t.warn_at, games.test_clock
        FROM games, (VALUES
            (0, NULL, now(), now() + interval '2 days', now() + interval '36 hours'),
            (1, 'random', now(), NULL, NULL),
            (2, NULL, NULL, NULL, NULL)) AS t(seat, bot, since, deadline, warn_at)
        LEFT JOIN players p ON t.bot IS NULL
"""
SEATS = "SELECT seat, player_id, bot, since, deadline, warn_at, test_clock FROM game_seats ORDER BY seat"
TURNS = """
    SELECT t.seat, t.player_id, t.bot, t.since, t.deadline, t.warn_at, t.test_clock
    FROM turns t JOIN games g ON g.id = t.game_id AND g.app_id = t.app_id ORDER BY seat
"""


def test_turns_are_kept_by_an_upgrade_and_by_a_downgrade(
    postgres: Postgres, administrator: psycopg.Connection
) -> None:
    administrator.execute("CREATE DATABASE turns_moved")
    engine = create_engine(postgres.url(OWNER, "turns_moved"))
    with psycopg.connect(libpq(postgres.url(OWNER, "turns_moved")), autocommit=True) as sql:
        with engine.begin() as connection:
            command.upgrade(migrate.config(connection), "0039")
        sql.execute(GAME)
        before = sql.execute(SEATS).fetchall()
        for _ in range(2):
            with engine.begin() as connection:
                command.upgrade(migrate.config(connection), "0040")
            waiting = [(*row[:2], row[2] is not None, *row[3:]) for row in before if row[3]]
            assert sql.execute(TURNS).fetchall() == waiting
            assert sql.execute("SELECT deadlines_due FROM queue_depths()").fetchone() == (0,)
            with engine.begin() as connection:
                command.downgrade(migrate.config(connection), "0039")
            assert sql.execute(SEATS).fetchall() == before
            assert sql.execute("SELECT deadlines_due FROM queue_depths()").fetchone() == (0,)
    engine.dispose()
    administrator.execute("DROP DATABASE turns_moved WITH (FORCE)")
