"""docs/log-format.md names everything that can be in a log, so that a verifier need not guess."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import referee
import referee.bots
import referee.records
from docs import log_format
from referee.log.known import RECORD
from tests.support.packages import RELEASED

PAGE = (Path(__file__).parents[3] / "docs" / "log-format.md").read_text("utf-8")
NAMED = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`\n]+)`", PAGE))))


@pytest.mark.parametrize(
    "name", sorted({*referee.records.ENTRY_TYPES, *referee.records.MEMBERS, *RECORD, *referee.bots.BOTS})
)
def test_every_type_and_member_is_described(name: str) -> None:
    assert name.removesuffix("-1") in NAMED  # a bot's version is no word


def test_every_member_is_in_the_row_of_its_type() -> None:
    rows = {}
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.split(" | ")]
        for kind in re.findall(r"`(\w+)`", cells[0]) if line.startswith("| `") and len(cells) == 5 else ():
            rows[kind] = cells
    assert rows.keys() == referee.records.ENTRY_TYPES.keys()
    groups = {"who": {"seat", "player", "bot", "by"}, "clocks": {"deadlines", "delays", "reserve"}}
    groups["shares"] = {"sealed", "seals", "private"}
    every = {"seq", "type", "at", "hash"}
    for kind, (_, stages, then, members, _) in rows.items():
        documented = set(re.findall(r"`(\w+)`", re.sub(r"`\{[^`]*`|\([^)]*\)", "", members)))
        documented |= {name for word in groups if word in members for name in groups[word]}
        declared = {
            name for name in referee.records.MEMBERS if referee.records.ENTRY_TYPES[kind].has(name)
        } - every
        assert documented == declared, kind
        if stages != "all but nothing":
            assert tuple(stages.split(", ")) == referee.records.ENTRY_TYPES[kind].stages, kind
        leads_to = referee.records.ENTRY_TYPES[kind].then or "–"
        assert then.split(", ")[0] == ("*aside*" if referee.records.ENTRY_TYPES[kind].aside else leads_to), (
            kind
        )


def test_the_page_needs_no_other_document() -> None:
    assert "contract" not in PAGE
    vectors = json.loads(log_format.VECTORS.read_text("utf-8"))
    assert [name for name in vectors if f"ector `{name}`" not in PAGE and f" `{name}`.)" not in PAGE] == []


def test_every_number_has_its_row() -> None:
    table = PAGE.partition("## Numbers of logs")[2]
    assert [int(n) for n in re.findall(r"^\| (\d+) \|", table, re.M)] == list(
        range(1, referee.records.LOG + 1)
    )


def test_every_released_ruleset_has_its_chance_and_its_reasons() -> None:
    table = PAGE.partition("## Transfers, chance and results of each ruleset")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", table, re.M))
    assert {name: re.findall(r"`([^`]+)`", reasons) for name, reasons in rows.items()} == {
        name: list(referee.find(name).REASONS) for name in RELEASED
    }
