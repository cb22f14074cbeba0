"""A stored game keeps the version of the rules that it began with."""

from __future__ import annotations

from api.features.specification.specification import spec
from tests.referee.ageing import FIRST_VERSION, SECOND_VERSION, on_offer
from tests.support.callers import Caller, new_game


def play_to_the_end(players: list[Caller], path: str) -> None:
    """Play on: the seat to act always plays its lowest card."""
    while (game := players[0].get(path).json)["status"] == "running":
        mover = players[game["to_act"][0]]
        move = mover.get(f"{path}/legal-moves").json["moves"][0]
        assert mover.post(f"{path}/moves", {"move": move}).status_code == 201


def test_an_old_game_goes_on_under_its_old_rules(host: Caller, four: list[Caller]) -> None:
    spec()  # a process makes it once: later tests want it without this ruleset
    two = four[:2]
    with on_offer(FIRST_VERSION):
        old = new_game(host, two, ruleset="lofty")
        assert old["ruleset_version"] == 1
    with on_offer(FIRST_VERSION, SECOND_VERSION):
        new = new_game(host, two, ruleset="lofty")
        assert new["ruleset_version"] == 2
        for game in (old, new):
            path = f"/v1/games/{game['id']}"
            play_to_the_end(two, path)
            record = host.get(f"{path}/record").json
            assert record["version"] == game["ruleset_version"]
            assert host.get(f"{path}/verification").json["ok"]
            assert host.get(f"{path}?version=6").json["ruleset_version"] == game["ruleset_version"]
            other = {name: record[name] for name in ("format", "ruleset", "version", "seats", "options")}
            other |= {"seed": record["seed"][::-1], "moves": [], "ended": {"type": "cancelled"}}
            brought = host.post("/v1/records", other).json
            assert brought["ruleset_version"] == game["ruleset_version"]
            assert host.get(f"/v1/games/{brought['id']}/verification").json["ok"]
            assert not host.post("/v1/referee/replays", {**record, "version": 3}).json.get("ok")
