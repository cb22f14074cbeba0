"""docs/reference/log-format.md names everything that can be in a log, so that a verifier need not guess."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
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
    assert "| `take_back_agreed` | running | *aside* | *who* agrees to take back" in PAGE
    assert "| `of` | integer | take_back_requested, take_back_agreed, take_back_refused, taken_back" in PAGE


def test_no_line_is_too_long_to_read() -> None:
    assert [line for line in PAGE.splitlines() if len(line) > 120 and line[0] != "|"] == []


def test_the_page_needs_no_other_document() -> None:
    assert "contract" not in PAGE
    vectors = json.loads(log_format.VECTORS.read_text("utf-8"))
    words = " ".join(PAGE.split())
    assert [name for name in vectors if f"ector `{name}`" not in words] == []


def test_every_released_ruleset_has_its_chance_and_its_reasons() -> None:
    table = PAGE.partition("## Transfers, chance and results of each ruleset")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", table, re.M))
    assert {name: re.findall(r"`([^`]+)`", reasons) for name, reasons in rows.items()} == {
        name: list(referee.find(name).REASONS) for name in RELEASED
    }


TOOLS = ("bash", "jq", "openssl", "sha256sum", "xxd")


@pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason=f"not all are installed here: {TOOLS}")
def test_the_game_checked_by_hand_is_checked(tmp_path: Path) -> None:
    """Every hash of the walk-through is computed by the tools that it names."""
    section = PAGE.partition("## A game checked by hand\n")[2].partition("\n## ")[0]
    script, printed = re.findall(r"^```(?:bash|text)\n(.*?)^```$", section, re.M | re.DOTALL)
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        ["bash", "-u", "-c", script],
        cwd=log_format.VECTORS.parent,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == (printed, "")


def test_the_pseudo_code_of_a_verifier_names_every_type_of_entry() -> None:
    code = re.findall(r"^```text\n(verify\(record\):.*?)^```$", PAGE, re.M | re.DOTALL)[0]
    assert len(code.splitlines()) <= 60
    assert max(map(len, code.splitlines())) <= 120
    assert {*referee.records.ENTRY_TYPES} - {*re.findall(r"\w+", code)} == set()
