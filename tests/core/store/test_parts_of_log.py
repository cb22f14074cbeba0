"""The log, partitioned by month: partitions are created ahead and protected; a missing one stops no move."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
import pytest

from api.context import Context
from api.core.config import Settings, libpq
from api.features import load_features
from api.features.metrics.watched import depths
from api.run import migrate, worker
from api.run.worker import CLOCKWORK, split_log
from api.store.database.session import Database, Session
from tests.servers.load import load
from tests.servers.receiver import eventually
from tests.support.callers import Caller, Clock, log, new_game, play_on

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
    settings: Settings, sql: psycopg.Connection, context: object
) -> None:
    assert split_log in {job.work for job in CLOCKWORK}
    found = parts(sql)
    assert list(found) == [month(0), month(1), month(2), "entries_rest"]
    assert found["entries_rest"] == "DEFAULT"
    sql.execute(f"DROP TABLE {month(2)}")
    split_log(context)  # type: ignore[arg-type]
    assert parts(sql) == found
    split_log(context)  # type: ignore[arg-type]
    sql.execute(f"DROP TABLE {month(1)}")
    migrate.upgrade(settings)
    assert parts(sql) == found


COUNT = "SELECT count(*) FROM {}"


def count(sql: psycopg.Connection, table: str) -> int:
    (number,) = sql.execute(COUNT.format(table)).fetchone() or (0,)
    return int(number)


def test_a_worker_that_was_away_over_the_end_of_a_month_moves_its_entries(
    host: Caller,
    four: list[Caller],
    sql: psycopg.Connection,
    context: Context,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    sql.execute(f"DROP TABLE {month(0)}")
    game = play_on(four, new_game(host, four[:3]), 5)
    before = log(host, game)
    assert count(sql, "entries_rest") == game["version"] == len(before)
    web = Session(host.app.extensions["card_referee"].database)
    assert depths(web)["log_entries"] == len(before)
    monkeypatch.setattr(worker, "MOVED_BATCH", 3)
    split_log(context)
    assert f"{month(0)} had no partition" in caplog.text
    assert count(sql, "entries_rest") == depths(web)["log_entries"] == 0
    assert count(sql, month(0)) == len(before)
    assert log(host, game) == before
    for change in ("DELETE FROM", "TRUNCATE"):
        for part in ("entries_rest", month(0)):
            with pytest.raises(psycopg.errors.IntegrityError, match="append-only"):
                sql.execute(f"{change} {part}")
    with pytest.raises(psycopg.errors.IntegrityError, match=f"the next entry is {len(before) + 1}, not"):
        sql.execute(GAP.replace("4,", "99,"), (game["id"],))
    play_on(four, game)
    assert all(check["ok"] for check in host.get(f"/v1/games/{game['id']}/verification").json["checks"])
    caplog.clear()
    split_log(context)
    assert not caplog.text
    web.close()


STRAY = """
    INSERT INTO games (id, app_id, ruleset, ruleset_version, options, visibility, status, version, seats,
        sitting, seed, head, drawn, created_at, updated_at)
    SELECT first_id(first_of_month(%(month)s)), app_id, ruleset, 1, '{}', 'public', 'running', 1, '[]', '[]',
        '', '', 0, now(), now() FROM games LIMIT 1;
"""


def test_one_entry_far_ahead_does_not_keep_its_month_from_a_partition(
    host: Caller, four: list[Caller], sql: psycopg.Connection, context: Context
) -> None:
    new_game(host, four[:3])
    sql.execute(f"DROP TABLE {month(1)}")
    for ahead in (1, 7):
        sql.execute(STRAY.replace("%(month)s", str(ahead)))
        sql.execute(
            "INSERT INTO entries (game_id, seq, public, hash)"
            " VALUES (first_id(first_of_month(%s)), 1, '{}', '')",
            (ahead,),
        )
    assert count(sql, "entries_rest") == 2
    migrate_parts = parts(sql)
    split_log(context)
    assert parts(sql).keys() - migrate_parts.keys() == {month(1)}
    assert count(sql, month(1)) == 1
    assert count(sql, "entries_rest") == 1, "the other month has not come yet"


def test_entries_are_moved_while_games_are_played(
    host: Caller,
    four: list[Caller],
    worker: Callable[[], None],
    sql: psycopg.Connection,
    workers_database: Database,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("api.run.worker.MOVED_BATCH", 50)
    sql.execute(f"DROP TABLE {month(0)}")
    other = Session(workers_database)
    with load(host, four, worker) as statuses:
        assert eventually(lambda: count(sql, "entries_rest") > 200, 60)
        before = statuses[201]
        for _ in range(20):
            split_log(Context(settings, other, load_features().hooks, Clock()))
            if month(0) in parts(sql):
                break
        assert eventually(lambda: statuses[201] > before + 20, 60)
    other.close()
    assert set(statuses) == {200, 201}
    assert count(sql, "entries_rest") == 0
    for game in host.get("/v1/games?limit=5").json["items"]:
        assert host.get(f"/v1/games/{game['id']}/verification").json["ok"]


def test_a_copy_from_before_a_rotation_of_keys_is_made_again(
    host: Caller,
    four: list[Caller],
    sql: psycopg.Connection,
    context: Context,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Database, "_read_state", lambda *_: None)  # it would miss the other key
    sql.execute(f"DROP TABLE {month(0)}")
    new_game(host, four[:3])
    copied = sql.execute("SELECT part, copied FROM move_rest_of_log(1)").fetchone()
    assert copied == (month(0), 1)
    sql.execute("UPDATE encryption SET prefix = 'another'")
    sql.execute("SET card_referee.resealing = 'on'; UPDATE entries SET private = 'sealed anew'")
    split_log(context)
    assert sql.execute(f"SELECT DISTINCT private FROM {month(0)}").fetchall() == [(b"sealed anew",)]


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
