"""What the page says about a game, in Node: every entry, title and chip of every ruleset has a text."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import referee
from api.game import rulesets as rules
from tests.referee.logged import logged
from tests.support.node import NODE

RUNNER = Path(__file__).with_name("model.mjs")
ODD = re.compile(r"undefined|NaN|\[object|\bnull\b|_")


def ask(ruleset: str, seats: int) -> tuple[dict[str, Any], dict[str, Any]]:
    record = logged(ruleset, seats, number=2, most=120)
    people = [
        {"seat": seat, "player": {"id": str(seat), "name": f"Anna {seat}"}, "bot": None, "open": False}
        for seat in range(seats)
    ]
    games = [
        {
            "ruleset": ruleset,
            "seats": people,
            "options": record["options"],
            "status": "running",
            "to_act": step.state.to_act[:],
            "result": step.state.result,
            "viewer": {"seats": [0]},
            "view": referee.view(step.state, 0),
        }
        for step in referee.steps(referee.read_record(record))
    ]
    question = {"games": games, "entries": record["entries"], "ruleset": rules.ruleset(ruleset)}
    done = subprocess.run(
        [NODE, RUNNER], input=json.dumps(question) + "\n", capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return record, json.loads(done.stdout)


GAMES = {game.ID: game for game in referee.newest()}


@pytest.mark.parametrize("ruleset", GAMES)
def test_everything_has_a_text(ruleset: str) -> None:
    for seats in {GAMES[ruleset].SEATS[0], GAMES[ruleset].SEATS[-1]}:
        _, answer = ask(ruleset, seats)
        assert len(answer["told"]) > 100
        assert [text for text in answer["told"] if ODD.search(text)] == []


@pytest.mark.parametrize(
    ("ruleset", "seats"), [("truco", 4), ("bisca", 3), ("pedro", 4), ("cats_and_dogs", 3)]
)
def test_a_full_trick_is_known_from_the_entry_that_ends_it(ruleset: str, seats: int) -> None:
    _, answer = ask(ruleset, seats)
    assert answer["tricks"]
    for trick in answer["tricks"]:
        assert len(trick["cards"]) == len(trick["by"]) == (4 if ruleset == "truco" else seats)
        assert None not in trick["by"]
        assert len(set(trick["by"])) == len(trick["by"])
        if trick["won_by"] is not None:
            assert trick["won_by"] in trick["by"]


def test_a_bot_is_named_with_the_player_whose_seat_it_took() -> None:
    seats = [{"player": None, "bot": "cautious", "previous": {"id": "1", "name": "Cili"}}]
    shown = {"seats": [*seats, {"player": None, "bot": "cautious"}]}
    script = f"""import {{result}} from "./api/web/model/model.js";
        const parts = result({{winners: [0], losers: [1], reason: "timed_out"}}, {json.dumps(shown)});
        console.log(parts.map(part => part.name ?? part).join(""));"""
    command = [NODE, "--input-type=module", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=RUNNER.parents[2])
    assert done.stdout == "Bot 0 for Cili wins; Bot 1 loses: out of time.\n", done.stderr
