"""Both verifiers agree with the records and bundles in docs/reference/log-vectors.json."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import referee
import referee.clocks
import referee.proofs
import referee.records
from docs.generating.log_format import VECTORS
from referee.proofs.policy import read_policy
from referee.verification.assessment import assess
from tests.servers.commands import run
from tests.support.node import ask, failures

GIVEN = json.loads(VECTORS.read_text("utf-8"))
RECORDS = {name: GIVEN[name] for name in ("record", "clocks", "hand_overs")}
BUNDLE = GIVEN["bundle"]
SHOWN = {  # what each record is an example of
    "clocks": ("taken_back", "timeout_undone", "time_added", "vacation_taken", "paused", "resumed"),
    "hand_overs": ("replacement_agreed", "left", "timed_out"),
}


def put(given: Any, path: list[Any], value: Any) -> Any:
    """Return a copy in which one member has another value."""
    found = place = copy.deepcopy(given)
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return found


@pytest.mark.parametrize("name", RECORDS)
def test_both_verifiers_accept_a_record(name: str) -> None:
    assert {*SHOWN.get(name, ())} <= {entry["type"] for entry in RECORDS[name]["entries"]}
    report = referee.verify(RECORDS[name])
    assert report.ok, report.checks
    (answer,) = ask([RECORDS[name]])
    assert failures(answer) == {}


def test_both_verifiers_miss_no_clock_of_an_example() -> None:
    """Each deadline and reserve, and each missing one, is found though every hash fits."""
    bent = []
    for number, entry in enumerate(RECORDS["clocks"]["entries"]):
        for member in ("deadlines", "reserve"):
            if member in entry:
                bent.append(chained(put(RECORDS["clocks"], ["entries", number, member], {"3": "PT1S"})))
    assert len(bent) > 20
    for record, answer in zip(bent, ask(bent), strict=True):
        assert "clocks" in failures(answer) or "read" in failures(answer)
        assert [check.name for check in referee.verify(record).checks if not check.ok] != []


def chained(record: Any) -> Any:
    """Return a record with hashes that fit."""
    head = bytes(32)
    for entry in record["entries"]:
        public = {name: value for name, value in entry.items() if name not in ("hash", "private")}
        head = referee.records.chain(head, public)
        entry["hash"] = head.hex()
    return record


def test_the_bundle_and_what_is_left_of_it(tmp_path: Path) -> None:
    """The command, its verdict on a folder, and the page say the same of the bundle and of each change."""
    policy = read_policy(BUNDLE["policy"])
    cases = [(BUNDLE["bundle"], BUNDLE["verdict"])]
    for case in BUNDLE["changes"]:
        cases.append((put(BUNDLE["bundle"], case["path"], case["value"]), case["verdict"]))
    found = [assess(bundle, policy).verdict for bundle, _ in cases]
    assert found == [verdict for _, verdict in cases]
    assert ask([{"verdict": bundle, "policy": BUNDLE["policy"]} for bundle, _ in cases]) == found
    (tmp_path / "policy").write_text(BUNDLE["policy"])
    (tmp_path / "a.bundle").write_text(json.dumps(BUNDLE["bundle"]))
    done = run("verify", str(tmp_path / "a.bundle"), "--policy", str(tmp_path / "policy"))
    assert done.returncode == 0, done.stdout
