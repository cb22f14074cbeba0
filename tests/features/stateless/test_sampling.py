"""A position dealt anew from a view, and a suggestion in it: nothing stored, nothing shown."""

from __future__ import annotations

import json

import pytest

import referee
from tests.support.callers import Caller


def dealt(rules: referee.Ruleset) -> referee.Position:
    seats = max(rules.SEATS)
    state, _ = referee.deal(rules.ID, seats, {}, referee.Seeded.from_seed(bytes(32), [""] * seats))
    return state


@pytest.mark.parametrize("rules", referee.newest(), ids=lambda rules: rules.ID)
def test_a_sample_looks_like_the_view_and_a_suggestion_is_legal(
    anyone: Caller, rules: referee.Ruleset
) -> None:
    state = dealt(rules)
    seat = state.to_act[0]
    view = json.loads(json.dumps(referee.view(state, seat)))
    found = anyone.post("/v1/referee/samples", {"view": view})
    assert found.status_code == 200, found.json
    position = found.json["position"]
    assert json.loads(json.dumps(referee.view(referee.read(position), seat))) == view
    move = anyone.post("/v1/referee/suggestions", {"position": position, "seat": seat}).json["move"]
    assert referee.judge(referee.read(position), seat, move).legal


def test_what_is_no_view_is_refused(anyone: Caller) -> None:
    """Whatever one member is replaced by; a count of a billion cards is not dealt."""
    view = json.loads(json.dumps(referee.view(dealt(referee.find("pies")), 1)))
    wrong = [None, [], {}, 7, "x", True, {"hand.0": None}, {"hand.0": {"count": 10**9}}, {"hand.0": [[1]]}]
    for name in view:
        for value in wrong:
            answer = anyone.post("/v1/referee/samples", {"view": {**view, name: value}})
            assert answer.status_code in (200, 400), (name, value)
    zones = {**view["zones"], "hand.0": {"count": 10**9}}
    assert anyone.post("/v1/referee/samples", {"view": {**view, "zones": zones}}).status_code == 400
    assert anyone.post("/v1/referee/samples", {"view": {}}).status_code == 400


def test_talk_is_not_suggested(anyone: Caller) -> None:
    state = dealt(referee.find("mau_mau"))
    other = (state.to_act[0] + 1) % state.seats  # this seat can only talk now
    question = {"position": referee.dump(state), "seat": other}
    assert anyone.post("/v1/referee/legal-moves", question).json["moves"] != []
    assert anyone.post("/v1/referee/suggestions", question).json["move"] is None
