"""What is listed is what the rules accept, in its order; changing a list changes no other."""

import contextlib
import copy
import json
import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

import referee
from referee import authoring as ref
from referee.games import GAMES
from tests.referee.every_move import palace_signature, to_try
from tests.referee.tables import Table, tables, wander

SEED, MOVES = 5, 40


def texts(state: Any, seat: int, of: Callable[[Any, int], Any]) -> list[str]:
    """Return the moves of one list, sorted; for a seat that is not waited for, those out of turn."""
    kinds = state.ruleset.PHASES[state.phase] if seat in state.to_act else state.ruleset.OUT_OF_TURN
    return sorted(repr(dict(move)) for move in of(state, seat) if move["type"] in kinds)


def accepted(state: Any, seat: int) -> list[dict[str, Any]]:
    rules = state.ruleset
    return [move for move in rules.candidates(state, seat) if rules.refuse(state, seat, move) is None]


@pytest.mark.parametrize("table", tables(), ids=str)
def test_what_is_listed_is_what_is_accepted(table: Table) -> None:
    for point in wander(table, SEED, MOVES):
        for seat in point.state.to_act if not point.state.ruleset.OUT_OF_TURN else range(table.seats):
            assert texts(point.state, seat, referee.legal_moves) == texts(point.state, seat, accepted)


def test_a_single_field_may_be_left_out_and_a_rule_about_it_then_has_nothing_to_say() -> None:
    field = ref.Field(ref.BOOLEAN, "whether the last card is announced", optional=True)
    told = ref.only("knock.last", "last", lambda state, seat: [True], "only the last card is announced")
    knock = ref.move_type("knock", "play", lambda *_: None, fields={"last": field}, rules=[told])
    state = SimpleNamespace(ruleset=SimpleNamespace(MOVES={"knock": knock.fields}, ID="knock"))
    assert [dict(move) for move in knock.listed(state, 0)] == [
        {"type": "knock"},
        {"type": "knock", "last": True},
    ]
    assert knock.broken(state, 0, {"type": "knock", "last": False})
    assert not knock.broken(state, 0, {"type": "knock"})


LENGTH = 100
EVERY = {"dog_cards": 25, "landlord": 8, "mau_mau": 5, "palace": 5}  # move of those with many to try
MOST_CARDS = 8  # of mau_mau, which may be played in too many ways


@pytest.mark.parametrize("ruleset", [game.ID for game in GAMES])
def test_the_list_is_every_move_that_is_judged_legal_in_its_order(ruleset: str) -> None:
    seen: set[str] = set()
    for table in (each for each in tables() if each.ruleset == ruleset):
        for n, point in enumerate(wander(table, SEED, LENGTH)):
            state = point.state
            if state.phase == "play" and n % EVERY.get(ruleset, 1):
                continue
            for seat in range(table.seats):
                if ruleset == "mau_mau" and len(state.hand[seat]) > MOST_CARDS:
                    continue
                listed = [*referee.legal_moves(state, seat)]
                judged = [move for move in to_try(state, seat) if referee.judge(state, seat, move).legal]
                if ruleset == "palace":  # one choice of cards stands for all of their ranks and number
                    few = [move for move in listed if len(move.get("cards", ())) < 6]
                    assert {*map(palace_signature, few)} == {*map(palace_signature, judged)}
                else:
                    assert listed == judged
                seen |= {move["type"] for move in listed}
    assert seen == {*referee.find(ruleset).MOVES}


def spoil(value: Any) -> None:
    """Change a JSON value in every way that it allows."""
    if isinstance(value, dict):
        for inner in value.values():
            spoil(inner)
        for change in (
            lambda: value.update(type="spoiled"),
            lambda: value.setdefault("more", 1),
            lambda: value.__setitem__("type", "spoiled"),
            lambda: value.__ior__({"more": 1}),
            lambda: value.pop("type"),
            value.popitem,
            lambda: value.__delitem__(next(iter(value), "type")),
            value.clear,
        ):
            with contextlib.suppress(TypeError, KeyError):
                change()
    elif isinstance(value, list):
        for inner in value:
            spoil(inner)
        for change in (
            lambda: value.append("XX"),
            lambda: value.extend(["XX"]),
            lambda: value.insert(0, "XX"),
            lambda: value.__setitem__(0, "XX"),
            lambda: value.__iadd__(["XX"]),
            lambda: value.__imul__(2),
            value.reverse,
            value.sort,
            value.pop,
            lambda: value.remove(value[0]),
            lambda: value.__delitem__(0),
            value.clear,
        ):
            with contextlib.suppress(TypeError, IndexError, ValueError):
                change()


@pytest.mark.parametrize("table", tables(), ids=str)
def test_a_caller_who_changes_listed_moves_changes_no_other_list(table: Table):
    for point in wander(table, 5, 60):
        for seat in range(table.seats):
            before = json.dumps([*referee.legal_moves(point.state, seat)])
            listed = referee.legal_moves(point.state, seat)
            spoil([*listed])
            spoil(listed)
            assert json.dumps([*referee.legal_moves(point.state, seat)]) == before


def test_listed_moves_can_be_written_copied_and_played():
    state, _ = referee.deal("pies", 4, {}, referee.Seeded(b"x"))
    seat = state.to_act[0]
    move = referee.legal_moves(state, seat)[0]
    assert orjson.loads(orjson.dumps(move)) == json.loads(json.dumps(move)) == move
    for copied in (
        dict(move),
        copy.copy(move),
        copy.deepcopy(move),
        pickle.loads(pickle.dumps(move)),
        move | {},
    ):
        copied["type"] = "mine"
        assert type(copied) is dict
    with pytest.raises(TypeError, match="dict\\(move\\)"):
        move["type"] = "mine"
    assert referee.judge(state, seat, move).legal
