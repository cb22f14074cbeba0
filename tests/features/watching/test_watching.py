"""Links with which anybody watches a private game, and asking its players for one."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest

from api.features import load_features
from api.features.specification.specification import PATH_PARAMETER
from api.http import auth
from api.routes import operations
from tests.support.callers import Caller, Clock, log, new_game, play_on

OPERATIONS = operations(load_features())


@pytest.fixture
def two(four: list[Caller]) -> list[Caller]:
    return four[:2]


def linked(player: Caller, path: str) -> Caller:
    made = player.post(f"{path}/watch-links")
    assert made.status_code == 201, made.text
    assert made.headers["Cache-Control"] == "no-store"
    return Caller(player.app, made.json["token"])


def test_a_link_shows_a_private_game_as_a_spectator_sees_a_public_one(
    host: Caller, two: list[Caller], anyone: Caller
) -> None:
    game = new_game(host, two, visibility="private")
    path = f"/v1/games/{game['id']}"
    public = anyone.get(f"/v1/games/{new_game(host, two, visibility='public')['id']}").json
    assert anyone.get(path).status_code == 404
    watcher = linked(two[0], path)
    seen = watcher.get(path).json
    assert seen["viewer"]["seats"] == []
    assert {zone: type(cards) for zone, cards in seen["view"]["zones"].items()} == {
        zone: type(cards) for zone, cards in public["view"]["zones"].items()
    }
    assert "private" not in str(log(watcher, game)).replace("'visibility': 'private'", "")
    assert play_on(two, game)["status"] == "finished"
    assert watcher.get(f"{path}/record").json["seed"]
    assert watcher.get(path).json["visibility"] == "private"


def test_a_link_is_for_watching_that_game_alone(host: Caller, two: list[Caller]) -> None:
    game, other = (new_game(host, two, visibility="private")["id"] for _ in range(2))
    watcher = linked(two[0], f"/v1/games/{game}")
    assert watcher.get(f"/v1/games/{other}").status_code in (403, 404)
    for name, declared in OPERATIONS.items():
        if declared.audience in (auth.ANYBODY, auth.OPERATOR):
            continue
        path = PATH_PARAMETER.sub(lambda m: "0" if m[1] == "int" else game, declared.rule)
        status = watcher(declared.method, path).status_code
        assert declared.audience.anonymous or status in (401, 403), name
        assert declared.method == "GET" or status in (400, 401, 403), name
    move = {"move": two[0].get(f"/v1/games/{game}/legal-moves").json["moves"][:1]}
    assert watcher.post(f"/v1/games/{game}/moves", move).status_code == 401


def test_who_has_no_seat_makes_no_link(
    host: Caller, four: list[Caller], anyone: Caller, new_key: Callable[..., Caller]
) -> None:
    path = f"/v1/games/{new_game(host, four[:2], visibility='private')['id']}"
    for caller, status in ((anyone, 401), (four[2], 404), (host, 403), (linked(four[0], path), 401)):
        assert caller.post(f"{path}/watch-links").status_code == status
    public = f"/v1/games/{new_game(host, four[:2], visibility='public')['id']}"
    assert four[2].post(f"{public}/watch-links").status_code == 403


def test_a_link_can_be_revoked_and_expires(host: Caller, two: list[Caller], clock: Clock) -> None:
    path = f"/v1/games/{new_game(host, two, visibility='private')['id']}"
    first, second = linked(two[0], path), linked(two[0], path)
    tokens = f"/v1/players/{two[0].player}/tokens"
    newest = host.get(tokens).json["items"][0]["id"]
    assert host.delete(f"{tokens}/{newest}").status_code == 204
    assert [caller.get(path).status_code for caller in (first, second)] == [200, 401]
    clock.move(days=366)
    assert first.get(path).status_code == 401


def test_a_link_of_a_token_that_an_app_limits_ends_with_it(
    host: Caller, two: list[Caller], clock: Clock
) -> None:
    game = new_game(host, two, visibility="private")["id"]
    made = host.post(f"/v1/players/{two[0].player}/tokens", {"game": game, "expires_in": "PT10M"})
    watcher = linked(Caller(host.app, made.json["token"]), f"/v1/games/{game}")
    clock.move(minutes=11)
    assert watcher.get(f"/v1/games/{game}").status_code == 401


def test_somebody_asks_to_watch_and_learns_nothing(host: Caller, four: list[Caller], anyone: Caller) -> None:
    path = f"/v1/games/{new_game(host, four[:2], visibility='private')['id']}"
    asked = [
        anyone.post(f"{each}/watch-requests", {"name": "Zoë"}) for each in (path, f"/v1/games/{uuid4()}")
    ]
    assert [answer.status_code for answer in asked] == [204, 204]
    assert asked[0].data == asked[1].data == b""
    anyone.post(f"{path}/watch-requests", {"name": "Zoë"})
    anyone.post(f"{path}/watch-requests", {"name": "Ida"})
    for player in four[:2]:
        items = player.get(f"{path}/watch-requests").json["items"]
        assert [one["name"] for one in items] == ["Zoë", "Ida"]
    assert [caller.get(f"{path}/watch-requests").status_code for caller in (anyone, four[2])] == [401, 404]
    assert anyone.post(f"{path}/watch-requests", {"name": ""}).status_code == 400


def test_only_so_many_ask(host: Caller, two: list[Caller], anyone: Caller) -> None:
    path = f"/v1/games/{new_game(host, two, visibility='private')['id']}"
    for number in range(25):
        assert anyone.post(f"{path}/watch-requests", {"name": f"Nobody {number}"}).status_code == 204
    assert len(two[0].get(f"{path}/watch-requests").json["items"]) == 20


def test_a_link_to_watch_is_listed_as_one_and_can_be_revoked(
    host: Caller, two: list[Caller], anyone: Caller
) -> None:
    game = new_game(host, two, visibility="private")["id"]
    made = two[0].post(f"/v1/games/{game}/watch-links").json
    listed = {item["id"]: item for item in two[0].get("/v1/me/tokens").json["items"]}
    assert [(id, item["game"]) for id, item in listed.items() if item["watch"]] == [(made["id"], game)]
    assert two[0].delete(f"/v1/me/tokens/{made['id']}").status_code == 204
    assert Caller(anyone.app, made["token"]).get(f"/v1/games/{game}").status_code == 401


def test_a_link_ends_with_the_seat_of_who_made_it(host: Caller, four: list[Caller]) -> None:
    """Otherwise whoever has left would go on seeing by an own link."""
    running = new_game(host, four[:2], visibility="private", pace={"per_move": "PT1H"})
    path = f"/v1/games/{running['id']}"
    gone, stays = linked(four[0], path), linked(four[1], path)
    assert host.put(f"{path}/seats/0/player", {"player": four[2].player}).status_code == 200
    assert [watcher.get(path).status_code for watcher in (gone, stays)] == [404, 200]
    seats = [{"player": four[0].player}, *({"open": True} for _ in range(2))]
    wanted = {"ruleset": "cats_and_dogs", "visibility": "private", "seats": seats}
    begun = host.post("/v1/games", wanted).json
    path = f"/v1/games/{begun['id']}"
    assert four[1].put(f"{path}/seats/1", {"invite": begun["invite"]}).status_code == 200
    watcher = linked(four[1], path)
    assert watcher.get(path).status_code == 200
    assert four[1].delete(f"{path}/seats/1").status_code == 204
    assert watcher.get(path).status_code == 404


def test_a_link_ends_with_the_key_whose_tokens_are_revoked(
    host: Caller, two: list[Caller], new_key: Callable[..., Caller]
) -> None:
    """A thief of a key gets tokens with it, and links with these."""
    path = f"/v1/games/{new_game(host, two, visibility='private')['id']}"
    head = new_key("host", "read", "write", "keys")
    key = head.post("/v1/keys", {"scopes": ["read", "write"]}).json
    made = Caller(host.app, key["key"]).post(f"/v1/players/{two[0].player}/tokens").json
    thiefs, honest = linked(Caller(host.app, made["token"]), path), linked(two[0], path)
    assert head.delete(f"/v1/keys/{key['id']}?keep_tokens=false").status_code == 204
    assert [watcher.get(path).status_code for watcher in (thiefs, honest)] == [401, 200]


def test_who_watches_by_a_link_does_not_read_how_players_invite_each_other(
    host: Caller, two: list[Caller]
) -> None:
    """After a private game, the codes of the next one are in the talk."""
    path = f"/v1/games/{new_game(host, two, visibility='private')['id']}"
    watcher = linked(two[0], path)
    assert two[0].post(f"{path}/resignation").status_code == 201
    assert two[0].post(f"{path}/messages", {"text": "/join#invite=SECRET", "seat": 0}).status_code == 201
    assert len(two[1].get(f"{path}/messages").json["items"]) == 1
    assert watcher.get(f"{path}/messages").json["items"] == []
