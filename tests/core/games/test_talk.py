"""Talk: what players say while they play, and after the end of a game, beside its log."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.callers import Caller, Clock, new_game, play_on
from tests.support.signers import Signer, keyed, signers


@pytest.fixture
def two(four: list[Caller]) -> list[Caller]:
    return four[:2]


def ended(host: Caller, players: list[Caller], **more: Any) -> str:
    game = new_game(host, players, **more)
    path = f"/v1/games/{game['id']}"
    assert players[1].post(f"{path}/resignation").status_code == 201
    return path


def texts(caller: Caller, path: str) -> list[str]:
    return [message["text"] for message in caller.get(f"{path}/messages").json["items"]]


def test_the_table_talks_on_after_the_end_and_the_log_stays_as_it_is(host: Caller, two: list[Caller]) -> None:
    anna, ben = two
    path = ended(host, two)
    before = host.get(path)
    assert anna.get(f"{path}/messages").json == {"items": [], "next": None}
    first = anna.post(f"{path}/messages", {"text": "Well played!"})
    assert first.status_code == 201, first.text
    assert (first.json["entry"], first.json["receipt"]) == (None, None)
    message = first.json["message"]
    assert message.items() >= {"number": 1, "seat": 0, "text": "Well played!"}.items()
    assert message["player"].keys() == {"id", "name"}
    assert ben.post(f"{path}/messages", {"text": "Again?"}).json["message"]["seat"] == 1
    by_app = host.post(f"{path}/messages", {"text": "A tip."}).json["message"]
    assert (by_app["number"], by_app["seat"], by_app["player"]) == (3, None, None)
    said = ben.get(f"{path}/messages").json["items"]
    assert said[0] == message
    assert [message["text"] for message in said] == ["Well played!", "Again?", "A tip."]
    assert host.get(path).headers["ETag"] == before.headers["ETag"]
    assert host.get(f"{path}/verification").json["ok"]


def test_talk_is_open_for_a_day(host: Caller, two: list[Caller], clock: Clock) -> None:
    path = ended(host, two)
    clock.move(hours=24)
    assert two[0].post(f"{path}/messages", {"text": "Still here?"}).status_code == 201
    clock.move(seconds=1)
    for caller in (two[0], host):
        assert caller.post(f"{path}/messages", {"text": "Too late"}).json["type"].endswith("game-over")
    assert texts(two[1], path) == ["Still here?"]


def test_before_the_end_talk_is_in_the_log(host: Caller, two: list[Caller]) -> None:
    path = f"/v1/games/{new_game(host, two)['id']}"
    said = two[0].post(f"{path}/messages", {"text": "Hello"}).json
    assert said["entry"]["private"]["all"]["text"] == "Hello"
    assert "message" not in said
    assert two[0].get(f"{path}/messages").json == {"items": [], "next": None}


def test_only_the_table_talks_and_who_sees_the_game_reads(
    host: Caller, four: list[Caller], anyone: Caller, new_key: Callable[..., Caller]
) -> None:
    carl, stranger = four[2], new_key("other", "read", "write")
    for visibility, seen in (("private", 404), ("public", 200)):
        path = ended(host, four[:2], visibility=visibility)
        assert four[0].post(f"{path}/messages", {"text": "Hello"}).status_code == 201
        for other in (carl, stranger, anyone):
            assert other.get(f"{path}/messages").status_code == seen, visibility
            assert other.post(f"{path}/messages", {"text": "Hi"}).status_code in (401, 403, 404)
        assert four[0].post(f"{path}/messages", {"text": "Hi", "seat": 1}).status_code == 403
        assert texts(four[1], path) == ["Hello"]
    assert anyone.get("/v1/games/00000000-0000-4000-8000-000000000000/messages").status_code == 404


def test_a_guest_of_a_seat_talks_on(host: Caller, anyone: Caller) -> None:
    seats = [{"open": True}, {"open": True}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    guests = [
        Caller(
            anyone.app,
            anyone.post(
                f"/v1/games/{game['id']}/seats/{seat}/guest",
                {"invite": game["seats"][seat]["invite"], "name": name},
            ).json["token"],
        )
        for seat, name in enumerate(("Ida", "Gus"))
    ]
    path = f"/v1/games/{game['id']}"
    assert guests[0].post(f"{path}/resignation").status_code == 201
    for guest, text in zip(guests, ("Hi", "Ho"), strict=True):
        assert guest.post(f"{path}/messages", {"text": text}).status_code == 201
    assert texts(guests[0], path) == ["Hi", "Ho"]
    key = {"Idempotency-Key": "once-1"}
    one, two = (guests[0].post(f"{path}/messages", {"text": "Ha"}, headers=key) for _ in range(2))
    assert (one.status_code, two.status_code, one.json) == (201, 201, two.json)
    assert texts(guests[1], path) == ["Hi", "Ho", "Ha"]


def test_it_says_whether_anything_is_new(host: Caller, two: list[Caller]) -> None:
    path = ended(host, two)
    etag = two[0].get(f"{path}/messages").headers["ETag"]
    assert two[0].get(f"{path}/messages", headers={"If-None-Match": etag}).status_code == 304
    two[1].post(f"{path}/messages", {"text": "Hello"})
    assert two[0].get(f"{path}/messages", headers={"If-None-Match": etag}).status_code == 200


def test_it_loses_nothing_when_many_speak_at_once_and_each_seat_has_its_own_bound(
    host: Caller, two: list[Caller]
) -> None:
    path = ended(host, two)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda n: two[0].post(f"{path}/messages", {"text": str(n)}), range(53)))
    taken = [answer.json for answer in answers if answer.status_code == 201]
    assert sorted(said["message"]["number"] for said in taken) == list(range(1, 51))
    assert [answer.json["detail"] for answer in answers if answer.status_code != 201] == [
        "The seat has posted 50 messages since the end, and can post no more."
    ] * 3
    assert sorted(texts(two[0], path)) == sorted(said["message"]["text"] for said in taken)
    for other in (two[1], host):
        assert other.post(f"{path}/messages", {"text": "And I?"}).status_code == 201


def test_it_says_what_the_app_wrote_for_a_player(host: Caller, two: list[Caller]) -> None:
    anna = two[0]
    path = ended(host, two)
    acting = {"Card-Referee-Player": anna.player or ""}
    assert anna.post(f"{path}/messages", {"text": "Mine"}).json["message"]["by"] == "player"
    assert host.post(f"{path}/messages", {"text": "Not mine", "seat": 0}).json["message"]["by"] == "app"
    assert host.post(f"{path}/messages", {"text": "Nor this"}, headers=acting).json["message"]["by"] == "app"
    assert [message["by"] for message in anna.get(f"{path}/messages").json["items"]] == [
        "player",
        "app",
        "app",
    ]
    path = ended(host, two, seats_private=True)
    assert host.post(f"{path}/messages", {"text": "Not mine", "seat": 0}).status_code == 403
    assert host.post(f"{path}/messages", {"text": "Nor this"}, headers=acting).status_code == 403


@pytest.mark.parametrize("text", ["", "x" * 2001, 7, None])
def test_a_message_is_checked_as_in_the_game(host: Caller, two: list[Caller], text: object) -> None:
    path = ended(host, two)
    refused = two[0].post(f"{path}/messages", {"text": text})
    assert (refused.status_code, list(refused.json["errors"])) == (400, ["text"])
    assert texts(two[0], path) == []


def test_its_times_are_those_of_the_games_test_clock(host: Caller) -> None:
    made = host.post("/v1/test-clocks", {"time": "2031-05-06T07:08:09Z"}).json
    seats = [{"bot": "random"}, {"open": True}]
    body = {"ruleset": "cats_and_dogs", "seats": seats, "test_clock": made["id"]}
    path = f"/v1/games/{host.post('/v1/games', body).json['id']}"
    assert host.post(f"{path}/cancellation").status_code == 201
    said = host.post(f"{path}/messages", {"text": "Hm"}).json["message"]
    assert said["at"].startswith("2031-05-06T07:08:09")


__all__ = ["signers"]


def say(caller: Caller, game: dict[str, Any], text: str = "Hello", **more: Any) -> Any:
    return caller.post(f"/v1/games/{game['id']}/messages", {"text": text, **more})


def under_a_six(host: Caller, players: list[Caller]) -> dict[str, Any]:
    """Return a game of Mau-Mau in which the card turned up is a 6, which is one in thirteen."""
    while True:
        game: dict[str, Any] = new_game(host, players, "mau_mau")
        if game["view"]["zones"]["pile"][-1][0] == "6":
            return game


def hand(game: dict[str, Any], seat: int) -> int:
    held = game["view"]["zones"][f"hand.{seat}"]
    return len(held) if isinstance(held, list) else int(held["count"])


def test_talk_is_free_where_the_rules_say_nothing_of_it(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2])
    assert "talk" not in game
    said = say(four[0], game)
    assert (said.status_code, said.json["entry"]["type"]) == (201, "said")


def test_a_message_under_a_six_costs_a_card(host: Caller, four: list[Caller]) -> None:
    game = under_a_six(host, four[:2])
    assert game["talk"] == {"kind": "move", "move": "say"}
    talker = 1 - game["to_act"][0]
    before = hand(game, talker)
    said = say(four[talker], game, "Nice weather")
    assert said.status_code == 201, said.text
    assert said.json["entry"]["move"] == {"type": "say"}
    assert said.json["entry"]["private"]["all"]["move"] == {"type": "say", "text": "Nice weather"}
    now = four[talker].get(f"/v1/games/{game['id']}").json
    assert (hand(now, talker), now["version"]) == (before + 1, said.json["version"])
    assert now["to_act"] == game["to_act"]


def test_a_message_that_is_a_move_is_made_once_and_judged(host: Caller, four: list[Caller]) -> None:
    game = under_a_six(host, four[:2])
    path, headers = f"/v1/games/{game['id']}", {"Idempotency-Key": "once"}
    first = four[0].post(f"{path}/messages", {"text": "Hello"}, headers=headers)
    again = four[0].post(f"{path}/messages", {"text": "Hello"}, headers=headers)
    assert first.json == again.json
    assert again.headers["Idempotency-Replayed"] == "true"
    long = say(four[0], game, "x" * 501)
    assert (long.status_code, long.json["verdict"]["rule"]) == (422, "common.unknown_move")
    assert four[0].get(path).json["version"] == first.json["version"]
    # The app itself plays no cards, and speaks freely.
    assert say(host, game).json["entry"]["type"] == "said"


def test_no_message_is_a_move_while_the_game_is_paused(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2], "mau_mau", pace={"per_move": "P1D", "on_timeout": "resign"})
    for player in four[:2]:
        assert player.post(f"/v1/games/{game['id']}/pause").status_code == 201
    assert say(four[0], game).status_code == 409


def test_partners_do_not_talk_until_the_game_is_over(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four, "dog_cards", options={"turn_limit": 4})
    assert game["talk"] == {"kind": "none", "rule": "dog_cards.silence"}
    refused = say(four[2], game)
    assert (refused.status_code, refused.json["verdict"]["rule"]) == (422, "dog_cards.silence")
    assert say(host, game, seat=2).status_code == 422
    assert host.get(f"/v1/games/{game['id']}").json["version"] == game["version"]
    over = play_on(four, game)
    assert "talk" not in over
    assert four[2].post(f"/v1/games/{game['id']}/messages", {"text": "Well played"}).status_code == 201


def test_players_alone_against_each_other_may_talk(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3], "dog_cards")
    assert "talk" not in game
    assert say(four[0], game).status_code == 201


@pytest.mark.parametrize("is_signed", [True, False])
def test_a_seat_with_a_key_signs_what_is_a_move(host: Caller, signers: list[Signer], is_signed: bool) -> None:
    game = keyed(host, signers, "mau_mau")
    signed = signers[0].sign(game, "moved", 0, move={"type": "say", "text": "Hello"})
    said = say(signers[0].caller, game, seat=0, **({"signed": signed} if is_signed else {}))
    assert said.status_code == (201 if is_signed else 422), said.text
