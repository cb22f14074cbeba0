"""The linter of English finds what it is for; `make lint` runs it on all texts."""

from __future__ import annotations

import pytest
from proselint.checks import __register__ as standard
from proselint.registry import CheckRegistry

from tests.contract.linters.prose import faults, ours, texts

STUMBLED_OVER = [
    "Only who reads a mailbox signs in to its account.",
    "An own move or a time-out that is undone interrupts the row.",
    "It works. Who has to leave, or waits for 10 seconds, gets 429.",
    "Further requests are refused with 409.",
    "The answer shall have an id.",
    "This rule stands in one place.",
    "It is to be called again.",
    "Moves that do not count any more are grey.",
    "The position, which there is after the deal.",
    "It answers nothing any more.",
    "This is a a mistake.",
]


@pytest.fixture(scope="module", autouse=True)
def registered() -> None:
    CheckRegistry().register_many((*standard, ours()))


@pytest.mark.parametrize("sentence", STUMBLED_OVER)
def test_sentences_that_readers_stumbled_over_are_found(sentence: str) -> None:
    assert [fault.line for fault in faults("page", f"\n{sentence}\n")] == [2]


def test_code_and_plain_sentences_are_no_faults() -> None:
    assert not [*faults("page", "Only someone who can read the mailbox can sign in: `an own`.\n")]


def test_documents_docstrings_and_problems_are_read() -> None:
    names = [name for name, _ in texts()]
    for name in (
        "README.md",
        "docs/explanation/trust.md",
        "api/games/loading.py load",
        "problem illegal-move",
    ):
        assert name in names
