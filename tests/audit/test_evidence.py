"""Evidence that is removed or rewritten is always missed, and honest bundles are never contradicted.

`python -m tests.campaigns.evidence` tells more lies about more games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import referee.records
from tests.campaigns import evidence
from tests.campaigns.evidence import Case, Log


@pytest.fixture(scope="module")
def log() -> Log:
    return Log()


@pytest.fixture(scope="module")
def records() -> list[evidence.Record]:
    return evidence.games(evidence.GAMES)


def honest_bundles(log: Log, records: list[evidence.Record]) -> Iterable[Case]:
    return evidence.honest(log, records)


def other_evidence(log: Log, records: list[evidence.Record]) -> Iterable[Case]:
    return evidence.without(log, min(records[:-1], key=lambda record: len(record["entries"])))


def each_lie_once(log: Log, records: list[evidence.Record]) -> Iterable[Case]:
    return evidence.rewritten(log, records, once=True)


@pytest.mark.parametrize(
    ("cases", "least"), [(honest_bundles, 46), (other_evidence, 34), (each_lie_once, 24)]
)
def test_the_command_a_folder_and_the_page_give_the_verdict_that_is_due(
    log: Log,
    records: list[evidence.Record],
    cases: Callable[[Log, list[evidence.Record]], Iterable[Case]],
    least: int,
    tmp_path: Path,
) -> None:
    made = [*cases(log, records)]
    assert len(made) >= least
    counts = Counter[str]()
    assert evidence.faults(made, log.policy, tmp_path, counts) == []


def test_the_games_have_everything_that_a_log_can_have(records: list[evidence.Record]) -> None:
    kinds = {entry["type"] for record in records for entry in record["entries"]}
    assert kinds == referee.records.ENTRY_TYPES.keys()


@pytest.mark.parametrize(
    "name", ["no proofs", "no receipts", "no proof of the end", "no leaves", "no checkpoint"]
)
def test_a_policy_without_witnesses_misses_it_too(
    log: Log, records: list[evidence.Record], tmp_path: Path, name: str
) -> None:
    (case,) = [case for case in other_evidence(log, records) if case.what == name]
    policy = f"log {log.old.key.vkey}\nquorum none\n"
    assert evidence.faults([case], policy, tmp_path, Counter()) == []
