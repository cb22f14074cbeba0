"""What the pages need to draw games: cards, facts, teams, hints; and who took a trick, in the log."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import referee
import referee.positions
import referee.records
import referee.texts
from referee.engine.shapes import move_schema
from tests.referee.logged import logged

GAMES = referee.newest()
ROLES = {"seat", "team", "suit", "position", "counter"}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.ID)
def test_every_card_is_in_the_catalogue_once(game: Any) -> None:
    listed = [card["id"] for card in referee.texts.card_catalogue(game)]
    assert len(set(listed)) == len(listed)
    for seats in game.SEATS:
        options = {name: option.default for name, option in game.options(seats).items()}
        assert set(game.deck(seats, options)) <= set(listed)
    assert all(card["name"] and card["colour"] for card in referee.texts.card_catalogue(game))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.ID)
def test_every_fact_of_a_position_is_described(game: Any) -> None:
    chance = referee.Seeded(b"x")
    state, _ = referee.deal(game.ID, max(game.SEATS), {}, chance)
    facts = {name.split(".")[-1] for name in referee.dump(state)["facts"]}
    described = referee.texts.facts(game)
    assert facts == described.keys()
    assert all(fact["description"] for fact in described.values())
    assert {fact["x-role"] for fact in described.values() if "x-role" in fact} <= ROLES


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.ID)
def test_a_card_of_a_move_lies_in_the_zone_that_its_field_names(game: Any) -> None:
    zones = set(referee.positions.layout(game.State).zones)
    hinted = 0
    for kind, fields in game.MOVES.items():
        for name, shown in move_schema(kind, fields)["properties"].items():
            assert shown.get("x-role", "seat") in ROLES
            for zone in shown.get("x-zone", ()):
                assert zone.partition("{")[0].rstrip(".") in zones or zone == "row{row}.{owner}"
                hinted += 1
            if name in ("card", "cards"):
                assert shown["x-zone"]
    assert hinted


def test_teams_are_those_of_the_rules() -> None:
    found = {game.ID: referee.texts.teams(game) for game in GAMES}
    assert found["pedro"] == [{"seats": 4, "options": {}, "teams": [[0, 2], [1, 3]]}]
    assert found["bisca"] == [{"seats": 4, "options": {"partners": True}, "teams": [[0, 2], [1, 3]]}]
    assert {"seats": 6, "options": {}, "teams": [[0, 3], [1, 4], [2, 5]]} in found["truco"]
    assert found["pies"] == found["landlord"] == []


@pytest.mark.parametrize(
    ("ruleset", "seats"), [("truco", 4), ("bisca", 3), ("pedro", 4), ("cats_and_dogs", 3), ("landlord", 4)]
)
def test_entries_contain_scores_and_who_took_the_trick(ruleset: str, seats: int) -> None:
    record = logged(ruleset, seats, number=5, most=400)
    moves = [entry for entry in record["entries"] if entry["type"] == "moved"]
    states = [step.state.scores[:] for step in referee.steps(referee.read_record(record))]
    for entry, before, after in zip(moves, states, states[1:], strict=False):
        assert entry.get("scores") == (after if after != before else None)
    assert all(0 <= entry["won_by"] < seats for entry in moves if "won_by" in entry)
    assert any("won_by" in entry for entry in moves)
    if ruleset in ("bisca", "pedro"):  # the winner of a trick leads the next one
        steps = list(pairwise(moves))
        assert all(
            one["won_by"] == two["seat"] for one, two in steps if "won_by" in one and "scores" not in one
        )
    assert referee.verify(record).ok


def test_a_wrong_score_is_found_and_one_left_out() -> None:
    whole = logged("cats_and_dogs", 3, number=5, most=400)
    at = next(i for i, entry in enumerate(whole["entries"]) if "won_by" in entry)
    for change in ({"won_by": 99}, {"won_by": None}, {"scores": [1, 2, 3]}):
        entries = [dict(entry) for entry in whole["entries"]]
        entries[at] = {name: value for name, value in {**entries[at], **change}.items() if value is not None}
        found = _verified(whole, entries)
        assert found == "transfers", change
    left_out = [{k: v for k, v in e.items() if k not in ("scores", "won_by")} for e in whole["entries"]]
    assert _verified(whole, left_out) == "transfers"


def _verified(record: dict[str, Any], entries: list[dict[str, Any]]) -> str | None:
    """Chain the entries again and return the first check that fails."""
    head, chained = bytes(32), []
    seed = bytes.fromhex(record["seed"])
    for entry in entries:
        public = {name: value for name, value in entry.items() if name not in ("hash", "private", "sealed")}
        made = referee.records.seal_entry(head, seed, public, entry.get("private", {}))
        head = made.hash
        private = {"private": made.private} if made.private else {}
        chained.append({**made.public, "hash": head.hex(), **private})
    report = referee.verify({**record, "entries": chained})
    return next((check.name for check in report.checks if not check.ok), None)
