"""The jobs of a worker: no kind waits for another, and a game that fails delays no other game."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import make_url

import referee.table
from api.context import Context
from api.core.config import Settings
from api.features import load_features
from api.features.accounts import SIGN_INS
from api.features.mail.queue import MAIL
from api.features.mail.sending import dispatcher, send_mail
from api.features.metrics.watched import watched
from api.games import bots, deadlines
from api.games.game import Game
from api.run import vitals
from api.run.worker import CLOCKWORK, Worker, name_of, note_life, query_of
from api.store.database.session import Database, Session
from referee.table import commands
from tests.servers.receiver import Receiver, eventually
from tests.servers.serving import free_port
from tests.support.callers import Caller, Clock, new_game
from tests.support.due_jobs import keep_time, share_what_is_due
from tests.support.webhooks import PACE, hook, listed, receiver, settings

__all__ = ["receiver", "settings"]  # fixtures


def test_workers_share_what_is_due(
    host: Caller, four: list[Caller], clock: Clock, workers_database: Database
) -> None:
    share_what_is_due(host, four, clock, workers_database)


@contextmanager
def working(settings: Settings) -> Iterator[None]:
    worker = Worker(settings)
    worker.start()
    try:
        yield
    finally:
        worker.stop()


def test_an_idle_worker_has_no_thread_for_a_job(settings: Settings) -> None:
    """They end when nothing is left to do; what runs is the one that asks what is due, and what sends."""
    jobs = {name_of(job) for job in (*CLOCKWORK, *load_features().jobs)}

    def names() -> set[str]:
        return {thread.name for thread in threading.enumerate()}

    with working(settings):
        assert eventually(lambda: "_schedule" in names() and not names() & jobs)


def test_a_worker_is_up_by_the_clock_of_the_database(context: Context, clock: Clock) -> None:
    clock.move(hours=-3)
    note_life(context)
    seen = watched(context.session)
    assert seen.workers == 1
    assert abs(seen.unseen or 0) < 60


def test_what_was_due_once_does_not_make_the_next_looks_slow(sql: psycopg.Connection) -> None:
    """PostgreSQL may still believe that most rows are due; reading all of them every second would be slow."""
    sql.execute(
        "INSERT INTO sign_ins (id, address, codes, created_at, expires_at, tries, language, next_at)"
        " SELECT gen_random_uuid(), '', '{}', now(), now(), 0, 'en', now() FROM generate_series(1, 3000)"
    )
    sql.execute("ANALYZE sign_ins")
    sql.execute("UPDATE sign_ins SET next_at = NULL")
    plan = "\n".join(row[0] for row in sql.execute(f"EXPLAIN {query_of([SIGN_INS])}"))
    assert "Seq Scan" not in plan


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_worker_answers_at_each_kind_of_address(host: str) -> None:
    port = free_port()
    vitals.start(Settings(host=host, worker_health_port=port), lambda: "")
    at = f"[{host}]" if ":" in host else host
    assert httpx.get(f"http://{at}:{port}/healthz", timeout=60).text == "ok\n"


def test_a_worker_has_its_own_login_at_the_direct_address(settings: Settings) -> None:
    """The address may be the one that the web servers have: that login may not look for what is due."""
    shared = replace(settings, direct_database_url=settings.database_url)
    with closing(Database(shared.for_worker())) as database, database.connect() as connection:
        row = connection.execute("SELECT session_user").fetchone()
    assert row == (make_url(settings.worker_database_url).username,)


def test_a_sender_that_is_about_to_look_is_stopped(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody would wake it any more."""
    with closing(Database(settings.for_worker())) as database:

        @contextmanager
        def job() -> Iterator[Context]:
            with closing(Session(database)) as session:
                yield Context(settings, session, load_features().hooks)

        class Woken(asyncio.Event):
            def clear(self) -> None:
                sender.stop()
                super().clear()

        sender = dispatcher(MAIL, send_mail, job)
        monkeypatch.setattr(asyncio, "Event", Woken)
        thread = threading.Thread(target=sender.run, daemon=True)
        thread.start()
        thread.join(20)
        assert not thread.is_alive()


def test_a_worker_whose_sender_has_ended_is_not_healthy(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Worker(settings)
    released = threading.Event()
    monkeypatch.setattr(worker._lasting[-1], "_target", released.wait)
    worker.start()
    try:
        assert worker.why_ill() == ""
        released.set()
        assert eventually(lambda: worker.why_ill() == "The thread Dispatcher has ended.")
    finally:
        worker.stop()


def test_warnings_and_bots_do_not_wait_for_deadlines(
    host: Caller,
    four: list[Caller],
    receiver: Receiver,
    settings: Settings,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It holds however many deadlines have passed, and however long one of them takes."""
    released = threading.Event()
    monkeypatch.setattr(deadlines, "enforce_some", lambda *args: 0 * released.wait(90))
    with monkeypatch.context() as slow:
        slow.setattr(bots.play_on, "__defaults__", (1,))  # the rest is left to the worker
        wanted = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}] * 2}
        played = host.post("/v1/games", wanted).json
    webhook = hook(host, receiver, events=["turn.warning"])
    new_game(host, four[:2], pace=PACE)
    sql.execute("UPDATE turns SET warn_at = now() - interval '1 hour'")
    try:
        with working(settings):
            assert eventually(lambda: [d["status"] for d in listed(host, webhook)] == ["delivered"], 60)
            address = f"/v1/games/{played['id']}"
            assert eventually(lambda: host.get(address).json["version"] > played["version"], 60)
            assert not released.is_set()
            released.set()
    finally:
        released.set()


def test_a_game_that_the_database_refuses_delays_no_other(
    host: Caller,
    four: list[Caller],
    context: Context,
    clock: Clock,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither its deadline nor its bots delay others, and later jobs are done as well."""
    monkeypatch.setattr(bots.play_on, "__defaults__", (20,))  # the rest is left to the worker
    wanted = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}] * 3}
    games = [host.post("/v1/games", wanted).json for _ in range(2)]
    late = [new_game(host, four[:2], pace=PACE) for _ in range(2)]
    sql.execute(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this game'; END $$"
    )
    broken = f"'{games[0]['id']}', '{late[0]['id']}'"
    sql.execute(
        f"CREATE TRIGGER broken BEFORE INSERT ON entries FOR EACH ROW WHEN (NEW.game_id IN ({broken}))"
        " EXECUTE FUNCTION refuse()"
    )
    clock.move(hours=73)
    assert str(bots.games_due(context, people=False)[0]) == games[0]["id"], "the broken game comes first"
    keep_time(context)

    def shown(game: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = host.get(f"/v1/games/{game['id']}").json
        return found

    assert [shown(game)["status"] for game in late] == ["running", "finished"]
    assert [shown(game)["version"] > game["version"] for game in games] == [False, True]
    leaves = sql.execute("SELECT count(*) FROM tree_queue").fetchone()
    assert leaves == (0,)


def test_deadlines_that_have_passed_are_enforced_together(
    host: Caller,
    four: list[Caller],
    context: Context,
    clock: Clock,
    sql: psycopg.Connection,
) -> None:
    """Each has the same effect as alone; a game that cannot be read is skipped."""
    random = {**PACE, "on_timeout": "random_move"}
    late = [new_game(host, four[:2], pace=pace) for pace in (PACE, random, PACE, random)]
    unreadable = new_game(host, four[:2], pace=PACE)
    sql.execute("UPDATE games SET position = 'nonsense' WHERE id = %s", (unreadable["id"],))
    in_time = new_game(host, four[:2], pace={**PACE, "per_move": "P9D"})
    clock.move(hours=73)
    keep_time(context)
    found = sql.execute(
        "SELECT g.id::text, g.status, count(*), min(e.xmin::text), max(e.xmin::text) FROM games g"
        " JOIN entries e ON e.game_id = g.id AND e.seq > 4 GROUP BY g.id ORDER BY g.id"
    ).fetchall()
    assert [row[:3] for row in found] == [
        (game["id"], status, 2) for game, status in zip(late, ["finished", "running"] * 2, strict=True)
    ]
    assert len({xmin for row in found for xmin in row[3:]}) == 1, "one transaction for all of them"
    for game in late:
        assert host.get(f"/v1/games/{game['id']}/verification").json["ok"]
    assert host.get(f"/v1/games/{in_time['id']}").json["version"] == in_time["version"]


def test_a_game_that_fails_does_not_affect_others_in_its_transaction(
    host: Caller,
    four: list[Caller],
    context: Context,
    clock: Clock,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    late = {new_game(host, four[:2], pace=PACE)["id"] for _ in range(5)}
    taken, pass_time = [], commands.pass_time

    def fail_the_third(game: Game, *more: Any) -> Iterator[referee.table.Event]:
        taken.append(str(game.id))
        if len(taken) == 3:
            raise ValueError("broken")
        return pass_time(game, *more)

    monkeypatch.setattr(commands, "pass_time", fail_the_third)
    clock.move(hours=73)
    keep_time(context)
    assert late == {*taken}
    assert len(taken) == 5, "each was checked once"
    found = sql.execute(
        "SELECT g.id::text, g.status, min(e.xmin::text), max(e.xmin::text) FROM games g"
        " JOIN entries e ON e.game_id = g.id AND e.seq > 4 GROUP BY g.id"
    ).fetchall()
    assert {row[:2] for row in found} == {(game, "finished") for game in late - {taken[2]}}
    assert len({xmin for row in found for xmin in row[2:]}) == 1, "one transaction for all the others"
