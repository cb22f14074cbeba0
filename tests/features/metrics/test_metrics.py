"""Metrics: who may read them, and what they count."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from flask import Flask

from api.app import create_app
from api.core.config import ConfigError, Settings
from api.store.database import session
from api.store.database.connections import SILENCE
from tests.support.callers import Caller, Clock, first_move, new_game, variant


def numbers(text: str, name: str) -> dict[str, float]:
    found = re.findall(rf"^{name}(\{{.*?\}})? (\S+)$", text, re.MULTILINE)
    return {labels: float(value) for labels, value in found}


TOKEN = "a token of sixteen".replace(" ", "-")


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, metrics_token=TOKEN)


def test_metrics_need_their_token(app: Flask, host: Caller, four: list[Caller], anyone: Caller) -> None:
    for nobody in (
        anyone,
        host,
        four[0],
        Caller(app, "wrong"),
        Caller(app, TOKEN + "x"),
        Caller(app, TOKEN[1:]),
    ):
        answer = nobody.get("/metrics")
        assert (answer.status_code, answer.json["type"]) == (401, "/problems/unauthorized")
    assert Caller(app, TOKEN).get("/metrics").status_code == 200
    closed = variant(app, metrics_token="")
    for token in (None, TOKEN, host.token):
        assert Caller(closed, token).get("/metrics").status_code == 404
    for wrong in ("short", "a token with spaces", "ünusual-ünusual-ünusual"):
        with pytest.raises(ConfigError, match=r"^METRICS_TOKEN") as refusal:
            Settings.from_env({"METRICS_TOKEN": wrong})
        assert wrong not in str(refusal.value)


def test_metrics_count_requests_moves_followers_and_queues(
    app: Flask, host: Caller, four: list[Caller]
) -> None:
    operator = Caller(app, TOKEN)

    def moves(verdict: str) -> float:
        text = operator.get("/metrics").text
        label = f'{{ruleset="cats_and_dogs",verdict="{verdict}"}}'
        return numbers(text, "referee_moves_total").get(label, 0.0)

    before = moves("legal"), moves("illegal")
    game = new_game(host, four[:3])
    mover = four[game["to_act"][0]]
    path = f"/v1/games/{game['id']}/moves"
    move = {"move": first_move(mover, game)}
    assert [mover.post(path, move).status_code for _ in range(2)] == [201, 422]  # the card is gone
    assert (moves("legal"), moves("illegal")) == (before[0] + 1, before[1] + 1)

    text = operator.get("/metrics").text
    counted = numbers(text, "referee_http_requests_total")
    assert counted['{method="POST",route="/v1/games/<uuid:game>/moves",status="422"}'] >= 1
    assert "" in numbers(text, "referee_followers")
    assert numbers(text, "referee_due")['{work="deliveries"}'] == 0.0
    assert game["id"] not in text


def test_without_its_database_the_process_still_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session.Database.__init__, "__defaults__", (0.2, SILENCE))
    address = "postgresql+psycopg://nobody@127.0.0.1:1/none"
    lost = create_app(Settings(database_url=address, pool_size=1, metrics_token=TOKEN), clock=Clock())
    text = Caller(lost, TOKEN).get("/metrics").text
    assert "referee_http_requests_total" in text
    assert numbers(text, "referee_due") == {}
