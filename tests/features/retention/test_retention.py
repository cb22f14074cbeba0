"""`referee-api retain`: the worker deletes finished games some days after their end."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from click.testing import Result

from api.context import Context
from api.core.config import Settings, libpq
from api.features.retention import retention
from tests.support.callers import Caller, Clock, new_game, play_on
from tests.support.imports import forged
from tests.support.retaining import AGE, WAITS, ids, stays_while_needed
from tests.support.retaining import forget as forget
from tests.support.retaining import retain as retain
from tests.support.stored import whole_tables
from tests.support.tenants import Tenant
from tests.support.tenants import new_tenant as new_tenant
from tests.support.tenants import one as one
from tests.support.tenants import two as two


def stored(sql: psycopg.Connection) -> dict[str, set[str]]:
    return {
        table: {row[0] for row in sql.execute(f"SELECT t::text FROM {table} t")}
        for table in whole_tables(sql) - {"retentions", "outbox"}
    }


def test_only_what_is_over_and_old_enough_goes_with_all_that_is_its_own(
    one: Tenant,
    two: Tenant,
    clock: Clock,
    forget: Callable[[], None],
    retain: Callable[..., Result],
    sql: psycopg.Connection,
    request: pytest.FixtureRequest,
) -> None:
    of_one = retention.definition().replace(f"LIMIT {retention.PIECE}", "LIMIT 1")
    assert of_one != retention.definition()
    request.addfinalizer(lambda: sql.execute(retention.definition()))
    sql.execute(of_one)
    for each in (one, one, two):
        play_on(each.players, new_game(each.key, each.players))
    over = "SELECT id::text FROM games WHERE app_id = %s AND ended_at < 'infinity'"
    old = [row[0] for row in sql.execute(over, (one.id,))]
    assert len(old) >= 2
    forget()
    clock.move(days=30)
    young = play_on(one.players, new_game(one.key, one.players))["id"]
    forget()
    kept = ids(one.key), ids(two.key)
    before = stored(sql)

    assert retain("one", "--days", AGE + 1).output == f"finished games of one are kept for {AGE + 1} days\n"
    forget()
    assert (ids(one.key), ids(two.key)) == kept
    assert retain("one", "--days", AGE - 20).exit_code == 0
    forget()
    assert (ids(one.key), ids(two.key)) == (kept[0] - {*old}, kept[1])
    assert young in ids(one.key)
    after = stored(sql)
    for table, rows in after.items():
        if table == "tree_leaves":  # the log of all games keeps its leaves
            assert len(rows) == len(before[table])
            rows = {row for row in rows if row in before[table]}
        gone = {row for row in before[table] if any(game in row for game in old)}
        assert rows == before[table] - gone, table
    assert one.key.get(f"/v1/games/{old[0]}").status_code == 404
    leaves = "SELECT count(*) FROM tree_leaves WHERE game_id::text = ANY(%s)"
    assert sql.execute(leaves, (old,)).fetchone() == (0,)

    assert retain("one", "--for-ever").exit_code == 0
    clock.move(days=-30)
    later = play_on(one.players, new_game(one.key, one.players))["id"]
    forget()
    assert later in ids(one.key)


@pytest.mark.parametrize("why", WAITS)
def test_a_game_stays_as_long_as_something_needs_it(
    one: Tenant,
    worker: Callable[[], None],
    context: Context,
    retain: Callable[..., Result],
    sql: psycopg.Connection,
    why: str,
) -> None:
    stays_while_needed(one, "one", worker, context, retain, sql, why)


def test_a_game_that_went_can_be_imported(
    one: Tenant, forget: Callable[[], None], retain: Callable[..., Result]
) -> None:
    game = play_on(one.players, new_game(one.key, one.players))["id"]
    forget()
    record = one.key.get(f"/v1/games/{game}/record").json
    assert retain("one", "--days", AGE - 1).exit_code == 0
    forget()
    first = one.key.post("/v1/records", record)
    assert first.status_code == 201
    forget()
    again = one.key.post("/v1/records", record)
    assert (again.status_code, again.json["id"] == first.json["id"]) == (201, False)


def test_no_login_of_the_service_chooses_what_goes(
    one: Tenant, worker: Callable[[], None], settings: Settings, sql: psycopg.Connection
) -> None:
    game = play_on(one.players, new_game(one.key, one.players))["id"]
    worker()
    statements = ("INSERT INTO retentions VALUES (%s, 1)", "UPDATE retentions SET days = 1 WHERE app_id = %s")
    for login in (settings.database_url, settings.worker_database_url):
        with psycopg.connect(libpq(login), autocommit=True) as service:
            for statement in statements:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    service.execute(statement, (one.id,))
            if login == settings.database_url:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    service.execute("SELECT forget_games()")
    assert game in ids(one.key)


def test_what_makes_no_sense_is_refused(one: Tenant, retain: Callable[..., Result]) -> None:
    for words, said in (
        (["one"], "Say either"),
        (["one", "--days", "3", "--for-ever"], "Say either"),
        (["one", "--days", "0"], "0 is not in the range"),
        (["nobody", "--days", "3"], "There is no app nobody."),
    ):
        done = retain(*words)
        assert done.exit_code
        assert said in f"{done.output}{done.exception}"


def test_a_repeated_import_says_that_its_game_is_gone(
    one: Tenant, four: list[Caller], forget: Callable[[], None], retain: Callable[..., Result]
) -> None:
    record, key = forged(four), {"Idempotency-Key": "one"}
    assert one.key.post("/v1/records", record, headers=key).status_code == 201
    assert retain("one", "--days", AGE - 20).exit_code == 0
    forget()
    gone = one.key.post("/v1/records", record, headers=key)
    assert (gone.status_code, gone.json["type"]) == (404, "/problems/not-found")
