"""Positions and records that are sent to the referee, whole, wrong or huge."""

from __future__ import annotations

import json

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
