"""Notices are made of the log by workers: each once, in order, as things were at their entries."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from api.context import Context
from api.core.config import Settings, libpq
from api.features import load_features
from api.features.notices import projection
from api.features.notices.projection import announce_all
from api.store.database.session import Database, Session
from tests.support.callers import Caller, Clock, log, new_game, play_on

PACE = {"per_move": "PT72H", "on_timeout": "resign"}
POSITIONS = "SELECT count(*) FROM notice_positions"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, allow_private_webhooks=True, webhook_ports=None)


@pytest.fixture
def others(settings: Settings, clock: Clock, workers_database: Database) -> Iterator[list[Context]]:
    """Return the contexts of further workers."""
    found = [Context(settings, Session(workers_database), load_features().hooks, clock) for _ in range(4)]
    yield found
    for context in found:
        context.session.close()


def hook(host: Caller, *events: str, **more: Any) -> str:
    made = host.post("/v1/webhooks", {"url": "http://127.0.0.1:9/in", "events": [*events], **more})
    assert made.status_code == 201, made.text
    found: str = made.json["id"]
    return found


def queued(host: Caller, webhook: str) -> list[dict[str, Any]]:
    """Return the notices for a webhook, oldest first."""
    items = host.get(f"/v1/webhooks/{webhook}/deliveries?limit=200").json["items"]
    return [each["payload"] for each in reversed(items)]


def one_move(players: list[Caller], game: dict[str, Any]) -> dict[str, Any]:
    moved: dict[str, Any] = play_on(players, game, 1)
    return moved


@pytest.mark.parametrize("pace", [PACE, None])
def test_late_notices_of_turns_say_what_was_true_then(
    host: Caller, four: list[Caller], context: Context, clock: Clock, pace: dict[str, Any] | None
) -> None:
    webhook = hook(host, "turn.began")
    game = new_game(host, four[:3], pace=pace)
    expected = []
    for _ in range(7):
        (seat,) = game["to_act"]
        deadline = game["seats"][seat]["deadline"]
        assert (deadline is None) == (pace is None)
        expected.append((game["version"], seat, four[seat].player, deadline))
        clock.move(minutes=5)
        game = one_move(four, game)
    announce_all(context)
    began = [notice["data"] for notice in queued(host, webhook)]
    found = [(each["version"], each["seat"], each["player"], each["deadline"]) for each in began]
    assert found[:7] == expected


def test_a_webhook_gets_nothing_that_happened_before_it(
    host: Caller, four: list[Caller], context: Context
) -> None:
    """Not even if the entries are announced later, to another webhook."""
    first = hook(host, "game.moved")
    game = one_move(four, new_game(host, four[:2]))
    second = hook(host, "game.moved")
    third = hook(host, "game.moved", "game.finished")
    game = play_on(four, game)
    announce_all(context)
    made = [entry["seq"] for entry in log(four[0], game) if entry["type"] == "moved"]
    assert [notice["data"]["version"] for notice in queued(host, first)] == made
    assert [notice["data"]["version"] for notice in queued(host, second)] == made[1:]
    last = [notice["type"] for notice in queued(host, third)]
    assert last == ["game.moved"] * (len(made) - 1) + ["game.finished"]


def test_an_app_is_followed_only_while_it_has_listeners(
    host: Caller, four: list[Caller], context: Context, sql: psycopg.Connection
) -> None:
    game = one_move(four, new_game(host, four[:2]))
    announce_all(context)
    assert sql.execute(POSITIONS).fetchone() == (0,)
    first = hook(host, "game.moved")
    game = one_move(four, game)
    announce_all(context)
    assert len(queued(host, first)) == 1
    assert host.delete(f"/v1/webhooks/{first}").status_code == 204
    game = one_move(four, game)
    announce_all(context)
    assert sql.execute(POSITIONS).fetchone() == (0,)
    game = one_move(four, game)
    second = hook(host, "game.moved")
    game = one_move(four, game)
    announce_all(context)
    assert [notice["data"]["version"] for notice in queued(host, second)] == [game["version"]]


def test_entries_that_are_committed_late_are_announced_too(
    host: Caller, four: list[Caller], context: Context, settings: Settings
) -> None:
    """While an older transaction is open, entries may still come that belong before the newest ones."""
    webhook = hook(host, "game.moved")
    game = new_game(host, four[:2])
    with psycopg.connect(libpq(settings.owner_database_url)) as older:
        older.execute("SELECT pg_current_xact_id()")
        game = one_move(four, game)
        announce_all(context)
        assert queued(host, webhook) == []
    announce_all(context)
    assert [notice["data"]["version"] for notice in queued(host, webhook)] == [game["version"]]


def test_many_workers_announce_each_entry_once_and_in_order(
    host: Caller, four: list[Caller], others: list[Context], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projection, "BATCH", 3)
    webhook = hook(host, "game.moved")
    game = new_game(host, four[:2])
    with ThreadPoolExecutor(len(others)) as pool:
        for _ in range(20):
            game = one_move(four, game)
            for context in others:
                pool.submit(announce_all, context).add_done_callback(lambda done: done.result())
    announce_all(others[0])
    versions = [notice["data"]["version"] for notice in queued(host, webhook)]
    assert versions == [entry["seq"] for entry in log(four[0], game) if entry["type"] == "moved"]


@pytest.mark.parametrize("sitting", ["[]", '[{"player": '])
def test_a_game_that_cannot_be_read_does_not_stop_the_notices_of_others(
    host: Caller, four: list[Caller], context: Context, sql: psycopg.Connection, sitting: str
) -> None:
    webhook = hook(host)
    lost, other = (new_game(host, four[:2], pace=PACE) for _ in range(2))
    sql.execute("UPDATE games SET sitting = %s WHERE id = %s", (sitting, lost["id"]))
    one_move(four, other)
    announce_all(context)
    told = [notice["data"]["game"] for notice in queued(host, webhook) if notice["type"] == "turn.began"]
    assert told.count(other["id"]) == 2


def test_a_failure_in_one_app_does_not_stop_the_others(
    host: Caller, four: list[Caller], new_key: Any, context: Context, sql: psycopg.Connection
) -> None:
    hook(host)
    new_game(host, four[:2])
    other = new_key("other", "read", "write")
    webhook = hook(other, "game.created")
    seats = [{"bot": "random"}, {"open": True}]
    made = other.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats})
    assert made.status_code == 201, made.text
    sql.execute("ALTER TABLE outbox ADD CONSTRAINT never CHECK (event <> 'game.started') NOT VALID")
    announce_all(context)
    assert [notice["type"] for notice in queued(other, webhook)] == ["game.created"]
