"""Letting the finished games of apps go, as an operator and the worker do."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner, Result

from api.context import Context
from api.core.config import Settings
from api.features.retention import retention
from api.run.cli import cli
from tests.support.callers import START, Caller, new_game, play_on
from tests.support.tenants import Tenant

AGE = (datetime.now(UTC) - START).days  # of what happens at the time of the tests' clock


@pytest.fixture
def retain(settings: Settings) -> Callable[..., Result]:
    def call(*words: object) -> Result:
        return CliRunner(env=settings.environment()).invoke(cli, ["retain", *map(str, words)])

    return call


@pytest.fixture
def forget(worker: Callable[[], None], context: Context) -> Callable[[], None]:
    """Do all that is due, and then delete what has to go."""

    def run() -> None:
        worker()
        retention.forget(context)

    return run


def ids(key: Caller) -> set[str]:
    return {game["id"] for game in key.get("/v1/games?limit=100").json["items"]}


WAITS: dict[str, Any] = {
    "its leaf is not in the log of all games": (
        "INSERT INTO tree_queue (game_id, ended) VALUES (%(game)s, true)",
        "DELETE FROM tree_queue",
    ),
    "it is not announced yet": (
        "UPDATE notice_positions SET tick = 0 WHERE app_id = %(app)s",
        "UPDATE notice_positions SET tick = 9000000000000000000 WHERE app_id = %(app)s",
    ),
    "its end was written as earlier than its beginning": (
        "UPDATE games SET ended_at = '2000-01-01', created_at = now() WHERE id = %(game)s",
        "UPDATE games SET created_at = '2000-01-01' WHERE id = %(game)s",
    ),
}


def stays_while_needed(
    one: Tenant,
    name: str,
    worker: Callable[[], None],
    context: Context,
    retain: Callable[..., Result],
    sql: psycopg.Connection,
    why: str,
) -> None:
    """Check that an old game stays for one of the reasons in WAITS, and goes without it."""
    game = play_on(one.players, new_game(one.key, one.players))["id"]
    worker()
    assert retain(name, "--days", AGE - 1).exit_code == 0
    names = {"game": game, "app": one.id, "other": one.game["id"]}
    begins, ends = WAITS[why]
    sql.execute(begins, names)
    retention.forget(context)
    assert game in ids(one.key)
    sql.execute(ends, names)
    retention.forget(context)
    assert game not in ids(one.key)
