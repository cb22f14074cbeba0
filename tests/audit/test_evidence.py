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
from tests.support.honest.server import Server


@pytest.fixture(scope="module")
def log() -> Log:
    return Log()


@pytest.fixture(scope="module")
def servers() -> list[Server]:
    return evidence.games(evidence.GAMES)


def honest_bundles(log: Log, servers: list[Server]) -> Iterable[Case]:
    return evidence.honest(log, servers)


def other_evidence(log: Log, servers: list[Server]) -> Iterable[Case]:
    return evidence.without(log, min(servers[:-1], key=lambda server: len(server.entries)).record())


def each_lie_once(log: Log, servers: list[Server]) -> Iterable[Case]:
    return evidence.rewritten(log, servers, once=True)


@pytest.mark.parametrize(
    ("cases", "least"), [(honest_bundles, 46), (other_evidence, 34), (each_lie_once, 24)]
)
def test_the_command_a_folder_and_the_page_give_the_verdict_that_is_due(
    log: Log,
    servers: list[Server],
    cases: Callable[[Log, list[Server]], Iterable[Case]],
    least: int,
    tmp_path: Path,
) -> None:
    made = [*cases(log, servers)]
    assert len(made) >= least
    counts = Counter[str]()
    assert evidence.faults(made, log.policy, tmp_path, counts) == []


def test_the_games_have_everything_that_a_log_can_have(servers: list[Server]) -> None:
    kinds = {entry["type"] for server in servers for entry in server.entries}
    assert kinds == referee.records.ENTRY_TYPES.keys()


@pytest.mark.parametrize(
    "name", ["no proofs", "no receipts", "no proof of the end", "no leaves", "no checkpoint"]
)
def test_a_policy_without_witnesses_misses_it_too(
    log: Log, servers: list[Server], tmp_path: Path, name: str
) -> None:
    (case,) = [case for case in other_evidence(log, servers) if case.what == name]
    policy = f"log {log.old.key.vkey}\nquorum none\n"
    assert evidence.faults([case], policy, tmp_path, Counter()) == []
