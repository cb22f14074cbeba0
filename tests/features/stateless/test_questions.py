"""Positions and records that are sent to the referee, whole, wrong or huge, or dealt anew from a view."""

from __future__ import annotations

import json

import pytest

import referee
from tests.support.callers import Caller
from tests.support.problems import problem


def test_any_json_to_the_referee(anyone: Caller) -> None:
    for path in ("verdicts", "legal-moves", "replays"):
        for body in ({}, {"position": {}}, {"position": {"ruleset": "pies"}, "seat": 0, "move": {}}):
            problem(anyone.post(f"/v1/referee/{path}", body), 400, "malformed-request")
    record = {"format": "card-referee/1", "ruleset": "cats_and_dogs", "seats": 3, "seed": "00", "moves": []}
    ends = anyone.post("/v1/referee/replays", record).json
    assert (ends["ok"], ends["moves"], ends["refused"]) == (True, 0, None)
    seat = ends["position"]["to_act"][0]
    listed = anyone.post("/v1/referee/legal-moves", {"position": ends["position"], "seat": seat}).json
    for start in ({"position": ends["position"]}, {"record": record}):
        judged = anyone.post("/v1/referee/verdicts", {**start, "seat": seat, "move": listed["moves"][0]}).json
        assert judged["verdict"] == {"legal": True}
        assert judged["position"]["to_act"] == [(seat + 1) % 3]
        refused = anyone.post("/v1/referee/verdicts", {**start, "seat": seat, "move": {"type": "fly"}}).json
        assert refused.keys() == {"verdict"}
    illegal = {**record, "moves": [{"seat": seat, "move": {"type": "play", "card": "XX"}}]}
    assert anyone.post("/v1/referee/replays", illegal).json["refused"]["verdict"]["rule"] == "common.not_held"
    both = {"position": ends["position"], "record": record, "seat": 0, "move": {}}
    problem(anyone.post("/v1/referee/verdicts", both), 400, "malformed-request")
    far = {"position": ends["position"], "seat": 9, "move": {}}
    problem(anyone.post("/v1/referee/verdicts", far), 400, "malformed-request")


def test_integers_beyond_64_bits_are_returned_unchanged(anyone: Caller) -> None:
    record = {"format": "card-referee/1", "ruleset": "pies", "seats": 4, "seed": "00", "moves": []}
    position = anyone.post("/v1/referee/replays", record).json["position"]
    position["facts"]["moves"] = 10**30
    position["facts"]["opening"] = False
    answer = anyone.post("/v1/referee/verdicts", {"position": position, "seat": 0, "move": {"type": "take"}})
    assert answer.status_code in (200, 400)
    assert json.loads(answer.text)


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
