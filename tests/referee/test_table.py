"""Tables without a service: folded logs, clocks turn by turn, and what an entry keeps to itself."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import referee
import referee.clocks
import referee.positions
import referee.records
import referee.table
from referee.log import times
from referee.log.entries import ENTRY_TYPES, GOING_BACK
from referee.table import Recent
from referee.table.apply import EFFECTS
from tests.referee.tables import Table, wander

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


def entry(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "at": "2026-03-01T12:00:00.000000Z", **more}


def forced() -> Recent:
    """Return the past after three time-outs for which moves were made that showed nothing."""
    past = Recent()
    past.read(1, entry("created", log=1), None)
    for turn, seat in enumerate((0, 1, 0)):
        past.read(2 * turn + 2, entry("timed_out", seat=seat), None)
        past.read(2 * turn + 3, entry("moved", seat=seat, random=True), None)
    return past


def test_time_outs_can_be_undone_one_after_the_other_beyond_a_snapshot() -> None:
    past = Recent.of(json.loads(json.dumps(forced().to_json())), None)
    assert past.consent.moves == [(3, 0), (5, 1), (7, 0)]
    assert sorted(past.consent.forced) == [3, 5, 7]


def test_secret_fields_stay_with_the_mover():
    for point in wander(Table("dog_cards", 4, {}), 1, 8):
        if point.move["type"] == "give":
            assert referee.public_move(point.state, point.move) == {"type": "give"}
            public, private = referee.records.account(point.state, point.move, [], point.seat)
            assert public["move"] == {"type": "give"}
            assert private == {str(point.seat): {"move": point.move}}
            return
    raise AssertionError("nobody gave a card")


NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
PACE = referee.clocks.Pace.of(
    {"per_move": "PT10H", "on_timeout": "resign", "reserve": "PT3H", "increment": "PT2H"}
)


def test_a_move_earns_the_increment_and_uses_its_time() -> None:
    seats = [referee.clocks.Clock(), referee.clocks.Clock()]
    referee.clocks.turn_over(seats, [0], PACE, NOON)
    assert seats[0].deadline == NOON + 13 * HOUR
    assert referee.clocks.turn_over(seats, [1], PACE, NOON + 12 * HOUR, 0)["reserve"] == {
        "0": "PT10800S"
    }  # 1 + 2
    assert (seats[0].deadline, seats[1].deadline) == (None, NOON + 25 * HOUR)
    referee.clocks.turn_over(seats, [0], PACE, NOON + 12 * HOUR, 1, forced=True)
    assert PACE.reserve_left(seats[1]) == 3 * HOUR, "a seat that did not move itself earns nothing"


def test_without_a_pace_turns_begin_and_end_without_deadlines() -> None:
    seats = [referee.clocks.Clock(), referee.clocks.Clock()]
    assert referee.clocks.turn_over(seats, [0], None, NOON) == {}
    assert referee.clocks.turn_over(seats, [1], None, NOON + HOUR, 0) == {}
    assert seats == [referee.clocks.Clock(), referee.clocks.Clock(since=NOON + HOUR)]


def test_a_warning_comes_within_the_turn_or_not_at_all() -> None:
    pace = PACE._replace(warn_before=4 * HOUR)
    turn = referee.clocks.Clock(since=NOON, deadline=NOON + 10 * HOUR)
    assert pace.warning(turn) == NOON + 6 * HOUR
    assert pace.warning(referee.clocks.Clock(since=NOON, deadline=NOON + 4 * HOUR)) is None
    assert pace.warning(referee.clocks.Clock()) is None
    assert PACE.warning(turn) is None


def test_what_a_seat_has_beyond_the_cap_is_not_taken_by_an_increment() -> None:
    capped = PACE._replace(reserve_cap=4 * HOUR)
    for had, has in ((HOUR, 3 * HOUR), (3 * HOUR, 4 * HOUR), (6 * HOUR, 6 * HOUR)):
        assert capped.reserve_left(capped.earn(referee.clocks.Clock(reserve=had))) == has


def test_a_reserve_never_falls_below_nothing() -> None:
    seat = PACE.lose(referee.clocks.Clock(reserve=HOUR), 2 * HOUR)
    assert PACE.reserve_left(seat) == timedelta(0)


def test_weekends_are_those_of_an_offset() -> None:
    friday = datetime(2026, 3, 6, 20, tzinfo=UTC)
    for weekends, hours in ((None, 6 + 48), ("+01:00", 6 + 48), ("+05:00", 53), ("-03:30", 6)):
        terms = {"per_move": "PT6H", "on_timeout": "resign", "quiet_weekends": True}
        pace = referee.clocks.Pace.of(terms | ({"weekends": weekends} if weekends else {}))
        assert pace.later(friday, 6 * HOUR) == friday + hours * HOUR, weekends
        assert pace.between(friday, friday + hours * HOUR) == 6 * HOUR, weekends
    for wrong in ("Europe/Berlin", "+15:00", "1:00", None, 60):
        with pytest.raises(ValueError, match="no offset"):
            referee.clocks.Pace.of({**terms, "weekends": wrong})


def test_no_weekend_is_beyond_the_calendar() -> None:
    """Of a length that ends in the last days of the year 9999."""
    for ahead in (timedelta(hours=-14, minutes=-59), timedelta(0), timedelta(hours=14, minutes=59)):
        for hours in range(0, 24 * 30, 5):
            start = times.LATEST - timedelta(hours=hours)
            for length in range(0, hours + 1, 5):
                end = times.later(start, timedelta(hours=length), True, ahead)
                counted = times.between(start, end, True, ahead)
                assert counted == timedelta(hours=length) or end == times.LATEST
