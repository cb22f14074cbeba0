"""The page's check of the receipts that it has kept, in the words of `referee verify`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from referee.verification.forks import LOST
from tests.support.node import NODE
from tests.support.receipts import LOG, ORIGIN, SERVER, Server

SCRIPT = """
const [game, notes, entries, listed] = JSON.parse(process.argv[1]);
const kept = {[`card-referee:receipts:${game}`]: JSON.stringify(notes)};
globalThis.sessionStorage = {getItem: name => kept[name] ?? null, setItem() {}};
const {checkReceipts} = await import(process.argv[2]);
const keys = async () => listed ?? Promise.reject(new Error("there are none"));
console.log(JSON.stringify(await checkReceipts(game, entries, keys)));
"""
MODULE = Path(__file__).parents[2] / "api/web/game/receipts.js"


def check(note: str, restored: bool) -> dict[str, Any]:
    found = run([note], [{"vkey": SERVER.vkey, "restored": restored}])
    assert found is not None
    return found


def run(notes: list[str], keys: list[dict[str, Any]] | None) -> dict[str, Any] | None:
    asked = json.dumps([ORIGIN.split("/")[1], notes, LOG, keys])
    words = [NODE, "--input-type=module", "-e", SCRIPT, asked, MODULE.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] | None = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("size", [8, len(LOG) + 1])
def test_a_receipt_from_before_a_restored_backup_is_no_forgery(size: int) -> None:
    assert check(SERVER.receipt(8), False)["ok"]
    lost = SERVER.sign(size, "ab" * 32)
    restored = check(lost, True)
    assert (restored["ok"], LOST in restored["detail"]) == (True, True), restored
    for found in (check(lost, False), check(Server(2).sign(size, "ab" * 32), True)):
        assert (found["ok"], found["seq"]) == (False, size)
        assert "has signed another log" in found["detail"]


def test_without_receipts_nobody_asks_for_keys() -> None:
    """A server that signs nothing has none, and its games can be checked all the same."""
    assert run([], None) is None
