"""What a caller does with a list of legal moves changes no other list."""

import contextlib
import copy
import json
import pickle
from typing import Any

import orjson
import pytest

import referee
from tests.referee.tables import Table, tables, wander


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
