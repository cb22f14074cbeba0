"""What players say while they play: free, a move in Mau-Mau, and nothing between partners in Dog Cards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.callers import Caller, new_game, play_on
from tests.support.signers import Signer, keyed, signers

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
