"""An app key with the scope `write` acts as one of its players, for reading too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.support.callers import Caller, new_game

HEADER = "Card-Referee-Player"


@dataclass(frozen=True)
class Acting(Caller):
    """An app key that acts as `player`."""

    def __call__(self, method: str, path: str, json: Any = None, **more: Any) -> TestResponse:
        headers = {HEADER: str(self.player), **(more.pop("headers", None) or {})}
        return super().__call__(method, path, json, headers=headers, **more)


@pytest.fixture
def acting(host: Caller, four: list[Caller]) -> list[Acting]:
    return [Acting(host.app, host.token, player.player) for player in four]


def test_an_app_acting_as_a_player_sees_what_the_player_sees(
    host: Caller, four: list[Caller], acting: list[Acting]
) -> None:
    game = new_game(host, four)["id"]
    paths = [f"/v1/games/{game}", f"/v1/games/{game}/legal-moves", f"/v1/games/{game}/events", "/v1/me/turns"]
    for path in [*paths, "/v1/games", f"/v1/players/{four[0].player}"]:
        for player, app in zip(four, acting, strict=True):
            theirs, ours = player.get(path), app.get(path)
            assert (ours.status_code, ours.json) == (theirs.status_code, theirs.json), path
    assert host.get(f"/v1/games/{game}").json["view"] != acting[0].get(f"/v1/games/{game}").json["view"]
    assert acting[0].get("/v1/me").json["player"]["id"] == four[0].player


def test_an_app_acting_as_a_player_may_do_what_the_player_may(
    host: Caller, four: list[Caller], acting: list[Acting]
) -> None:
    game = new_game(host, four)
    seat = game["to_act"][0]
    path = f"/v1/games/{game['id']}"
    move = acting[seat].get(f"{path}/legal-moves").json["moves"][0]
    other = (seat + 1) % 4
    assert acting[other].post(f"{path}/moves", {"move": move, "seat": seat}).status_code == 403
    made = acting[seat].post(f"{path}/moves", {"move": move}, headers={"Idempotency-Key": "1"})
    assert made.status_code == 201
    assert made.json["entry"]["player"]["id"] == four[seat].player
    assert made.json["game"]["viewer"] == {"seats": [seat]}
    again = acting[seat].post(f"{path}/moves", {"move": move}, headers={"Idempotency-Key": "1"})
    assert again.headers["Idempotency-Replayed"] == "true"
    # The answer shows a hand, so the same key acting as another player does not get it.
    assert (
        acting[other].post(f"{path}/moves", {"move": move}, headers={"Idempotency-Key": "1"}).status_code
        == 422
    )
    assert acting[other].post(f"{path}/messages", {"text": "hello"}).status_code == 201
    assert acting[other].post(f"{path}/resignation").status_code == 201


def test_a_seat_is_taken_and_left_as_a_player(host: Caller, acting: list[Acting]) -> None:
    game = host.post(
        "/v1/games", {"ruleset": "pies", "seats": [{"open": True}] * 4, "visibility": "unlisted"}
    ).json
    path = f"/v1/games/{game['id']}/seats/2"
    taken = acting[2].put(path, {"invite": game["seats"][2]["invite"], "entropy": "abc"})
    assert taken.status_code == 200
    assert taken.json["seats"][2]["player"]["id"] == acting[2].player
    assert acting[2].delete(path).status_code in (200, 204)


def test_who_may_not_act_as_a_player(
    host: Caller, four: list[Caller], acting: list[Acting], new_key: Callable[..., Caller]
) -> None:
    stranger = new_key("stranger", "read", "write")
    theirs = stranger.post("/v1/players", {"name": "Theirs"}).json["id"]
    gone = host.post("/v1/players", {"name": "Gone"}).json["id"]
    assert host.delete(f"/v1/players/{gone}").status_code == 204
    for key, player in [
        (stranger, four[0].player),
        (host, theirs),
        (host, gone),
        (host, "01a20000-0000-7000-8000-000000000000"),
        (new_key("host", "read"), four[0].player),
        (four[1], four[0].player),
    ]:
        answer = Acting(host.app, key.token, player).get("/v1/me/turns")
        assert answer.status_code == 403, answer.text
    # This is checked and documented even for operations that anybody may call.
    for path in ("/readyz", "/v1/rulesets", "/v1/rulesets/pies"):
        assert Acting(host.app, host.token, theirs).get(path).status_code == 403
    refused = Acting(host.app, host.token, "Anna").get("/v1/me/turns")
    assert (refused.status_code, list(refused.json["errors"])) == (400, [HEADER])
    # Operations for apps are refused to an app that acts as a player.
    assert acting[0].get("/v1/players").status_code == 403
    assert acting[0].post("/v1/games", {"ruleset": "pies", "seats": [{"open": True}] * 4}).status_code == 403


def test_a_game_can_keep_its_seats_to_their_players(
    host: Caller, four: list[Caller], acting: list[Acting]
) -> None:
    game = new_game(host, four, seats_private=True)
    assert game["seats_private"] is True
    seat = game["to_act"][0]
    path = f"/v1/games/{game['id']}"
    move = four[seat].get(f"{path}/legal-moves").json["moves"][0]
    for refused in (
        acting[seat].get(path),
        acting[seat].get(f"{path}/legal-moves"),
        acting[seat].get(f"{path}/events"),
        acting[seat].get(f"{path}/record"),
        acting[seat].post(f"{path}/moves", {"move": move}),
        acting[seat].post(f"{path}/messages", {"text": "hello"}),
        acting[seat].post(f"{path}/resignation"),
        host.get(f"{path}/legal-moves?seat={seat}"),
        host.post(f"{path}/moves/dry-run", {"move": move, "seat": seat}),
        host.post(f"{path}/moves", {"move": move, "seat": seat}),
        host.post(f"{path}/messages", {"text": "hello", "seat": seat}),
        host.post(f"{path}/resignation", {"seat": seat}),
        host.put(f"{path}/orders", {"orders": [{"move": move}], "seat": seat}),
    ):
        assert refused.status_code == 403, refused.text
    assert host.get(path).status_code == 200
    assert four[seat].post(f"{path}/moves", {"move": move}).status_code == 201
    assert new_game(host, four)["seats_private"] is False


def test_without_a_token_nobody_is_a_player(host: Caller, four: list[Caller]) -> None:
    answer = Caller(host.app, None).get("/v1/me", headers={HEADER: four[0].player or ""})
    assert (answer.status_code, answer.json["type"]) == (401, "/problems/unauthorized")
    assert "WWW-Authenticate" in answer.headers
