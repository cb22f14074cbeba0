"""docs/reference/log-format.md names everything that can be in a log, so that a verifier need not guess."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import referee
import referee.bots
import referee.records
from docs.generating import log_format, log_types
from referee.log.known import RECORD
from tests.support.packages import RELEASED

PAGE = (Path(__file__).parents[3] / "docs/reference/log-format.md").read_text("utf-8")
NAMED = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`\n]+)`", PAGE))))


@pytest.mark.parametrize(
    "name", sorted({*referee.records.ENTRY_TYPES, *referee.records.MEMBERS, *RECORD, *referee.bots.BOTS})
)
def test_every_type_and_member_is_described(name: str) -> None:
    assert name.removesuffix("-1") in NAMED  # a bot's version is no word


def test_the_table_of_types_is_as_declared() -> None:
    assert log_types.page(PAGE) == PAGE, "run `make generate`"
    row = "| `take_back_agreed` | running | *aside* | who, `of`, [`signature`] | *who* agrees to take back"
    assert row in PAGE


def test_the_page_needs_no_other_document() -> None:
    assert "contract" not in PAGE
    vectors = json.loads(log_format.VECTORS.read_text("utf-8"))
    assert [name for name in vectors if f"ector `{name}`" not in PAGE and f" `{name}`.)" not in PAGE] == []


def test_every_released_ruleset_has_its_chance_and_its_reasons() -> None:
    table = PAGE.partition("## Transfers, chance and results of each ruleset")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", table, re.M))
    assert {name: re.findall(r"`([^`]+)`", reasons) for name, reasons in rows.items()} == {
        name: list(referee.find(name).REASONS) for name in RELEASED
    }
