"""A ruleset gains an option with a default that changes nothing: games from before it verify as they did."""

from __future__ import annotations

import pytest

import referee
from referee.engine import loading
from referee.engine.shapes import Int, Option
from tests.support.callers import Caller, new_game, play_on

SEATS = {"cats_and_dogs": 2, "pies": 4, "palace": 2, "bisca": 2, "truco": 4, "landlord": 4, "pedro": 4}


@pytest.mark.parametrize("ruleset", SEATS)
def test_games_from_before_an_option_verify(
    host: Caller, four: list[Caller], ruleset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = new_game(host, four[: SEATS[ruleset]], ruleset)
    finished = play_on(four, new_game(host, four[: SEATS[ruleset]], ruleset), 8)
    assert four[0].post(f"/v1/games/{finished['id']}/resignation").status_code == 201
    options = {**referee.find(ruleset).options(SEATS[ruleset]), "newer": Option(Int(0, 9), 0, "new")}
    monkeypatch.setattr(loading, "_declared", lambda rules, seats: options)
    for game in (finished, running):
        found = host.get(f"/v1/games/{game['id']}/verification").json
        assert found["ok"], [check for check in found["checks"] if not check["ok"]]
