"""What the page of a deal computes in Node: it agrees with honest records, and any other input is noticed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.audit.forging.judging import found
from tests.support.forging import changed
from tests.support.honest import honest, run, server
from tests.support.node import ask

Record = dict[str, Any]
Given = dict[str, Any]


def agrees(worked: Any) -> bool:
    steps = [worked["commitment"], *worked["seats"], *worked["outcomes"]]
    return all(step["ok"] is not False for step in steps)


def given_in(record: Record) -> Given:
    return {"seed": record["seed"], "entropy": record["entropy"]}


def other_inputs(record: Record) -> Iterator[Given]:
    """Yield what a reader might type instead."""
    given, choose = given_in(record), random.Random(1)
    texts = {"seed": given["seed"]}
    for name, text in texts.items():
        for place in choose.sample(range(len(text)), 8):
            for other in (changed(text[place]), "g", " ", "F"):
                yield {**given, name: text[:place] + other + text[place + 1 :]}
        for other in ("", "0", text + "0", text + "00", text[1:], text[2:], text[:-1]):
            yield {**given, name: other}
    for seat, text in enumerate(given["entropy"]):
        for other in (text + "x", text[1:] or "x", changed(text), text + " "):
            yield {**given, "entropy": [*given["entropy"][:seat], other, *given["entropy"][seat + 1 :]]}


@pytest.mark.parametrize("feature", ["reveal_within", "visibility"])
def test_any_other_input_is_noticed(feature: str) -> None:
    record = next(
        each
        for each in (honest(number, most=5) for number in range(100))
        if feature in each["entries"][0] and each["chance"]
    )
    inputs = [given for given in other_inputs(record) if given != given_in(record)]
    same, *others = ask([{"dealt": record, "given": given} for given in (given_in(record), *inputs)])
    assert agrees(same)
    missed = [
        given
        for given, worked in zip(inputs, others, strict=True)
        if "refused" not in worked and agrees(worked)
    ]
    assert missed == []


@pytest.mark.parametrize("length", [1, 63, 64, 65, 200])
def test_a_seed_may_have_any_length(length: int) -> None:
    one = server.Server(3, most=5)
    one.table.seed = bytes(range(length))
    run(one)
    record = one.record()
    assert found(record) == {}
    answer, worked = ask([record, {"dealt": record}])
    assert answer["ok"]
    assert agrees(worked)
