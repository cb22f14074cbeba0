"""The log of an app's refused requests: what was wrong, without bodies and secrets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from api.context import Context
from api.features.requests import refusals
from tests.support.callers import Caller, Clock, new_game


def listed(host: Caller, query: str = "") -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = host.get(f"/v1/requests?{query}").json["items"]
    return items


def test_a_refused_request_is_listed_with_its_problem(host: Caller, clock: Clock) -> None:
    assert listed(host) == []
    refused = host.post("/v1/players?secret=s3cret", {"name": "Anna", "pass": "s3cret"})
    assert refused.status_code == 400
    [shown] = listed(host)
    assert shown == shown | {
        "request_id": refused.headers["X-Request-Id"],
        "method": "POST",
        "path": "/v1/players",
        "status": 400,
        "problem": "/problems/malformed-request",
        "detail": refused.json["detail"],
        "player": None,
    }
    assert "s3cret" not in host.get("/v1/requests").text
    host.post("/v1/players", {"name": "Anna"})  # an answer that is no refusal
    missing = host.get("/v1/games/018f0000-0000-7000-8000-000000000000")
    assert [one["request_id"] for one in listed(host, "problem=not-found")] == [
        missing.headers["X-Request-Id"]
    ]
    assert [one["status"] for one in listed(host)] == [404, 400]


def test_what_a_player_sent_is_listed_without_details(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four)
    path, late = f"/v1/games/{game['id']}/moves", (game["to_act"][0] + 1) % 4
    move = {"type": "play", "card": "C3"}
    assert four[late].post(path, {"move": move}).status_code == 422
    assert host.post(path, {"move": move, "seat": late}).status_code == 422
    assert four[0].post("/v1/players", {}).status_code == 403
    own, acted, theirs = listed(host)
    assert (own["problem"], own["detail"], own["player"]) == ("/problems/forbidden", None, four[0].player)
    assert (acted["problem"], acted["detail"], acted["player"]) == ("/problems/illegal-move", None, None)
    assert (theirs["detail"], theirs["player"]) == (None, four[late].player)
    assert [one["id"] for one in listed(host, f"player={four[0].player}")] == [own["id"]]
    assert four[0].get("/v1/requests").status_code == 403


def test_the_log_is_bounded_and_is_the_apps_own(
    host: Caller, new_key: Callable[..., Caller], clock: Clock, context: Context
) -> None:
    for _ in range(refusals.MOST + 5):
        host.get("/v1/games?limit=0")
    assert len(listed(host)) == refusals.MOST
    other = new_key("other", "read", "write")
    assert listed(other) == []
    context.settings = replace(context.settings, refusal_days=5)
    clock.move(days=5, seconds=-1)
    assert refusals.prune(context) == 0
    clock.move(seconds=2)
    assert refusals.prune(context) == refusals.MOST
    assert listed(host) == []
