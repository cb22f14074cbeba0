"""Guests: with an invite code alone, or on a server that accepts guests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from api.app import create_app
from api.core.config import Settings
from tests.support.callers import Caller, Clock, first_move

KINDS = ("public", "unlisted", "private")


def open_game(host: Caller, seats: list[Any] | None = None, **more: Any) -> Any:
    seats = seats or [{"open": True}, {"open": True}]
    made = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats, **more})
    assert made.status_code == 201, made.text
    return made.json


def sit(anyone: Caller, game: dict[str, Any], seat: int, name: str = "Gus", **more: Any) -> Any:
    body = {"invite": game["seats"][seat]["invite"], "name": name, **more}
    return anyone.post(f"/v1/games/{game['id']}/seats/{seat}/guest", body)


def test_an_invite_code_is_all_that_a_guest_needs(host: Caller, anyone: Caller) -> None:
    game = open_game(host)
    first = sit(anyone, game, 0, "Ida", entropy="xyz")
    assert first.status_code == 201
    assert first.json["player"]["name"] == "Ida"
    ida = Caller(anyone.app, first.json["token"])
    assert ida.get("/v1/me").json["player"] == first.json["player"]
    second = sit(anyone, game, 1)
    assert second.json["game"]["status"] == "running"
    assert second.json["game"]["viewer"]["seats"] == [1]
    view = ida.get(f"/v1/games/{game['id']}").json["view"]
    assert isinstance(view["zones"]["hand.0"], list)
    assert view["zones"]["hand.1"].keys() == {"count"}
    guests = [ida, Caller(anyone.app, second.json["token"])]
    mover = guests[second.json["game"]["to_act"][0]]
    move = {"move": first_move(mover, second.json["game"])}
    assert mover.post(f"/v1/games/{game['id']}/moves", move).status_code == 201
    joined = host.get(f"/v1/games/{game['id']}/events").json["items"][1]
    ida = first.json["player"]["id"]
    assert (joined["type"], joined["player"]["id"], joined["entropy"]) == ("joined", ida, "xyz")


def test_an_invite_code_is_valid_once(host: Caller, anyone: Caller) -> None:
    game = open_game(host)
    first = sit(anyone, game, 0)
    guest = Caller(anyone.app, first.json["token"])
    assert sit(anyone, game, 0).status_code in (403, 404)
    assert guest.delete(f"/v1/games/{game['id']}/seats/0").status_code == 204
    assert sit(anyone, game, 0).status_code in (403, 404)
    again = host.get(f"/v1/games/{game['id']}").json
    assert again["seats"][0]["invite"] != game["seats"][0]["invite"]
    assert sit(anyone, again, 0).status_code == 201


def test_a_wrong_code_reveals_nothing(host: Caller, anyone: Caller) -> None:
    private, public = open_game(host), open_game(host, visibility="public")
    for game, status in ((private, 404), (public, 403)):
        for seat, invite in ((0, "WRONG"), (0, game["seats"][1]["invite"]), (7, "WRONG")):
            body = {"invite": invite, "name": "Gus"}
            answer = anyone.post(f"/v1/games/{game['id']}/seats/{seat}/guest", body)
            assert answer.status_code == status
    assert [seat["player"] for seat in host.get(f"/v1/games/{private['id']}").json["seats"]] == [None, None]


@pytest.mark.parametrize("end", ["resignation", "cancellation"])
def test_a_guests_token_ends_a_day_after_its_game(
    host: Caller, anyone: Caller, clock: Clock, end: str
) -> None:
    game = open_game(host, [{"open": True}, {"bot": "random"}])
    guest = Caller(anyone.app, sit(anyone, game, 0).json["token"])
    path = f"/v1/games/{game['id']}"
    clock.move(days=100)
    assert (guest if end == "resignation" else host).post(f"{path}/{end}").status_code == 201
    clock.move(hours=23)
    shown = guest.get(path).json
    assert (shown["to_act"], shown["viewer"]["seats"]) == ([], [0])
    for more in ("/record", "/events", "/verification", "/dispute-report?seat=0"):
        assert guest.get(path + more).status_code == 200
    clock.move(hours=1)
    assert [guest.get(each).status_code for each in (path, "/v1/me")] == [401, 401]


def test_the_last_request_of_a_guest_can_be_sent_again(host: Caller, anyone: Caller) -> None:
    game = open_game(host, [{"open": True}, {"bot": "random"}])
    guest = Caller(anyone.app, sit(anyone, game, 0).json["token"])
    path = f"/v1/games/{game['id']}/resignation"
    first = guest.post(path, headers={"Idempotency-Key": "last"})
    again = guest.post(path, headers={"Idempotency-Key": "last"})
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json == first.json


def test_a_guest_of_one_seat_creates_no_games(host: Caller, anyone: Caller) -> None:
    guest = Caller(anyone.app, sit(anyone, open_game(host), 0).json["token"])
    body = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}, {"bot": "random"}]}
    assert guest.post("/v1/games", body).status_code == 403


# --- guests of the server ---------------------------------------------------------------------------


@pytest.fixture
def guest(settings: Settings, clock: Clock) -> Callable[..., Caller]:
    """Return a function that creates a guest on a server that accepts them: guest(name)."""
    made = create_app(replace(settings, guests=True, guest_rate_limit="5 per minute"), clock=clock)

    def make(name: str) -> Caller:
        answer = Caller(made).post("/v1/guests", {"name": name})
        assert answer.status_code == 201, answer.text
        return Caller(made, answer.json["token"], answer.json["player"]["id"])

    return make


def test_an_old_version_shows_no_code_that_was_used(host: Caller, anyone: Caller) -> None:
    game = open_game(host)
    guest = Caller(anyone.app, sit(anyone, game, 0).json["token"])
    assert guest.delete(f"/v1/games/{game['id']}/seats/0").status_code == 204
    now = host.get(f"/v1/games/{game['id']}").json
    used = game["seats"][0]["invite"]
    for version in range(1, now["version"] + 1):
        old = host.get(f"/v1/games/{game['id']}?version={version}")
        assert used not in old.text
        assert old.json["seats"][1].get("invite", "") in (game["seats"][1]["invite"], "")
    assert used not in host.get(f"/v1/games/{game['id']}").text


def test_a_guest_creates_a_game_and_sees_its_invites(guest: Callable[..., Caller]) -> None:
    ida = guest("Ida")
    seats = [{"player": ida.player}, {"open": True}, {"bot": "cautious"}]
    game = open_game(ida, seats)
    assert game["viewer"]["seats"] == [0]
    assert ida.get(f"/v1/games/{game['id']}").json["seats"][1]["invite"] == game["seats"][1]["invite"]
    friend = sit(Caller(ida.app), game, 1, "Bo")
    assert friend.json["game"]["status"] == "running"
    assert all("invite" not in seat for seat in friend.json["game"]["seats"])


def test_a_friend_in_the_same_game_is_shown_no_invites(guest: Callable[..., Caller]) -> None:
    ida = guest("Ida")
    game = open_game(ida, [{"player": ida.player}, {"open": True}, {"open": True}])
    friend = sit(Caller(ida.app), game, 1, "Bo").json
    assert friend["game"]["seats"][2]["open"]
    assert "invite" not in friend["game"]["seats"][2]


def test_a_guest_takes_no_seat_for_others(guest: Callable[..., Caller]) -> None:
    ida, bo = guest("Ida"), guest("Bo")
    for seats in (
        [{"player": bo.player}, {"bot": "random"}],
        [{"player": ida.player}, {"player": bo.player}],
        [{"player": ida.player}, {"player": ida.player}],
        [{"open": True}, {"bot": "random"}],
    ):
        answer = ida.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats})
        assert answer.status_code == 403, seats
    bots = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}, {"bot": "random"}]}
    assert ida.post("/v1/games", bots).status_code == 403  # nobody could see it
    assert ida.post("/v1/games", {**bots, "visibility": "public"}).status_code == 201


def test_guests_may_do_nothing_else_that_apps_may_do(guest: Callable[..., Caller]) -> None:
    ida = guest("Ida")
    assert ida.post("/v1/players", {"name": "X"}).status_code == 403
    assert ida.post("/v1/keys", {}).status_code == 403
    assert ida.get("/v1/webhooks").status_code == 403


def test_guests_are_created_only_if_enabled_and_up_to_a_limit(
    anyone: Caller, guest: Callable[..., Caller]
) -> None:
    assert anyone.post("/v1/guests", {"name": "Ida"}).status_code == 403
    ida = guest("Ida")
    answers = [Caller(ida.app).post("/v1/guests", {"name": "Ida"}) for _ in range(6)]
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["Retry-After"]) > 0


def test_players_of_apps_still_create_no_games(new_player: Callable[[str], Caller]) -> None:
    body = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}, {"bot": "random"}]}
    assert new_player("Eve").post("/v1/games", body).status_code == 403


def test_a_player_who_takes_over_a_guests_seat_keeps_all_tokens(
    host: Caller, anyone: Caller, four: list[Caller], clock: Clock
) -> None:
    game = open_game(host, [{"player": four[0].player}, {"open": True}])
    guest = Caller(anyone.app, sit(anyone, game, 1).json["token"])
    path = f"/v1/games/{game['id']}"
    assert host.put(f"{path}/seats/1/player", {"player": four[1].player}).status_code == 200
    assert guest.get("/v1/me").status_code == 401
    assert guest.get(path).status_code == 401
    assert host.post(f"{path}/resignation", {"seat": 0}).status_code == 201
    clock.move(days=2)
    assert four[1].get("/v1/me").status_code == 200


def test_the_token_of_a_guest_who_leaves_the_seat_ends(host: Caller, anyone: Caller) -> None:
    game = open_game(host)
    guest = Caller(anyone.app, sit(anyone, game, 0).json["token"])
    assert guest.delete(f"/v1/games/{game['id']}/seats/0").status_code == 204
    assert guest.get("/v1/me").status_code == 401


def test_the_holder_of_an_invite_sees_which_game_it_is_for(host: Caller, anyone: Caller) -> None:
    seats = [{"bot": "random"}, {"open": True}, {"open": True}]
    game = open_game(host, seats, entropy="commit", title="Final")
    path = f"/v1/games/{game['id']}/seats"
    invite = game["seats"][1]["invite"]
    told = anyone.post(f"{path}/1/invitation", {"invite": invite})
    assert told.json == {
        "ruleset": "cats_and_dogs",
        "ruleset_version": game["ruleset_version"],
        "options": game["options"],
        "title": "Final",
        "seats": 3,
        "players": [{"seat": 0, "player": None, "name": None, "bot": "random"}],
        "pace": None,
        "entropy": "commit",
        "guests": False,
    }
    gus = sit(anyone, game, 1, commitment="ab" * 32)  # the code is still unused
    other = anyone.post(f"{path}/2/invitation", {"invite": game["seats"][2]["invite"]}).json["players"]
    assert other[1] == {"seat": 1, "player": gus.json["player"]["id"], "name": "Gus", "bot": None}
    assert anyone.post(f"{path}/1/invitation", {"invite": invite}).status_code == 404
    assert anyone.post(f"{path}/2/invitation", {"invite": invite}).status_code == 404
    assert anyone.post(f"{path}/7/invitation", {"invite": invite}).status_code == 404
    given = open_game(host)
    body = {"invite": given["seats"][0]["invite"]}
    assert anyone.post(f"/v1/games/{given['id']}/seats/0/invitation", body).json["entropy"] == "given"
    assert host.post(f"/v1/games/{given['id']}/cancellation").status_code == 201
    gone = anyone.post(f"/v1/games/{given['id']}/seats/0/invitation", body)
    assert gone.json["type"] == "/problems/game-not-open"


def test_one_code_serves_all_free_seats(host: Caller, anyone: Caller) -> None:
    game = open_game(host, [{"open": True}, {"bot": "random"}, {"open": True}, {"open": True}])
    path, code = f"/v1/games/{game['id']}", {"invite": game["invite"]}
    for seat in (2, 0, 3):
        terms = anyone.post(f"{path}/invitation", code).json
        assert seat not in [one["seat"] for one in terms["players"]]
        assert anyone.post(f"{path}/seats/{seat}/guest", {**code, "name": f"Guest {seat}"}).status_code == 201
    assert anyone.post(f"{path}/seats/1/guest", {**code, "name": "Late"}).status_code == 409
    assert anyone.post(f"{path}/invitation", code).status_code == 409
    now = host.get(path).json
    assert (now["status"], "invite" in now) == ("running", False)


def test_the_code_of_one_seat_fits_no_other_and_strangers_see_none(host: Caller, anyone: Caller) -> None:
    game = open_game(host, visibility="public")
    path = f"/v1/games/{game['id']}"
    assert "invite" not in anyone.get(path).json
    code = {"invite": game["seats"][0]["invite"]}
    assert anyone.post(f"{path}/seats/1/guest", {**code, "name": "Gus"}).status_code == 403
    assert anyone.post(f"{path}/invitation", code).status_code == 403
    assert anyone.post(f"{path}/seats/7/guest", {"invite": game["invite"], "name": "Gus"}).status_code == 403


@pytest.fixture
def server_guest(settings: Settings) -> Iterator[Callable[[str], Caller]]:
    """Return a function that creates a guest of a server that accepts guests."""
    app = create_app(replace(settings, guests=True))

    def new(name: str) -> Caller:
        made = Caller(app).post("/v1/guests", {"name": name}).json
        return Caller(app, made["token"], made["player"]["id"])

    yield new
    app.extensions["card_referee"].database.close()


def test_a_public_table_of_guests_says_without_a_code_what_it_offers(
    server_guest: Callable[[str], Caller], host: Caller
) -> None:
    ida, gus = server_guest("Ida"), server_guest("Gus")
    stranger = Caller(ida.app)
    seats = [{"player": ida.player}, {"open": True}, {"bot": "random"}]
    wanted = {"ruleset": "cats_and_dogs", "seats": seats}
    games = {kind: ida.post("/v1/games", {**wanted, "visibility": kind}).json["id"] for kind in KINDS}
    terms = stranger.post(f"/v1/games/{games['public']}/invitation", {}).json
    assert ([each["seat"] for each in terms["players"]], terms["guests"]) == ([0, 2], True)
    for kind, status in (("private", 404), ("unlisted", 404)):
        assert stranger.post(f"/v1/games/{games[kind]}/invitation", {}).status_code == status
    assert gus.post(f"/v1/games/{games['unlisted']}/invitation", {}).status_code == 403
    assert gus.put(f"/v1/games/{games['public']}/seats/1").status_code == 200
    assert stranger.post(f"/v1/games/{games['public']}/invitation", {}).status_code == 409
    other = open_game(Caller(ida.app, host.token), visibility="public")
    assert stranger.post(f"/v1/games/{other['id']}/invitation", {}).json["guests"] is False


def test_a_seat_that_waits_for_a_player_is_nobody_elses(server_guest: Callable[[str], Caller]) -> None:
    ida, gus, eve = (server_guest(name) for name in ("Ida", "Gus", "Eve"))
    seats = [{"player": ida.player}, {"open": True}]
    first = ida.post("/v1/games", {"ruleset": "bisca", "seats": seats, "visibility": "public"}).json["id"]
    assert gus.put(f"/v1/games/{first}/seats/1").status_code == 200
    assert ida.post(f"/v1/games/{first}/resignation").status_code == 201
    again = ida.post(f"/v1/games/{first}/rematch", {"seats": "same"}).json
    path = f"/v1/games/{again['id']}"
    assert again["visibility"] == "public"
    assert Caller(eve.app).post(f"{path}/invitation", {}).status_code == 409
    assert eve.put(f"{path}/seats/1").status_code == 403
    assert ida.put(f"{path}/seats/1", {"bot": "cautious"}).status_code == 403
    assert gus.put(f"{path}/seats/1").status_code == 200


def test_a_host_takes_a_bot_back_that_it_seated(server_guest: Callable[[str], Caller]) -> None:
    """Whoever may put a bot on a seat may take it away; others may not, and nobody takes a player away."""
    ida, gus, eve = (server_guest(name) for name in ("Ida", "Gus", "Eve"))
    seats = [{"player": ida.player}, {"open": True}, {"open": True}, {"open": True}]
    wanted = {"ruleset": "cats_and_dogs", "seats": seats, "visibility": "public"}
    path = f"/v1/games/{ida.post('/v1/games', wanted).json['id']}"
    assert ida.put(f"{path}/seats/1", {"bot": "cautious"}).status_code == 200
    assert gus.put(f"{path}/seats/2").status_code == 200
    for stranger in (gus, eve):
        assert stranger("DELETE", f"{path}/seats/1").status_code == 403
    assert ida("DELETE", f"{path}/seats/2").status_code == 403
    assert ida("DELETE", f"{path}/seats/1").status_code == 204
    assert [seat["open"] for seat in ida.get(path).json["seats"]] == [False, True, False, True]
    assert eve.put(f"{path}/seats/1").status_code == 200
