"""The jobs of a worker: none waits for another kind, and no game's failure for anybody else's turn."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from api.core.config import Settings
from api.core.context import Context
from api.play.automatic import bots, deadlines
from api.run.worker import Worker, keep_time
from tests.api.conftest import Caller, Clock, new_game
from tests.api.test_play_by_post_webhooks import PACE, context, hook, listed, receiver, settings
from tests.receiver import Receiver, eventually

__all__ = ["context", "receiver", "settings"]  # fixtures


@contextmanager
def working(settings: Settings) -> Iterator[None]:
    worker = Worker(settings)
    worker.start()
    try:
        yield
    finally:
        worker.stop()


def test_warnings_do_not_wait_for_deadlines(
    host: Caller,
    four: list[Caller],
    receiver: Receiver,
    settings: Settings,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However many deadlines have passed, and however long one of them takes."""
    released = threading.Event()
    monkeypatch.setattr(deadlines, "enforce_next", lambda *args: released.wait(90) and None)
    webhook = hook(host, receiver, events=["turn.warning"])
    new_game(host, four[:2], pace=PACE)
    sql.execute("UPDATE game_seats SET warn_at = now() - interval '1 hour' WHERE since IS NOT NULL")
    try:
        with working(settings):
            assert eventually(lambda: [d["status"] for d in listed(host, webhook)] == ["delivered"], 60)
            released.set()
    finally:
        released.set()


def test_a_game_that_the_database_refuses_keeps_no_other_waiting(
    host: Caller,
    four: list[Caller],
    context: Context,
    clock: Clock,
    sql: psycopg.Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither its deadline nor its bots; and what comes after the bots is done as well."""
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
    assert str(bots.games_due(context)[0]) == games[0]["id"], "the broken one is the first"
    keep_time(context)

    def shown(game: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = host.get(f"/v1/games/{game['id']}").json
        return found

    assert [shown(game)["status"] for game in late] == ["running", "finished"]
    assert [shown(game)["version"] > game["version"] for game in games] == [False, True]
    leaves = sql.execute("SELECT count(*) FROM tree_queue").fetchone()
    assert leaves == (0,)
