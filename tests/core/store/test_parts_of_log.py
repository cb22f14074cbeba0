"""The log, partitioned by month: partitions are created ahead and protected; a missing one stops no move."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
import pytest

from api.context import Context
from api.core.config import Settings, libpq
from api.run import migrate
from api.run.worker import CLOCKWORK, make_parts_of_log
from tests.support.callers import Caller, log, new_game, play_on

PARTS = """
    SELECT c.relname, pg_get_expr(c.relpartbound, c.oid)
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'entries'::regclass ORDER BY 1
"""
GAMES = """
    INSERT INTO apps VALUES ('00000000-0000-7000-8000-000000000000', 'host', now());
    INSERT INTO games (id, app_id, ruleset, ruleset_version, options, visibility, status, version, seats,
        sitting, seed, head, drawn, created_at, updated_at)
    SELECT g.id::uuid, apps.id, 'pedro', 1, '{}', 'public', 'running', 2, '[]', '[]', '', '', 0, now(), now()
    FROM apps, (VALUES ('01900000-0000-7000-8000-000000000001'), ('ffffffff-0000-4000-8000-000000000002'))
        AS g (id);
    INSERT INTO entries (game_id, seq, public, hash)
    SELECT id, seq, '{"n": ' || seq || '}', '\\x00' FROM games, generate_series(1, 2) AS seq ORDER BY 1, 2;
"""
GAP = "INSERT INTO entries (game_id, seq, public, hash) VALUES (%s, 4, '', '')"


def month(ahead: int) -> str:
    """Return the name of the partition for the games of a month."""
    now = datetime.now(UTC).replace(day=1)
    for _ in range(ahead):
        now = (now + timedelta(days=32)).replace(day=1)
    return now.strftime("entries_%Y_%m")


def parts(sql: psycopg.Connection) -> dict[str, str]:
    return dict(sql.execute(PARTS).fetchall())


def test_the_worker_creates_the_partitions_of_the_next_months(
    settings: Settings, sql: psycopg.Connection, context: Context
) -> None:
    assert make_parts_of_log in {job.work for job in CLOCKWORK}
    found = parts(sql)
    assert list(found) == [month(0), month(1), month(2), "entries_rest"]
    assert found["entries_rest"] == "DEFAULT"
    sql.execute(f"DROP TABLE {month(2)}")
    make_parts_of_log(context)
    assert parts(sql) == found
    make_parts_of_log(context)
    sql.execute(f"DROP TABLE {month(1)}")
    migrate.upgrade(settings)
    assert parts(sql) == found


COUNT = "SELECT count(*) FROM {}"


def count(sql: psycopg.Connection, table: str) -> int:
    (number,) = sql.execute(COUNT.format(table)).fetchone() or (0,)
    return int(number)


def test_a_month_without_a_partition_stops_no_move(
    host: Caller, four: list[Caller], sql: psycopg.Connection, context: Context
) -> None:
    sql.execute(f"DROP TABLE {month(0)}")
    game = play_on(four, new_game(host, four[:3]), 5)
    make_parts_of_log(context)
    assert month(0) not in parts(sql), "its entries stay where they are"
    assert count(sql, "entries_rest") == game["version"] == len(log(host, game))
    with pytest.raises(psycopg.errors.IntegrityError, match=f"the next entry is {game['version'] + 1}, not"):
        sql.execute(GAP.replace("4,", "99,"), (game["id"],))
    play_on(four, game)
    assert all(check["ok"] for check in host.get(f"/v1/games/{game['id']}/verification").json["checks"])


def test_a_game_is_in_the_partition_of_its_month(
    host: Caller, four: list[Caller], sql: psycopg.Connection
) -> None:
    game = new_game(host, four[:3])
    where = sql.execute(
        "SELECT DISTINCT tableoid::regclass::text FROM entries WHERE game_id = %s", (game["id"],)
    )
    assert where.fetchall() == [(month(0),)]
    assert datetime.fromtimestamp((UUID(game["id"]).int >> 80) / 1000, UTC).strftime(
        "entries_%Y_%m"
    ) == month(0)


@pytest.mark.parametrize("change", ["UPDATE {} SET public = ''", "DELETE FROM {}", "TRUNCATE {}"])
def test_no_partition_can_be_changed(
    host: Caller, four: list[Caller], sql: psycopg.Connection, change: str
) -> None:
    new_game(host, four[:3])
    for part in ("entries", *parts(sql)):
        with pytest.raises(psycopg.errors.IntegrityError, match="append-only"):
            sql.execute(change.format(part))


@pytest.mark.parametrize("login", ["database_url", "worker_database_url"])
def test_partitions_cannot_be_read_or_written_directly(settings: Settings, login: str) -> None:
    with psycopg.connect(libpq(getattr(settings, login)), autocommit=True) as connection:
        for part in (month(0), "entries_rest"):
            for statement in (f"SELECT FROM {part}", f"INSERT INTO {part} DEFAULT VALUES"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement)


def test_a_gap_is_refused_in_every_partition(sql: psycopg.Connection) -> None:
    sql.execute(GAMES)
    for game in sql.execute("SELECT id FROM games").fetchall():
        with pytest.raises(psycopg.errors.IntegrityError, match="the next entry is 3, not 4"):
            sql.execute(GAP, game)


def test_a_move_waits_for_no_other_partition(
    host: Caller, four: list[Caller], settings: Settings, sql: psycopg.Connection
) -> None:
    """A partition is locked, for example, while it is copied to another disk."""
    game = play_on(four, new_game(host, four[:3]), 3)
    with sql.transaction():
        sql.execute(f"LOCK TABLE {month(1)}, {month(2)}, entries_rest IN ACCESS EXCLUSIVE MODE")
        game = play_on(four, game, 12)
        assert four[0].get(f"/v1/games/{game['id']}?version=7").json["version"] == 7
        assert len(log(host, game)) == game["version"]
