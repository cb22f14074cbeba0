"""Tables without a service: the logs of the golden records, folded."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import referee
from referee.log.entries import ENTRY_TYPES
from referee.table.apply import EFFECTS
from tests.referee.test_golden_records import RECORDS, read

LOGS = sorted(RECORDS.rglob("log-*.json"))
TALK = {
    "said",
    "take_back_requested",
    "take_back_agreed",
    "take_back_refused",
    "replacement_agreed",
    "forfeited",
}


def test_every_type_of_entry_has_an_effect_or_is_talk() -> None:
    assert {*EFFECTS} == {*ENTRY_TYPES} - TALK


def table_of(record: dict[str, Any]) -> referee.Table[referee.Seat]:
    """Return the table of a record before its first entry."""
    rules = referee.find(record["ruleset"], record.get("version"))
    return referee.Table(
        ruleset=rules.ID,
        ruleset_version=rules.VERSION,
        options=referee.read_options(rules, record["seats"], record.get("options", {}))[1],
        seats=[referee.Seat()] * record["seats"],
        seed=bytes.fromhex(record["seed"]),
        updated_at=datetime.fromisoformat(record["entries"][0]["at"]),
    )


@pytest.mark.parametrize("file", LOGS, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_log_folds_to_the_game_that_was_played(file: Path) -> None:
    record = read(file)
    verification = referee.Verification(record)
    fold = referee.Fold(table_of(record))
    for entry in record["entries"]:
        verification.read(entry)
        fold.read(entry, entry.get("private", {}))
    table = fold.table
    assert (table.version, table.result) == (len(record["entries"]), record["result"])
    assert table.status == ("cancelled" if record["entries"][-1]["type"] == "cancelled" else "finished")
    assert referee.dump(table.state) == referee.dump(verification.state)
    assert table.drawn == verification.drawn
    assert [seat.entropy for seat in table.seats] == record["entropy"]


@pytest.mark.parametrize("file", LOGS, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_fold_goes_on_from_its_stored_past(file: Path) -> None:
    """What is left out of the stored form changes nothing that anybody may ask later."""
    record = read(file)
    whole, stored = referee.Fold(table_of(record)), referee.Fold(table_of(record))
    for entry in record["entries"]:
        for fold in (whole, stored):
            fold.read(entry, entry.get("private", {}))
        text = json.dumps(stored.recent.to_json())
        assert json.loads(text) == json.loads(json.dumps(whole.recent.to_json()))
        stored.recent = referee.Recent.of(json.loads(text), stored.table.pace)
