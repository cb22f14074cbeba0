"""How many games, players, tokens, keys and streams an app may have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from api.app import create_app
from tests.support.callers import Caller, Clock, new_game, play_on

SEATS = [{"open": True}] * 4
GAME = {"ruleset": "pies", "seats": SEATS}
RECORD: dict[str, Any] = {
    "format": "card-referee/1",
    "ruleset": "pies",
    "seats": 4,
    "seed": "00",
    "moves": [],
}


@pytest.fixture
def small(app: Flask, clock: Clock) -> Flask:
    """Return the application with small limits."""
    limits = {"max_games": 2, "max_players": 2, "max_tokens": 2, "guests": True}
    return create_app(replace(app.extensions["card_referee"].settings, **limits), clock=clock)


def require_limit(answer: TestResponse, setting: str) -> None:
    assert answer.status_code == 409, answer.text
    assert answer.json is not None
    assert answer.json["type"] == "/problems/limit-reached"
    assert (answer.json["setting"], answer.json["limit"]) == (setting, 2)


def test_an_app_has_a_limited_number_of_games(
    small: Flask, host: Caller, new_key: Callable[..., Caller]
) -> None:
    app, other = Caller(small, host.token), Caller(small, new_key("other", "read", "write").token)
    first, _ = (app.post("/v1/games", GAME) for _ in range(2))
    require_limit(app.post("/v1/games", GAME), "MAX_GAMES")
    assert other.post("/v1/games", GAME).status_code == 201
    assert app.post(f"/v1/games/{first.json['id']}/cancellation").status_code == 201
    assert app.post("/v1/games", GAME).status_code == 201


def test_an_app_has_a_limited_number_of_players(small: Flask, host: Caller) -> None:
    app = Caller(small, host.token)
    first, _ = (app.post("/v1/players", {"name": "Anna"}) for _ in range(2))
    require_limit(app.post("/v1/players", {"name": "Ben"}), "MAX_PLAYERS")
    assert app.delete(f"/v1/players/{first.json['id']}").status_code == 204
    assert app.post("/v1/players", {"name": "Ben"}).status_code == 201


def at(network: str) -> dict[str, Any]:
    return {"environ_base": {"REMOTE_ADDR": network}}


def come(app: Flask, network: str | None = None) -> TestResponse:
    """Come as a guest, in a network where nobody else is unless one is given."""
    return Caller(app).post("/v1/guests", {"name": "A"}, **at(network or f"203.0.113.{next(others)}"))


others = count()


def test_the_server_has_a_limited_number_of_guests(small: Flask) -> None:
    answers = [come(small) for _ in range(3)]
    assert [answer.status_code for answer in answers[:2]] == [201, 201]
    require_limit(answers[2], "MAX_PLAYERS")


def test_guests_whose_stay_is_over_make_room(small: Flask, clock: Clock) -> None:
    assert [come(small).status_code for _ in range(3)] == [201, 201, 409]
    clock.move(days=29)
    assert come(small).status_code == 409
    clock.move(days=2)
    assert [come(small).status_code for _ in range(3)] == [201, 201, 409]


def test_a_player_has_a_limited_number_of_valid_tokens(small: Flask, host: Caller, clock: Clock) -> None:
    app = Caller(small, host.token)
    player = app.post("/v1/players", {"name": "Anna"}).json["id"]
    path = f"/v1/players/{player}/tokens"
    app.post(path, {"expires_in": "PT1H"})
    second = app.post(path).json["id"]
    require_limit(app.post(path), "MAX_TOKENS")
    app.delete(f"{path}/{second}")
    assert app.post(path).status_code == 201
    clock.move(hours=2)
    assert app.post(path).status_code == 201
    require_limit(app.post(path), "MAX_TOKENS")


def test_an_app_has_a_limited_number_of_valid_keys(small: Flask, new_key: Callable[..., Caller]) -> None:
    app = Caller(small, new_key("host", "read", "keys").token)
    made = app.post("/v1/keys", {"scopes": ["read"]})
    assert made.status_code == 201, made.text
    require_limit(app.post("/v1/keys", {"scopes": ["read"]}), "MAX_TOKENS")


def crowded(app: Flask, **limits: Any) -> tuple[Flask, Callable[[str], TestResponse]]:
    """Return an application for guests, and a function that makes a guest in a network."""
    settings = replace(app.extensions["card_referee"].settings, guests=True, guest_rate_limit=None, **limits)
    served = create_app(settings, clock=Clock())
    return served, lambda network: come(served, network)


def until_refused(make: Callable[[int], TestResponse]) -> int:
    """Return how often something can be made."""
    for number in count():
        answer = make(number)
        if answer.status_code != 201:
            assert answer.json["type"] == "/problems/limit-reached", answer.text
            return number
    raise AssertionError


MANY_NETWORKS = [*(f"192.0.2.{n}" for n in range(10)), *(f"2001:db8:{n}::1" for n in range(5))]
INNOCENT = ("198.51.100.1", "2001:db8:ffff::1")


@pytest.mark.beside("games")
def test_guests_of_many_networks_do_not_use_up_the_games_of_all_others(app: Flask) -> None:
    served, guest_in = crowded(app, max_games=100)

    def make(guest: Any, network: str) -> TestResponse:
        game = {"ruleset": "pies", "seats": [{"player": guest["player"]["id"]}, *SEATS[1:]]}
        return Caller(served, guest["token"]).post("/v1/games", game, **at(network))

    guests = [(guest_in(network).json, network) for network in MANY_NETWORKS]
    loud = [until_refused(lambda _, who=who: make(*who)) for who in guests]
    assert loud[0] in range(5, 11), "a tenth for one network, half of it for one guest"
    moving = guest_in("2001:db8:a::1").json
    assert until_refused(lambda n: make(moving, f"2001:db8:a:{n:x}::1")) < 10, "one network of 48 bits"
    for network in INNOCENT:
        assert make(guest_in(network).json, network).status_code == 201


@pytest.mark.beside("players")
def test_guests_of_many_networks_do_not_use_up_the_players_of_the_server(app: Flask) -> None:
    _, guest_in = crowded(app, max_players=100)
    loud = [until_refused(lambda _, network=network: guest_in(network)) for network in MANY_NETWORKS]
    assert loud[0] == 10, "a tenth"
    assert until_refused(lambda n: guest_in(f"2001:db8:a:{n:x}::1")) < 10, "one network of 48 bits"
    for network in INNOCENT:
        assert guest_in(network).status_code == 201


@pytest.mark.beside("games")
def test_two_players_do_not_use_up_the_games_of_their_app(
    app: Flask, host: Caller, four: list[Caller]
) -> None:
    few = create_app(replace(app.extensions["card_referee"].settings, max_games=20), clock=Clock())
    pair = [Caller(few, player.token) for player in four[:2]]
    answers = [
        player.post("/v1/seeks", {"ruleset": "bisca", "seats": 2}) for _ in range(6) for player in pair
    ]
    assert 409 in {answer.status_code for answer in answers}
    made = [answer for answer in answers if answer.status_code == 201 and answer.json["status"] == "matched"]
    assert len(made) <= 4
    assert Caller(few, host.token).post("/v1/games", GAME).status_code == 201


def test_every_game_that_a_guest_makes_counts_until_it_is_over(app: Flask) -> None:
    one = {"guests": True, "max_games": 15}
    served = create_app(replace(app.extensions["card_referee"].settings, **one), clock=Clock())
    made = Caller(served).post("/v1/guests", {"name": "Anna"}).json
    guest = Caller(served, made["token"], made["player"]["id"])
    seats = [{"player": guest.player}, {"bot": "random"}]
    game = {"ruleset": "bisca", "seats": seats}
    over = [play_on([guest], guest.post("/v1/games", game).json) for _ in "12"]
    paths = [f"/v1/games/{each['id']}" for each in over]
    assert guest.post(f"{paths[0]}/rematch").status_code == 201
    for path, body in (("/v1/games", game), (f"{paths[1]}/rematch", {})):
        refused = guest.post(path, body)
        assert (refused.status_code, refused.json["setting"]) == (409, "MAX_GAMES"), refused.text


def test_a_repeated_request_gets_its_answer_at_the_limit(small: Flask, host: Caller) -> None:
    app = Caller(small, host.token)
    app.post("/v1/players", {"name": "Anna"})
    keyed = [app.post("/v1/players", {"name": "B"}, headers={"Idempotency-Key": "a"}) for _ in range(2)]
    assert [answer.status_code for answer in keyed] == [201, 201]


class Streams:
    """Streams of a public game, of which a dozen can be open."""

    def __init__(self, app: Flask, host: Caller) -> None:
        few = replace(app.extensions["card_referee"].settings, max_streams=12)
        self.app = create_app(few, clock=Clock())
        self.app.extensions["card_referee"].live.keep_alive = 0.05
        self.path = f"/v1/games/{host.post('/v1/games', {**GAME, 'visibility': 'public'}).json['id']}/events"
        self.opened: list[Any] = []

    def open(self, token: str | None, network: str = "198.51.100.1") -> int:
        """Open a stream; return the status."""
        headers = {"Accept": "text/event-stream", **({"Authorization": f"Bearer {token}"} if token else {})}
        client = self.app.test_client()
        self.opened.append(client.get(self.path, headers=headers, environ_overrides={"REMOTE_ADDR": network}))
        return int(self.opened[-1].status_code)


@pytest.mark.beside("streams")
def test_many_networks_do_not_get_all_streams(app: Flask, host: Caller, four: list[Caller]) -> None:
    streams = Streams(app, host)
    assert [streams.open(None, f"192.0.2.{n % 4}") for n in range(12)] == [200] * 12
    assert streams.open(None, "192.0.2.1") == 429
    assert streams.opened[-1].headers["Retry-After"]
    for token in (host.token, four[0].token, None):
        assert streams.open(token) == 200
    assert streams.open(None, "2001:db8::1") == 200
    lost = iter(streams.opened[11].response)
    assert (next(lost), next(lost, None)) == (b":\n\n", None), "the newest of the loudest has ended"
    streams.opened[0].close()
    assert streams.open(None, "203.0.113.1") == 200


@pytest.mark.beside("streams")
def test_a_few_players_do_not_get_all_streams_of_their_app(
    app: Flask, host: Caller, four: list[Caller]
) -> None:
    """Attacked with many tokens of the same two players."""
    streams = Streams(app, host)
    for player in four[:2]:
        more = host.post(f"/v1/players/{player.player}/tokens").json["token"]
        assert 200 in [streams.open(token) for token in (player.token, more) for _ in range(8)]
    assert streams.open(four[0].token) == 429
    assert [streams.open(token) for token in (four[2].token, host.token) for _ in "12"] == [200] * 4


def test_who_watches_by_links_uses_nothing_up_of_others(app: Flask, host: Caller, four: list[Caller]) -> None:
    """A link may be given to many, and a player may make many: each counts by the address of who uses it."""
    settings = replace(app.extensions["card_referee"].settings, max_streams=3, rate_limit="3 per day")
    watched = create_app(settings, clock=Clock())
    path = f"/v1/games/{new_game(host, four[:2], visibility='private')['id']}"
    links = [four[0].post(f"{path}/watch-links").json["token"] for _ in range(3)]

    def get(token: str | None, address: str, accept: str = "application/json") -> int:
        headers = {"Accept": accept, "Authorization": f"Bearer {token}"}
        where = {"REMOTE_ADDR": address}
        opened.append(watched.test_client().get(f"{path}/events", headers=headers, environ_overrides=where))
        return opened[-1].status_code

    opened: list[Any] = []
    streams = [get(link, f"192.0.2.{n}", "text/event-stream") for n, link in enumerate(links)]
    assert streams == [200, 200, 200]
    assert get(four[1].token, "198.51.100.1", "text/event-stream") == 200
    assert [get(links[0], f"203.0.113.{n}") for n in range(5)] == [200] * 5


def test_long_lists_count_more(app: Flask, host: Caller) -> None:
    settings = replace(app.extensions["card_referee"].settings, rate_limit="9 per day")
    me = Caller(create_app(settings, clock=Clock()), host.token)
    assert [me.get("/v1/games?limit=200").status_code for _ in range(2)] == [200, 429]
    assert me.get("/v1/me").status_code == 200
