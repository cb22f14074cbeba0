"""What a move asks of the database: nothing whose answer is known already, or that nobody uses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, takewhile
from threading import Event
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg.waiting import Wait

from api.core.config import Settings
from api.store.database import publishing
from api.store.database.connections import PooledConnection
from api.store.database.session import Database
from tests.api.conftest import Caller, first_move, new_game


@contextmanager
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The statements that requests run meanwhile; beginning and ending a transaction are none."""
    found: list[str] = []
    execute = PooledConnection.execute

    def run(self: PooledConnection, query: Any, *arguments: Any, **more: Any) -> Any:
        found.append(str(query))
        return execute(self, query, *arguments, **more)

    with monkeypatch.context() as patched:
        patched.setattr(PooledConnection, "execute", run)
        yield found


@contextmanager
def counted_waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """An item for each time that requests wait for an answer of the database."""
    found: list[str] = []
    wait = PooledConnection.wait

    def watched(gen: Any) -> Any:
        try:
            wanted = next(gen)
            while True:
                if wanted == Wait.R:
                    found.append("waited")
                wanted = gen.send((yield wanted))
        except StopIteration as done:
            return done.value

    with monkeypatch.context() as patched:
        patched.setattr(PooledConnection, "wait", lambda self, gen, *more: wait(self, watched(gen), *more))
        yield found


def asks_for(statements: list[str], table: str) -> bool:
    """Return whether it was asked who of these is to be told, beside the statement that moves a game on."""
    return any(f"FROM {table}" in each for each in statements if "UPDATE games" not in each)


def move(players: list[Caller], game: dict[str, Any]) -> dict[str, Any]:
    seat = game["to_act"][0]
    done = players[seat].post(f"/v1/games/{game['id']}/moves", {"move": first_move(players[seat], game)})
    assert done.status_code == 201
    found: dict[str, Any] = done.json["game"]
    return found


def test_who_is_not_there_is_not_looked_for(
    host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = new_game(host, four[:3])
    with recorded(monkeypatch) as statements:
        game = move(four, game)
    assert not asks_for(statements, "webhooks")
    assert not asks_for(statements, "contacts")
    hook = host.post("/v1/webhooks", {"url": "https://example.org/a"}).json["id"]
    with recorded(monkeypatch) as statements:
        game = move(four, game)
    assert asks_for(statements, "webhooks")
    assert not asks_for(statements, "contacts")
    assert host.delete(f"/v1/webhooks/{hook}").status_code == 204
    assert four[0]("PATCH", "/v1/me/preferences", {"frequency": "never"}).status_code == 200
    with recorded(monkeypatch) as statements:
        move(four, game)
    assert not asks_for(statements, "webhooks")
    assert asks_for(statements, "contacts")


@pytest.mark.parametrize(("keyed", "most"), [(False, 4), (True, 5)])
def test_the_end_of_a_game_waits_for_what_it_reads_alone(
    host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch, keyed: bool, most: int
) -> None:
    """For the caller, the key, the game with who looked at cards, who wants a notice, and the commit."""
    game = new_game(host, four[:3])
    path = f"/v1/games/{game['id']}/moves"
    while game["status"] == "running":
        mover = four[game["to_act"][0]]
        move = {"move": first_move(mover, game)}
        headers = {"Idempotency-Key": str(game["version"])} if keyed else {}
        with counted_waits(monkeypatch) as waits:
            game = mover.post(path, move, headers=headers).json["game"]
    assert len(waits) <= most


def test_plans_are_not_made_from_the_statistics_of_a_handful_of_games(sql: psycopg.Connection) -> None:
    """Connections keep them: with 600 games such a move took the database three times as long."""
    for table in ("games", "game_seats"):
        (options,) = sql.execute("SELECT reloptions FROM pg_class WHERE relname = %s", (table,)).fetchone()  # type: ignore[misc]
        thresholds = dict(option.split("=") for option in options)
        assert int(thresholds["autovacuum_analyze_threshold"]) >= 10_000
        assert int(thresholds["autovacuum_vacuum_threshold"]) >= 10_000, "it counts the pages too"


def expected_rows(plan: dict[str, Any]) -> Iterator[int]:
    """How many rows the planner expects of each step, other than of a bitmap of an index, or of EXISTS."""
    if plan.get("Subplan Name", "").startswith(("InitPlan", "SubPlan")):
        return
    if not plan["Node Type"].startswith("Bitmap"):
        yield plan["Plan Rows"]
    for step in plan.get("Plans", ()):
        yield from expected_rows(step)


def test_a_plan_for_any_move_expects_no_more_than_a_move_changes(
    host: Caller, four: list[Caller], sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it costs more than a plan for given values, and every move is planned anew: a sixth more time."""
    game = new_game(host, four[:3])
    with recorded(monkeypatch) as statements:
        move(four, game)
    (statement,) = (each for each in statements if "UPDATE games" in each)
    numbers = count(1)
    statement = re.sub("%s", lambda _: f"${next(numbers)}", statement)
    (found,) = sql.execute(f"EXPLAIN (GENERIC_PLAN, FORMAT json) {statement}").fetchone()  # type: ignore[misc]
    assert max(expected_rows(found[0]["Plan"])) == 2, "the turn that ends and the one that begins"


def test_news_that_gather_while_others_are_sent_go_together(
    settings: Settings, sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    gathering, published, game = Event(), Event(), uuid4()

    def gather(seconds: float) -> None:
        gathering.set()
        published.wait(60)

    monkeypatch.setattr(publishing, "time", SimpleNamespace(sleep=gather))
    publishing.listen(sql)
    database = Database(settings)
    database.publisher.publish({game: 1})
    assert next(publishing.received(sql, 60)) == (game, 1), "the first one waits for nothing"
    assert gathering.wait(10)
    for version in range(2, 10):
        database.publisher.publish({game: version})
    published.set()
    database.close()
    end = (uuid4(), 1)
    sql.execute("SELECT pg_notify(%s, %s)", publishing.notice(*end))
    assert list(takewhile(lambda news: news != end, publishing.received(sql, 60))) == [(game, 9)]
