"""What a move asks the database, and that operations on one game read only its rows."""

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
from tests.support.callers import Caller, first_move, new_game
from tests.support.everything import asked as asked
from tests.support.partitions import SPLIT, Statement, parts, split
from tests.support.stored import recorded


@contextmanager
def counted_waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Return an item for each time that requests wait for an answer of the database."""
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


def move(players: list[Caller], game: dict[str, Any]) -> dict[str, Any]:
    seat = game["to_act"][0]
    done = players[seat].post(f"/v1/games/{game['id']}/moves", {"move": first_move(players[seat], game)})
    assert done.status_code == 201
    found: dict[str, Any] = done.json["game"]
    return found


@pytest.mark.parametrize("keyed", [False, True])
def test_the_end_of_a_game_waits_only_for_what_it_reads(
    host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch, keyed: bool
) -> None:
    """It waits for the caller, the game, its new row and the commit."""
    game = new_game(host, four[:3])
    path = f"/v1/games/{game['id']}/moves"
    while game["status"] == "running":
        mover = four[game["to_act"][0]]
        move = {"move": first_move(mover, game)}
        headers = {"Idempotency-Key": str(game["version"])} if keyed else {}
        with counted_waits(monkeypatch) as waits:
            game = mover.post(path, move, headers=headers).json["game"]
    assert len(waits) <= 4


def test_plans_are_not_based_on_the_statistics_of_a_few_games(sql: psycopg.Connection) -> None:
    """Connections keep plans: with 600 games, such a plan took the database three times as long."""
    for table in ("games", "game_seats", "turns"):
        (options,) = sql.execute("SELECT reloptions FROM pg_class WHERE relname = %s", (table,)).fetchone()
        thresholds = dict(option.split("=") for option in options)
        assert int(thresholds["autovacuum_analyze_threshold"]) >= 10_000
        assert int(thresholds["autovacuum_vacuum_threshold"]) >= 10_000, "the pages are counted too"


def expected_rows(plan: dict[str, Any]) -> Iterator[int]:
    """Return how many rows the planner expects of each step, except bitmaps of an index and EXISTS."""
    if plan.get("Subplan Name", "").startswith(("InitPlan", "SubPlan")):
        return
    if not plan["Node Type"].startswith("Bitmap"):
        yield plan["Plan Rows"]
    for step in plan.get("Plans", ()):
        yield from expected_rows(step)


def test_the_generic_plan_of_a_move_expects_no_more_rows_than_it_changes(
    host: Caller, four: list[Caller], sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a plan for given values seems cheaper, and every move is planned again (17 % slower)."""
    game = new_game(host, four[:3])
    with recorded(monkeypatch) as statements:
        move(four, game)
    (statement,) = (each for each in statements if "UPDATE games" in each)
    numbers = count(1)
    statement = re.sub("%s", lambda _: f"${next(numbers)}", statement)
    (found,) = sql.execute(f"EXPLAIN (GENERIC_PLAN, FORMAT json) {statement}").fetchone()
    assert max(expected_rows(found[0]["Plan"])) == 1, "one game, one turn, one entry"


def test_notifications_that_collect_during_a_send_are_sent_together(
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
    assert next(publishing.received(sql, 60)) == (game, 1), "the first one is sent at once"
    assert gathering.wait(10)
    for version in range(2, 10):
        database.publisher.publish({game: version})
    published.set()
    database.close()
    end = (uuid4(), 1)
    sql.execute("SELECT pg_notify(%s, %s)", publishing.notice(*end))
    assert list(takewhile(lambda news: news != end, publishing.received(sql, 60))) == [(game, 9)]


OF_TABLES = re.compile(rf"\b({'|'.join(SPLIT)})\b")
OF_AN_APP = "games.ended_at = 'infinity'"  # counts the games of an app that are not over


def test_a_statement_about_a_game_names_it(asked: list[Statement], sql: psycopg.Connection) -> None:
    split(sql)
    wrong, tables = {}, set[str]()
    for text, statement in {each.text: each for each in asked}.items():
        if not OF_TABLES.search(text) or OF_AN_APP in text:
            continue
        used, unnamed = parts(sql, statement)
        tables |= {*OF_TABLES.findall(text)}
        several = len({name.rpartition("_")[2] for name in used}) > 1
        if several or unnamed:
            wrong[text] = sorted(used | unnamed)
    assert wrong == {}, "these statements read the rows of all games"
    assert tables == set(SPLIT), "every table was read"
