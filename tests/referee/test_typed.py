"""The shapes of `referee.typed` are those of the games: what is dealt, seen and listed fits them."""

import random
from importlib import import_module
from types import ModuleType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

import referee
from docs.generating import typed
from examples.research import careful
from tests.referee.tables import Table, tables, wander

GAMES = [game.ID for game in referee.newest()]


def fault(value: Any, shape: Any, place: str = "") -> str | None:
    """Return where a value does not fit a shape, or None."""
    of, parts = get_origin(shape), get_args(shape)
    if of in (Union, UnionType):
        found = [fault(value, part, place) for part in parts]
        return None if None in found else found[-1]
    if of is Literal:
        return (
            None
            if any(type(value) is type(each) and value == each for each in parts)
            else f"{place}: {value}"
        )
    if of is list:
        if not isinstance(value, list):  # a listed move may have one that is read-only
            return f"{place} is no list"
        return next((found for each in value if (found := fault(each, parts[0], place))), None)
    if is_typeddict(shape):
        hints = get_type_hints(shape)
        if type(value) is not dict or not shape.__required_keys__ <= value.keys() <= hints.keys():
            return f"{place} has {value}"
        return next((at for key in value if (at := fault(value[key], hints[key], f"{place}.{key}"))), None)
    return None if type(value) is (shape or type(None)) else f"{place}: {value} is no {shape}"


def module(game: str) -> ModuleType:
    return import_module(f"referee.typed.{game}")


@pytest.mark.parametrize("table", tables(), ids=str)
def test_what_a_game_shows_fits_its_shapes(table: Table) -> None:
    shapes = module(table.ruleset)
    for number, point in enumerate(wander(table, 1, 60)):
        if number % 10:
            continue
        for seat in (*range(table.seats), None):
            view = referee.view(point.state, seat)
            result = view.pop("result")
            assert result is None or {"winners", "losers", "reason"} <= result.keys()
            assert fault(view | {"result": None}, shapes.View) is None
        for move in list(
            referee.legal_moves(point.state, point.state.to_act[0] if point.state.to_act else 0)
        )[:40]:
            assert fault(dict(move), shapes.Move) is None


@pytest.mark.parametrize("game", GAMES)
def test_the_shapes_refuse_what_is_none(game: str) -> None:
    shapes, seats = module(game), referee.find(game).SEATS[0]
    match = shapes.match(seats, {}, seed=1)
    seat = match.to_act[0]
    assert shapes.view(match, seat) == match.view(seat)
    assert shapes.legal_moves(match, seat) == match.legal_moves(seat)
    view = match.view(seat)
    assert fault(view | {"phase": "?"}, shapes.View)
    assert fault(view | {"more": 1}, shapes.View)
    assert fault({"type": "?"}, shapes.Move)


def test_the_shapes_are_those_of_the_declarations() -> None:
    stale = [path.name for path, text in typed.files() if path.read_text("utf-8") != text]
    assert stale == [], "run `make generate`"


def test_a_program_with_types_plays() -> None:
    total = [careful.play(seed) for seed in range(random.Random(1).randrange(3, 5))]
    assert {sum(payoffs) for payoffs in total} == {0.0}
