"""A bot suggests moves to a player against bots, from what the player sees, and to nobody against people."""

from __future__ import annotations

import pytest

from tests.support.callers import Caller

BOTS = [{"bot": "random"}] * 3


@pytest.mark.parametrize("ruleset", ["truco", "pies", "landlord", "mau_mau"])
def test_a_suggestion_is_a_legal_move_and_does_not_change(
    host: Caller, four: list[Caller], ruleset: str
) -> None:
    seats = [{"player": four[0].player}, *BOTS]
    game = host.post("/v1/games", {"ruleset": ruleset, "seats": seats}).json
    path = f"/v1/games/{game['id']}"
    for _ in range(3):
        legal = four[0].get(f"{path}/legal-moves?seat=0").json
        answer = four[0].get(f"{path}/suggestion?seat=0")
        assert answer.status_code == 200
        assert answer.json["version"] == legal["version"]
        assert (answer.json["move"] is None) is (not legal["moves"])
        assert four[0].get(f"{path}/suggestion?seat=0").json == answer.json
        if answer.json["move"] is None:
            break
        moved = four[0].post(f"{path}/moves", {"seat": 0, "move": answer.json["move"]})
        assert moved.status_code == 201


def test_nobody_is_helped_against_people(host: Caller, four: list[Caller]) -> None:
    people = [{"player": four[0].player}, {"player": four[1].player}, *BOTS[:2]]
    game = host.post("/v1/games", {"ruleset": "pies", "seats": people}).json
    refused = four[0].get(f"/v1/games/{game['id']}/suggestion?seat=0")
    assert refused.status_code == 409
    assert "against bots" in refused.json["detail"]


def test_a_suggestion_is_for_the_own_seat(host: Caller, four: list[Caller]) -> None:
    seats = [{"player": four[0].player}, *BOTS]
    game = host.post("/v1/games", {"ruleset": "pies", "seats": seats}).json
    assert four[0].get(f"/v1/games/{game['id']}/suggestion?seat=1").status_code == 403
    assert four[1].get(f"/v1/games/{game['id']}/suggestion?seat=0").status_code == 404
