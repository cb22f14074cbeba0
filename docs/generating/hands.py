"""Writes the sample hands on the pages of rules: one hand of each game, played by careful bots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import referee
import referee.bots
import referee.records
from referee.engine.jsontext import line

FILE = Path(__file__).parents[2] / "api/features/site/hands.json"
BOT, MOST = "cautious", 40  # moves, if a hand is longer
ENOUGH = {"dog_cards": 20, "palace": 30, "pies": 24}
SEED = bytes(31) + b"\1"
NEEDLESS = ("say", "swap")  # moves that teach nothing here


def hands() -> str:
    """Return the hands of all games as JSON, a game in each line."""
    lines = [f'"{rules.ID}":{line(_hand(rules)).decode().rstrip()}' for rules in referee.newest()]
    return "{" + ",\n".join(lines) + "}\n"


def _hand(rules: referee.Ruleset[Any]) -> dict[str, Any]:
    """Return how many seats there are, and the entries from the deal on, with what each seat sees of them."""
    seats = 3 if 3 in rules.SEATS else 4
    chance = referee.Seeded.from_seed(SEED, [""] * seats)
    state, transfers = referee.deal(rules.ID, seats, {}, chance)
    entries = [_entry(1, {"type": "started"}, state, None, transfers)]
    while len(entries) <= ENOUGH.get(rules.ID, MOST) and not _is_over(state, entries):
        seat = state.to_act[0]
        move = referee.bot_move(BOT, state, seat, referee.bots.bot_numbers(SEED, len(entries)))
        if move["type"] in NEEDLESS:
            others = [each for each in referee.legal_moves(state, seat) if each["type"] not in NEEDLESS]
            move = next(iter(others), move)
        transfers = referee.advance(state, seat, move, chance)
        entries.append(_entry(len(entries) + 1, {"type": "moved", "seat": seat}, state, move, transfers))
    return {"seats": seats, "entries": entries}


def _is_over(state: referee.Position, entries: list[dict[str, Any]]) -> bool:
    """Return whether nobody has cards any more, or another hand was dealt."""
    zones = referee.view(state, None)["zones"]
    held = sum(zone["count"] for name, zone in zones.items() if name.startswith("hand."))
    dealt = sum(each["from"] is None for each in entries[-1]["transfers"]) > 1
    return state.result is not None or (len(entries) > 1 and (dealt or not held))


def _entry(
    seq: int, what: dict[str, Any], state: referee.Position, move: Any, transfers: Any
) -> dict[str, Any]:
    public, private = referee.records.account(state, move, transfers, what.get("seat"))
    return {"seq": seq, **what, **public, "private": private}
