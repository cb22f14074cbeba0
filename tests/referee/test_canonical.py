"""Canonical JSON: the fast implementation writes the same bytes as all of RFC 8785."""

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from referee.log.chain import canonical

SAFE = 2**53 - 1
text = st.text(st.characters(exclude_categories=["Cs"]))
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-SAFE, SAFE)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text
    | st.from_regex(r'[\[,":0-9.e]{1,30}')
)
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(text, inner), max_leaves=20)


@given(values)
@example({"\U0001f600": 1, "\ufb33": 2})  # sorted differently by UTF-16 than by code point
@example([1e21, -0.0, 1e-7, 5e-324, 333333333.33333329])
@example({"b": ['\x00\x1f\x7f\u2028"\\/', -0], "a": {"b": None, "B": True}})
@example(SAFE)
@example({"a": [-1.5]})
@example({"a": -1.5e-30})
@example({"a": [1, 2.5]})
@example({"a": 1e16})
def test_equal_to_the_reference(value):
    for whole in (value, {"": value}, {"a": [0, value]}):
        assert canonical(whole) == rfc8785.dumps(whole)


def test_special_characters_in_strings_are_written_equally():
    for text in ("2026-01-02T03:04:05.000000Z", "[1.5", ":12345678901234567890", '":-1e5', ",1.2"):
        assert canonical({"a": text, text: 1}) == rfc8785.dumps({"a": text, text: 1})


@pytest.mark.parametrize("number", [2**53, -(2**53), 10**30])
def test_integers_that_other_languages_cannot_hold_are_refused(number):
    for value in (number, [number], {"a": number}, {"a": ["x", number]}):
        with pytest.raises(rfc8785.IntegerDomainError):
            canonical(value)


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": "\ud800"}, {"\ud800": 1}])
def test_values_that_json_cannot_express_are_refused(value):
    with pytest.raises(ValueError):  # noqa: PT011  (two libraries, one base class)
        canonical(value)
