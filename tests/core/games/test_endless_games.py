"""Games of bots that do not end: they are called off, slowly played until then, and counted."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from flask import Flask

import referee
from api.context import Context
from api.core import metrics
from api.core.config import Settings
from api.games import bots
from api.run import worker
from tests.support.callers import Caller, Clock, variant

MOST = 300
ENDLESS: dict[str, Any] = {"ruleset": "dog_cards", "seats": [{"bot": "random"}] * 4, "visibility": "public"}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, bots_most_entries=MOST, guests=True)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "PAUSES", 0)


def until_rest(context: Context, ids: list[str], sql: psycopg.Connection) -> dict[str, tuple[str, int]]:
    """Let the worker play until no bot is waited for; return the status and version of each game."""
    for _ in range(200):
        worker.play(context)
        worker.play_alone(context)
        if not bots.games_due(context) and not bots.games_due(context, people=False):
            break
    rows = sql.execute("SELECT id, status, version FROM games WHERE id = ANY (%s)", (ids,))
    return {str(game): (status, version) for game, status, version in rows}


def test_a_game_of_bots_that_does_not_end_is_called_off(
    host: Caller, app: Flask, context: Context, sql: psycopg.Connection
) -> None:
    guest = Caller(app, Caller(app).post("/v1/guests", {"name": "Anna"}).json["token"])
    before = metrics.endless.labels("called off")._value.get()
    ids = [caller.post("/v1/games", ENDLESS).json["id"] for caller in (host, guest)]
    rest = until_rest(context, ids, sql)
    assert {status for status, _ in rest.values()} == {"cancelled"}
    assert all(MOST < version <= MOST + bots.IN_ONE_TRANSACTION + 1 for _, version in rest.values())
    assert metrics.endless.labels("called off")._value.get() == before + len(ids)
    record = host.get(f"/v1/games/{ids[0]}/record").json
    last = record["entries"][-1]
    assert (last["type"], last["reason"], "by" in last) == ("cancelled", "table.endless", False)
    assert referee.verify(record).ok
    assert host.get(f"/v1/games/{ids[0]}/verification").json["ok"]


def test_a_game_in_which_a_player_sits_goes_on(
    app: Flask, host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is only told of: here each move of a bot that does not follow on one of the player."""
    monkeypatch.setattr(bots, "IN_ONE_TRANSACTION", 1)
    eager = Caller(variant(app, bots_most_entries=1), host.token)
    before = metrics.endless.labels("warned")._value.get()
    seats = [{"bot": "random"}, {"bot": "random"}, {"bot": "random"}, {"player": four[0].player}]
    for _ in range(20):  # until a bot begins, and two play before the player
        game = eager.post("/v1/games", {**ENDLESS, "seats": seats}).json
        if metrics.endless.labels("warned")._value.get() > before:
            break
    assert metrics.endless.labels("warned")._value.get() > before
    assert (game["status"], game["to_act"]) == ("running", [3])


def test_a_game_that_only_the_clock_plays_is_told_of(
    app: Flask, host: Caller, four: list[Caller], clock: Clock, context: Context
) -> None:
    seats = [{"player": caller.player} for caller in four]
    pace = {"per_move": "PT1H", "on_timeout": "random_move"}
    game = host.post("/v1/games", {**ENDLESS, "seats": seats, "pace": pace}).json
    context.settings = replace(context.settings, bots_most_entries=6)
    before = metrics.endless.labels("warned")._value.get()
    for _ in range(3):
        clock.move(hours=2)
        worker.enforce(context)
    assert host.get(f"/v1/games/{game['id']}").json["status"] == "running"
    assert metrics.endless.labels("warned")._value.get() > before


def test_a_game_whose_players_are_deleted_is_called_off(
    host: Caller, four: list[Caller], clock: Clock, context: Context
) -> None:
    """Nobody can come back, and the clock would play on."""
    seats = [*({"player": caller.player} for caller in four[:2]), *[{"bot": "random"}] * 2]
    pace = {"per_move": "PT10S", "on_timeout": "random_move"}
    game = host.post("/v1/games", {**ENDLESS, "seats": seats, "pace": pace}).json
    context.settings = replace(context.settings, bots_most_entries=6)
    for player, status in ((four[0], "running"), (four[1], "cancelled")):
        assert host.delete(f"/v1/players/{player.player}").status_code == 204
        for _ in range(6):
            clock.move(minutes=1)
            worker.enforce(context)
            worker.play(context)
        assert host.get(f"/v1/games/{game['id']}").json["status"] == status
    record = host.get(f"/v1/games/{game['id']}/record").json
    assert (record["entries"][-1]["type"], record["entries"][-1]["by"]) == ("cancelled", "operator")
    assert referee.verify(record).ok


def test_games_of_bots_alone_are_played_slowly_and_delay_nobody(
    host: Caller, four: list[Caller], context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = host.post("/v1/games", ENDLESS).json["id"]
    assert bots.games_due(context) == []
    assert [str(each) for each in bots.games_due(context, people=False)] == [alone]
    slept: list[float] = []
    monkeypatch.setattr(bots, "PAUSES", 3)
    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=time.monotonic, sleep=slept.append))
    begun = time.monotonic()
    worker.play_alone(context)
    assert 0 < sum(slept) <= 3 * (time.monotonic() - begun)
    assert sum(slept) > 0.5 * 3 * (time.monotonic() - begun)


def test_entries_are_counted_by_app(
    host: Caller, new_key: Callable[..., Caller], sql: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def counted() -> dict[str, float]:
        (family,) = metrics.entries.collect()
        return {each.labels["app"]: each.value for each in family.samples if each.name.endswith("_total")}

    monkeypatch.setattr(metrics, "_counted", {})
    monkeypatch.setattr(metrics, "APPS", 1)
    before = counted()
    other = new_key("other", "read", "write")
    versions = [caller.post("/v1/games", ENDLESS).json["version"] for caller in (host, other)]
    now = counted()
    first = sql.execute("SELECT id FROM apps WHERE name = 'host'").fetchone()
    assert first is not None
    more = [now[name] - before.get(name, 0) for name in (str(first[0]), "other")]
    assert more == versions
