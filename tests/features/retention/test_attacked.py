"""Who writes another time must not have the worker delete a game that has to stay."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
from click.testing import Result

from api.context import Context
from api.core.config import Settings, libpq
from api.features.retention import retention
from tests.support.callers import Clock, new_game, play_on
from tests.support.retaining import AGE, ids
from tests.support.retaining import forget as forget
from tests.support.retaining import retain as retain
from tests.support.tenants import Tenant
from tests.support.tenants import new_tenant as new_tenant
from tests.support.tenants import one as one
from tests.support.tenants import two as two


def test_the_time_of_a_test_clock_lets_no_game_go(
    one: Tenant, forget: Callable[[], None], retain: Callable[..., Result]
) -> None:
    past = one.key.post("/v1/test-clocks", {"time": "2020-01-01T00:00:00Z"}).json["id"]
    game = play_on(one.players, new_game(one.key, one.players, test_clock=past))
    assert retain("one", "--days", AGE + 1).exit_code == 0
    forget()
    assert game["id"] in ids(one.key)
    assert retain("one", "--days", AGE - 1).exit_code == 0
    forget()
    assert game["id"] not in ids(one.key)


def test_an_imported_log_stays_for_the_days_after_its_import(
    one: Tenant, two: Tenant, clock: Clock, forget: Callable[[], None], retain: Callable[..., Result]
) -> None:
    game = play_on(one.players, new_game(one.key, one.players))["id"]
    forget()
    record = one.key.get(f"/v1/games/{game}/record").json
    assert retain("one", "--days", AGE - 5).exit_code == 0
    forget()
    assert game not in ids(one.key)
    clock.move(days=30)
    again = one.key.post("/v1/records", record)
    assert again.status_code == 201, again.text
    forget()
    assert again.json["id"] in ids(one.key)


WAYS = {
    "web": ("database_url", ["UPDATE games SET ended_at = '2020-01-02' WHERE id = %(game)s"]),
    "worker": (
        "worker_database_url",
        [
            "UPDATE games SET status = 'finished', ended_at = '2020-01-02' WHERE id = %(game)s",
            "DELETE FROM tree_queue WHERE game_id = %(game)s",
        ],
    ),
    "worker with a leaf": (
        "worker_database_url",
        [
            "UPDATE games SET status = 'finished', ended_at = '2020-01-02' WHERE id = %(game)s",
            "DELETE FROM tree_queue WHERE game_id = %(game)s",
            "INSERT INTO tree_leaves SELECT max(number) + 1, %(game)s, true, (SELECT commitment FROM"
            " tree_leaves WHERE game_id = %(game)s LIMIT 1), 'leaf', '2020-01-02' FROM tree_leaves",
        ],
    ),
    "worker with a leaf before all": (
        "worker_database_url",
        [
            "UPDATE games SET status = 'finished', ended_at = '2020-01-02' WHERE id = %(game)s",
            "DELETE FROM tree_queue WHERE game_id = %(game)s",
            "INSERT INTO tree_leaves SELECT -1, %(game)s, true, (SELECT commitment FROM"
            " tree_leaves WHERE game_id = %(game)s LIMIT 1), 'leaf', '2020-01-02'",
        ],
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_login_lets_a_young_end_be_an_old_one(
    one: Tenant,
    worker: Callable[[], None],
    context: Context,
    retain: Callable[..., Result],
    settings: Settings,
    sql: psycopg.Connection,
    way: str,
) -> None:
    made = new_game(one.key, one.players)
    game = (play_on(one.players, made) if way == "web" else made)["id"]
    worker()
    sql.execute("UPDATE games SET created_at = '2020-01-01' WHERE id = %s", (game,))  # begun long ago
    assert retain("one", "--days", AGE + 1).exit_code == 0
    login, statements = WAYS[way]
    with psycopg.connect(libpq(getattr(settings, login)), autocommit=True) as service:
        service.execute("SELECT set_config('card_referee.app', %s, false)", (str(one.id),))
        for statement in statements:
            assert service.execute(statement, {"game": game}).rowcount >= 1
    retention.forget(context)
    assert game in ids(one.key)
