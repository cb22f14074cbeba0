"""Take-backs in every game, repeatedly: the game is then exactly as it was before the move."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

import referee
from tests.support.callers import Caller
from tests.support.packages import RELEASED

TURNS, MOST = 10, 48
ENOUGH = 2  # moves taken back in one game
PACE = {"per_move": "PT24H", "reserve": "PT2H", "increment": "PT1H", "on_timeout": "resign"}
SHOWN = ("bisca", "cats_and_dogs")  # here every move shows a hidden card, so none can be taken back


def views(caller: Caller, game: dict[str, Any]) -> dict[str, Any]:
    reserves = [seat["reserve"] for seat in game["seats"]]
    return {"reserves": reserves, **{key: game[key] for key in ("view", "to_act", "status", "result")}}


def at(caller: Caller, path: str, version: int | None = None) -> dict[str, Any]:
    found = caller.get(path if version is None else f"{path}?version={version}")
    assert found.status_code == 200, found.text
    return views(caller, found.json)


@pytest.mark.parametrize("ruleset", referee.newest(), ids=lambda ruleset: ruleset.ID)
def test_moves_are_taken_back_at_random_points(
    host: Caller, auditor: Caller, four: list[Caller], ruleset: Any
) -> None:
    seats = min(n for n in ruleset.SEATS if n > 1)
    choose = random.Random(ruleset.ID)
    site = host.app.extensions["card_referee"]  # the same game in every run:
    host.app.extensions["card_referee"] = replace(site, random_bytes=choose.randbytes)
    players = [four[n % 4] for n in range(seats)]
    taken = [{"player": player.player, "entropy": f"seat {n}"} for n, player in enumerate(players)]
    game = host.post("/v1/games", {"ruleset": ruleset.ID, "seats": taken, "pace": PACE}).json
    path = f"/v1/games/{game['id']}"
    shown = {game["version"]: at(auditor, path)}  # what was shown while each version was the newest
    mine = {game["version"]: at(players[0], path)}
    undone = moves = 0

    def remember() -> dict[str, Any]:
        now: dict[str, Any] = auditor.get(path).json
        shown[now["version"]] = views(auditor, now)
        mine[now["version"]] = at(players[0], path)
        return now

    while moves < TURNS or (undone < ENOUGH and moves < MOST and ruleset.ID not in SHOWN):
        now = remember()
        if now["status"] != "running":
            break
        seat = choose.choice(now["to_act"])
        legal = players[seat].get(f"{path}/legal-moves").json["moves"]
        done = players[seat].post(f"{path}/moves", {"move": choose.choice(legal)})
        assert done.status_code == 201, done.text
        moves += 1
        if undone >= ENOUGH and moves > TURNS // 2:
            continue
        before, of = shown[now["version"]], done.json["entry"]["seq"]
        if remember()["status"] != "running":
            break
        if choose.random() < 0.4:
            continue
        asked = players[seat].post(f"{path}/take-back")
        if asked.status_code == 409:
            continue
        assert asked.status_code == 201, asked.text
        for other in range(seats):
            if other != seat:
                remember()
                agreed = players[other].post(f"{path}/take-back/answer", {"agree": True})
                assert agreed.status_code == 201, agreed.text
        assert (agreed.json["entry"]["type"], agreed.json["entry"]["of"]) == ("taken_back", of)
        undone += 1
        remember()
        assert at(auditor, path) == before, "the position and the clocks are those before the move"
    if ruleset.ID in RELEASED:
        assert bool(undone) == (ruleset.ID not in SHOWN)
    for version in shown:
        assert at(auditor, path, version) == shown[version], version
        assert at(players[0], path, version) == mine[version], version
    verified = auditor.get(f"{path}/verification").json
    assert verified["ok"], [check for check in verified["checks"] if not check["ok"]]
    if host.get(path).json["status"] == "running":
        ended = host.post(f"{path}/resignation", {"seat": 0})
        assert ended.status_code == 201
    record = host.get(f"{path}/record").json
    assert referee.verify(record).ok
    assert record["chance"] == dealt(record), "every deal follows from the seed"


def dealt(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the outcomes of chance from the seed, for the cards that the record says were shuffled."""
    chance = referee.Noted(referee.game_key(bytes.fromhex(record["seed"]), record["entropy"]))
    for outcome in record["chance"]:
        if "shuffle" in outcome:
            chance.shuffle(outcome["shuffle"])
        else:
            chance.pick(outcome["of"])
    return chance.outcomes
