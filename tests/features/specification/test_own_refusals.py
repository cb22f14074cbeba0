"""Refusals that no other test meets, each at the address of its own operation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from api.app import create_app
from api.core.config import Settings
from tests.support.callers import Caller, Clock, new_game

PASS = {"type": "pass"}


@pytest.mark.parametrize(
    ("method", "act", "body"),
    [
        ("POST", "moves/dry-run", {"move": PASS}),
        ("PUT", "orders", {"orders": [{"move": {"type": "play", "card": "C3"}}]}),
        ("DELETE", "orders", None),
        ("PUT", "automatic", {"always_pass": True}),
    ],
)
def test_nothing_is_planned_or_tried_after_the_end(
    host: Caller, four: list[Caller], method: str, act: str, body: dict[str, Any] | None
) -> None:
    path = f"/v1/games/{new_game(host, four[:2])['id']}"
    assert four[0].post(f"{path}/resignation").status_code == 201
    refused = four[1](method, f"{path}/{act}", body)
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/game-over")


def test_a_seek_for_an_option_that_does_not_exist_is_refused(four: list[Caller]) -> None:
    refused = four[0].post("/v1/seeks", {"ruleset": "bisca", "seats": 2, "options": {"speed": 1}})
    assert (refused.status_code, [*refused.json["errors"]]) == (422, ["options.speed"])


def test_a_disabled_webhook_retries_nothing(host: Caller, four: list[Caller]) -> None:
    path = f"/v1/webhooks/{host.post('/v1/webhooks', {'url': 'https://example.org/'}).json['id']}"
    sent = host.post(f"{path}/test").json["id"]
    assert host("PATCH", path, {"enabled": False}).status_code == 200
    refused = host.post(f"{path}/deliveries/{sent}/retry")
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/conflict")


def test_a_player_makes_no_more_links_than_tokens(
    settings: Settings, clock: Clock, host: Caller, four: list[Caller]
) -> None:
    path = f"/v1/games/{new_game(host, four[:2])['id']}"
    anna = Caller(create_app(replace(settings, max_tokens=2), clock=clock), four[0].token)
    assert anna.post(f"{path}/watch-links").status_code == 201
    refused = anna.post(f"{path}/watch-links")
    assert (refused.status_code, refused.json["type"]) == (409, "/problems/limit-reached")
