"""Tables without a service: the logs of the golden records, folded."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import referee
import referee.positions
import referee.records
import referee.table
from referee.log.entries import ENTRY_TYPES, GOING_BACK
from referee.table.apply import EFFECTS

LOGS = sorted((Path(__file__).parents[1] / "records").rglob("log-*.json"))
TALK = {
    "said",
    "take_back_requested",
    "take_back_agreed",
    "take_back_refused",
    "replacement_agreed",
    "forfeited",
}


def test_every_type_of_entry_has_an_effect_or_is_talk() -> None:
    assert {*EFFECTS, *GOING_BACK} == {*ENTRY_TYPES} - TALK


def test_every_member_that_has_a_type_is_a_declared_one() -> None:
    """The others are added by whoever writes the log: hashes, transfers, signatures."""
    assert referee.table.Members.__annotations__.keys() - {"text"} <= referee.records.MEMBERS.keys()
    for kind in EFFECTS:
        assert not {*ENTRY_TYPES[kind].needed} - referee.table.Members.__annotations__.keys(), kind


def read(file: Path) -> dict[str, Any]:
    record: dict[str, Any] = referee.records.parse(file.read_bytes())
    return record


def table_of(record: dict[str, Any]) -> referee.table.Table[referee.table.Seat]:
    """Return the table of a record before its first entry."""
    rules = referee.find(record["ruleset"], record.get("version"))
    return referee.table.Table(
        ruleset=rules.ID,
        ruleset_version=rules.VERSION,
        options=referee.positions.read_options(rules, record["seats"], record.get("options", {}))[1],
        seats=[referee.table.Seat()] * record["seats"],
        seed=bytes.fromhex(record["seed"]),
        updated_at=datetime.fromisoformat(record["entries"][0]["at"]),
    )


@pytest.mark.parametrize("file", LOGS, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_log_folds_to_the_game_that_was_played(file: Path) -> None:
    record = read(file)
    verification = referee.Verification(record)
    fold = referee.table.Fold(table_of(record))
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
    whole, stored = referee.table.Fold(table_of(record)), referee.table.Fold(table_of(record))
    for entry in record["entries"]:
        for fold in (whole, stored):
            fold.read(entry, entry.get("private", {}))
        text = json.dumps(stored.recent.to_json())
        assert json.loads(text) == json.loads(json.dumps(whole.recent.to_json()))
        stored.recent = referee.table.Recent.of(json.loads(text), stored.table.pace)


def test_nothing_that_may_be_asked_of_the_past_is_lost_when_it_is_stored() -> None:
    at = "2026-03-01T12:00:00.000000Z"
    pace = {"per_move": "PT1H", "on_timeout": "random_move", "reserve": "PT10M", "increment": "PT1M"}
    eve = {"seat": 2, "player": {"id": "e", "name": "Eve"}}
    told: list[dict[str, Any]] = [
        {"type": "created", "at": at, "pace": pace},
        {"type": "moved", "at": at, "seat": 0, "reserve": {"0": "PT11M"}},
        {"type": "timed_out", "at": at, "seat": 2},
        {"type": "moved", "at": at, "seat": 2, "random": True, "reserve": {"2": "PT0S"}},
        {"type": "replacement_agreed", "at": at, "seat": 0, "replacement": eve},
        {"type": "time_returned", "at": at, "since": at},
        {"type": "moved", "at": at, "seat": 1, "reserve": {"1": "PT11M"}},
        {"type": "take_back_requested", "at": at, "seat": 1, "of": 7},
        {"type": "take_back_agreed", "at": at, "seat": 0, "of": 7},
    ]
    whole = stored = referee.table.Recent()
    for seq, entry in enumerate(told, 1):
        for past in {id(past): past for past in (whole, stored)}.values():
            past.read(seq, entry, "a hidden card was shown" if seq == 2 else None)
        stored = referee.table.Recent.of(json.loads(json.dumps(stored.to_json())), pace)
        for seat in range(3):
            assert stored.last_move(seat) == whole.last_move(seat)
            assert stored.votes.about(seat) == whole.votes.about(seat)
        for of in range(1, seq + 1):
            assert (stored.lasting(of), stored.seen(of)) == (whole.lasting(of), whole.seen(of))
            if of > whole.shown_at:
                assert stored.returned(of) == whole.returned(of)
        assert stored.resumed_at == whole.resumed_at
        assert stored.consent.request == whole.consent.request
        assert stored.consent.forced == whole.consent.forced
        assert stored.votes.late == whole.votes.late
    assert whole.consent.forced
    assert whole.votes.about(2)
    assert whole.consent.request is not None
