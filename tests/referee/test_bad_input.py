"""Any JSON as a move, position, options or record: a verdict or an error with its place, nothing else."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import referee
from referee.engine.jsontext import parse
from tests.referee.tables import tables, wander

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(["play", "C1", "9D", "over", "", "1", 10**1000, -1, 0, 1, 2, 1.0]),
)
ANY_JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)
TABLES = {game.ID: [table for table in tables() if table.ruleset == game.ID] for game in referee.newest()}
POINTS = {
    ruleset: [
        (referee.dump(point.state), point.seat, point.move)
        for table in found
        for n, point in enumerate(wander(table, 4, 80))
        if n % 13 == 0
    ]
    for ruleset, found in TABLES.items()
}
EVERY = pytest.mark.parametrize("name", POINTS)
FEW = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@EVERY
@FEW
@given(data=st.data())
def test_any_json_as_a_move_gets_a_verdict(name, data):
    position, _, move = data.draw(st.sampled_from(POINTS[name]))
    state = referee.read(position)
    types = st.sampled_from(list(state.ruleset.MOVES))
    fields = sorted({key for declared in state.ruleset.MOVES.values() for key in declared})
    wild = st.fixed_dictionaries({"type": types}, optional=dict.fromkeys(fields, ANY_JSON))
    bent = st.sampled_from(list(move)).flatmap(lambda key: ANY_JSON.map(lambda v: {**move, key: v}))
    drawn = data.draw(ANY_JSON | wild | bent)
    for who in range(state.seats):
        verdict = referee.judge(state, who, drawn)
        if verdict.refusal is not None:
            assert verdict.refusal.rule.startswith(("common.", state.ruleset.ID + "."))
            assert len(verdict.refusal.reason) < 2000
    assert referee.dump(state) == position


@EVERY
def test_a_field_whose_name_is_not_a_string_is_unknown(name):
    position, seat, move = POINTS[name][0]
    refusal = referee.judge(referee.read(position), seat, {**move, 1: "x"}).refusal
    assert refusal is not None
    assert refusal.rule == "common.unknown_move"


@EVERY
@FEW
@given(data=st.data())
def test_a_changed_position_is_read_or_refused(name, data):
    position, _, _ = data.draw(st.sampled_from(POINTS[name]))
    bent = json.loads(json.dumps(position))
    part = data.draw(st.sampled_from(["", "facts", "zones"]))
    target = bent[part] if part else bent
    key = data.draw(st.sampled_from(sorted(target)) | st.text(max_size=5))
    if data.draw(st.booleans()) and key in target:
        del target[key]
    else:
        target[key] = data.draw(ANY_JSON)
    try:
        state = referee.read(bent)
    except referee.Malformed:
        return
    for seat in range(state.seats):
        for move in referee.legal_moves(state, seat):
            assert referee.judge(state, seat, move).legal


@EVERY
@FEW
@given(
    data=st.data(),
    options=ANY_JSON | st.dictionaries(st.sampled_from(["target", "hands", "youngest"]), ANY_JSON),
)
def test_any_json_as_options_is_accepted_or_refused(name, data, options):
    table = data.draw(st.sampled_from(TABLES[name]))
    chance = referee.Seeded.from_seed(b"", [""] * table.seats)
    place = "options"
    try:
        referee.deal(table.ruleset, table.seats, options, chance)
    except referee.Malformed as error:
        place = error.place
    assert place.startswith("options")


@FEW
@given(record=ANY_JSON)
def test_any_json_as_a_record_is_refused(record):
    with pytest.raises(referee.Malformed):
        referee.read_record(record)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"a": 1, "a": 2}', "twice"),
        ("[NaN]", "NaN"),
        ("[-Infinity]", "Infinity"),
        ("1e999", "too large"),
        ('"\\ud800"', "surrogate"),
        ('"\\u0000"', "NUL"),
        (b'"\xff"', "UTF-8"),
        ("[" * 65 + "]" * 65, "nested"),
        ("[" * 100_000 + "]" * 100_000, "nested"),
        ('{"a":' * 1000 + "1" + "}" * 1000, "nested"),
        ("{", "not JSON"),
        ("9" * 5000, "too large"),
        ("", "not JSON"),
    ],
)
def test_json_that_two_programs_could_read_differently_is_refused(text, what):
    with pytest.raises(referee.Malformed, match=what):
        parse(text)


def test_json_at_the_limits_is_read():
    assert parse("[" * 64 + "]" * 64)
    assert parse('"\\ud83d\\ude00"') == "😀"
    assert parse("9" * 1000) == 10**1000 - 1


@pytest.mark.parametrize(
    "move",
    [
        {"type": "play", "card": "C" * 10_000_000},
        {"type": "play", "card": ["C1"] * 10_000},
        {"type": "play", "cards": ["C1"] * 10_000},
        {"type": "p" * 10_000_000},
        {"type": "play", "card": 10**1000},
        {"x" * 1_000_000: 1, "type": "play"},
    ],
    ids=range(6),
)
def test_huge_moves_get_short_answers(move):
    for table in tables():
        state = next(iter(wander(table, 1, 1))).state
        for seat in state.to_act:
            verdict = referee.judge(state, seat, move)
            assert verdict.refusal is not None
            assert len(verdict.refusal.reason) < 500
