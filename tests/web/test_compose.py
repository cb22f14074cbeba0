"""The composer of moves in Node, compared with the referee: every listed move can be composed by taps."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

import pytest

import referee
from api.rulesets import rulesets as rules
from tests.support.node import NODE

RUNNER = Path(__file__).with_name("compose.mjs")
GAMES = {game.ID: game for game in referee.newest()}
MOST = 60  # listed moves tried at one point; if there are more, a sample


def positions(ruleset: str, seats: int, wanted: int, choices: random.Random) -> Iterator[dict[str, Any]]:
    """Return positions of random games as their seats see them, with everything needed for composing."""
    played = (_of_a_game(ruleset, seats, choices) for _ in count())
    return islice(chain.from_iterable(played), wanted)


def _of_a_game(ruleset: str, seats: int, choices: random.Random) -> Iterator[dict[str, Any]]:
    chance = referee.Seeded(choices.randbytes(8))
    options = {"move_limit": 300} if "move_limit" in GAMES[ruleset].options(seats) else {}
    state, _ = referee.deal(ruleset, seats, options, chance)
    described = rules.ruleset(ruleset)
    while state.result is None:
        for seat in range(seats):
            moves = [*referee.legal_moves(state, seat)]
            if moves and (choices.random() < 0.4 or state.phase not in ("play",)):
                some = moves if len(moves) <= MOST else choices.sample(moves, MOST)
                yield {
                    "moves": moves if GAMES[ruleset].COMPLETE else some,
                    "complete": GAMES[ruleset].COMPLETE,
                    "specs": described["moves"],
                    "seat": seat,
                    "zones": referee.view(state, seat)["zones"],
                    "ranks": {card["id"]: card["rank"] for card in described["cards"]},
                }
        seat = choices.choice(state.to_act)
        referee.advance(state, seat, choices.choice(referee.legal_moves(state, seat)), chance)


def ask(tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
    lines = "\n".join(map(json.dumps, tables)) + "\n"
    done = subprocess.run([NODE, RUNNER], input=lines, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("ruleset", GAMES)
def test_every_listed_move_can_be_composed_and_nothing_else_is_offered(ruleset: str) -> None:
    choices = random.Random(ruleset)
    each = 60 if ruleset == "dog_cards" else 15  # it takes some time until a joker is swapped
    tables = [
        table
        for seats in {GAMES[ruleset].SEATS[0], GAMES[ruleset].SEATS[-1], 4} & set(GAMES[ruleset].SEATS)
        for table in positions(ruleset, seats, each, choices)
    ]
    assert len(tables) >= each
    for table, answer in zip(tables, ask(tables), strict=True):
        place = json.dumps({name: table[name] for name in ("seat", "zones")})[:600]
        assert answer["failed"] == [], place
        assert answer["wandered"] is None, place
