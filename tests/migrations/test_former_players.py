"""An upgrade finds former holders of seats in the logs if an earlier release has dropped them."""

from __future__ import annotations

import psycopg
from alembic import command
from sqlalchemy import create_engine

from api.core.config import libpq
from api.run import migrate
from api.run.embedded.postgres import OWNER, Postgres

HANDED_OVER = """
    SET session_replication_role = replica;  -- no trigger asks for the entries between
    INSERT INTO apps VALUES ('00000000-0000-7000-8000-000000000001', 'host', now());
    INSERT INTO players (id, app_id, name, created_at) SELECT p.id::uuid, a.id, 'Anna', now()
        FROM apps a, (VALUES ('00000000-0000-7000-8000-00000000000a'),
            ('00000000-0000-7000-8000-00000000000b')) AS p(id) WHERE a.name = 'host';
    INSERT INTO games (id, app_id, ruleset, ruleset_version, options, visibility, status, version, seats,
        seed, head, drawn, created_at, updated_at, commitment)
        SELECT gen_random_uuid(), id, 'pedro', 1, '{}', 'private', 'running', 9,
            '[{"player": null, "bot": "random"}, {"player": null, "bot": "random"}]',
            '', '', 0, now(), now(), ''
        FROM apps WHERE name = 'host';
    INSERT INTO entries (game_id, app_id, tick, seq, public, hash) SELECT games.id, games.app_id, 1, e.seq,
        '{"type": "left", "seat": ' || e.seat || ', "player": {"id": "' || e.player
            || '", "name": "Anna"}' || e.more || '}', ''
        FROM games, (VALUES
            (2, 0, '00000000-0000-7000-8000-00000000000a', ''),  -- before the start: nobody saw a card
            (5, 1, '00000000-0000-7000-8000-00000000000a', ', "replaced": true'),
            (7, 1, '00000000-0000-7000-8000-00000000000b', ', "replaced": true'),
            (9, 1, '00000000-0000-7000-8000-00000000000c', ', "replaced": true')  -- of another service
        ) AS e(seq, seat, player, more)
"""


def test_former_players_dropped_by_an_older_release_are_found_in_logs(
    postgres: Postgres, administrator: psycopg.Connection
) -> None:
    administrator.execute("CREATE DATABASE dropped")
    engine = create_engine(postgres.url(OWNER, "dropped"))
    with psycopg.connect(libpq(postgres.url(OWNER, "dropped")), autocommit=True) as sql:
        with engine.begin() as connection:
            command.upgrade(migrate.config(connection), "0031")
        sql.execute(HANDED_OVER)
        for _ in range(2):  # the second time after a downgrade
            with engine.begin() as connection:
                command.upgrade(migrate.config(connection), "0032")
            (seats,) = sql.execute("SELECT seats::jsonb FROM games").fetchone() or ()
            a, b = (f"00000000-0000-7000-8000-00000000000{player}" for player in "ab")
            assert [seat.get("former") for seat in seats] == [None, {a: 5, b: 7}]
            found = sql.execute("SELECT player_id::text FROM former_players ORDER BY 1").fetchall()
            assert found == [(a,), (b,)]
            sql.execute(
                "UPDATE games SET seats = (SELECT jsonb_agg(seat - 'former' ORDER BY number)"
                " FROM jsonb_array_elements(seats::jsonb) WITH ORDINALITY AS s(seat, number))::text"
            )
            with engine.begin() as connection:
                command.downgrade(migrate.config(connection), "0031")
    engine.dispose()
    administrator.execute("DROP DATABASE dropped WITH (FORCE)")
