"""Forgeries of a game's record by somebody who can rebuild every hash: each one is detected and named."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

import referee
from tests.servers.commands import run
from tests.support.callers import Caller, Clock, new_game, play_on
from tests.support.forging import chained_anew
from tests.support.page_verifier import ask, failures

PACE = {
    "per_move": "PT72H",
    "on_timeout": "random_move",
    "reserve": "PT5H",
    "quiet_weekends": True,
    "vacation_days": 5,
}
Record = dict[str, Any]
Forge = Callable[[Record], None]


def kinds(record: Record, kind: str, member: str = "type") -> list[dict[str, Any]]:
    return [entry for entry in record["entries"] if entry["type"] == kind and member in entry]


def set_to(value: Any, *path: Any) -> Callable[[dict[str, Any]], None]:
    def change(place: dict[str, Any]) -> None:
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


def without_request(record: Record) -> None:
    asked = kinds(record, "take_back_requested")[0]
    del asked["of"]
    asked.update(type="said", text="I would like to take back my last move.")


def without_consent(record: Record) -> None:
    kinds(record, "take_back_agreed")[-1]["type"] = "take_back_refused"


def consent_of_one_twice(record: Record) -> None:
    first, second = kinds(record, "take_back_agreed")[:2]
    second.update(seat=first["seat"], player=first["player"])


def by_another_seat(record: Record) -> None:
    other = kinds(record, "take_back_agreed")[0]
    kinds(record, "taken_back")[0].update(seat=other["seat"], player=other["player"])


def another_move(record: Record) -> None:
    earlier = kinds(record, "moved")[0]["seq"] - 1
    for kind in ("take_back_requested", "take_back_agreed", "taken_back"):
        for entry in kinds(record, kind):
            entry["of"] = earlier


def consent_as_talk(record: Record) -> None:
    """Write consent as logs before number 3 did."""
    for entry in kinds(record, "take_back_agreed"):
        entry.update(type="said", text="Yes.", take_back={"of": entry.pop("of"), "agrees": True})


def deadline_moved(record: Record) -> None:
    named = kinds(record, "moved", "deadlines")[1]["deadlines"]
    seat = next(iter(named))
    named[seat] = "2030" + named[seat][4:]


def deadline_left_out(record: Record) -> None:
    del kinds(record, "moved", "deadlines")[2]["deadlines"]


def reserve_grown(record: Record) -> None:
    named = kinds(record, "moved", "reserve")[0]["reserve"]
    named[next(iter(named))] = "PT4H59M"


def reserve_left_out(record: Record) -> None:
    del kinds(record, "moved", "reserve")[0]["reserve"]


def pace_slower(record: Record) -> None:
    record["entries"][0]["pace"]["per_move"] = "PT96H"


def days_off_for_ever(record: Record) -> None:
    kinds(record, "vacation_taken")[0]["vacation"]["until"] = "2027-01-01T00:00:00.000000Z"


def days_off_kept(record: Record) -> None:
    kinds(record, "vacation_taken")[0]["vacation"]["left"] = 5


def more_days_than_there_are(record: Record) -> None:
    kinds(record, "vacation_taken")[0]["vacation"].update(days=6, left=-1)


def said_by_nobody(record: Record) -> None:
    record["entries"][1:3] = record["entries"][2:0:-1]  # a message from a seat before anybody has taken it
    for number, entry in enumerate(record["entries"], 1):
        entry["seq"] = number


def said_by_another(record: Record) -> None:
    kinds(record, "said")[-1]["player"] = {"id": "0195f000-0000-7000-8000-000000000000", "name": "Mallory"}


def own_move_for_random(record: Record) -> None:
    del kinds(record, "moved", "random")[0]["random"]


def late_twice(record: Record) -> None:
    late = kinds(record, "timed_out")[0]
    record["entries"].insert(late["seq"], copy.deepcopy(late))
    for number, entry in enumerate(record["entries"], 1):
        entry["seq"] = number


def handed_over_unsaid(record: Record) -> None:
    for entry in [*kinds(record, "left", "replaced"), *kinds(record, "joined", "replaced")]:
        del entry["replaced"]


def handed_over_before_the_deal(record: Record) -> None:
    kinds(record, "joined")[0]["replaced"] = True


def never_late(record: Record) -> None:
    late = kinds(record, "timed_out")[0]
    late["at"] = record["entries"][late["seq"] - 2]["at"]


FORGERIES: dict[Forge, tuple[str, bool]] = {
    # (the check that fails, whether finding it needs the rules)
    without_request: ("consent", False),
    without_consent: ("consent", False),
    consent_of_one_twice: ("consent", False),
    by_another_seat: ("consent", False),
    another_move: ("consent", False),
    consent_as_talk: ("members", False),
    deadline_moved: ("clocks", False),
    deadline_left_out: ("clocks", True),
    reserve_grown: ("clocks", False),
    reserve_left_out: ("clocks", True),
    pace_slower: ("clocks", False),
    days_off_for_ever: ("clocks", False),
    days_off_kept: ("clocks", False),
    more_days_than_there_are: ("clocks", False),
    said_by_nobody: ("seats", False),
    said_by_another: ("seats", False),
    own_move_for_random: ("clocks", False),
    never_late: ("clocks", False),
    late_twice: ("clocks", False),
    handed_over_unsaid: ("seats", False),
    handed_over_before_the_deal: ("seats", False),
    set_to("2026-03-01T00:00:00.000000Z", "moves", 0, "at"): ("moves", False),
    set_to(1, "moves", 0, "seq"): ("moves", False),
    set_to("00" * 32, "moves", 0, "hash"): ("moves", False),
    set_to(2200, "rating"): ("members", False),
    set_to("Anna", "moves", 1, "made_by"): ("members", False),
    set_to(True, "entries", 6, "cheated"): ("members", False),
    set_to(1500, "entries", 2, "player", "rating"): ("members", False),
    set_to("yes", "entries", -2, "replaced"): ("members", False),
}


@pytest.fixture
def record(host: Caller, four: list[Caller], new_player: Callable[[str], Caller], clock: Clock) -> Record:
    """Return the record of a game with everything that a log can contain except players' messages."""
    seats = [{"player": four[0].player}, *[{"open": True}] * 3]
    game = host.post("/v1/games", {"ruleset": "pedro", "pace": PACE, "seats": seats}).json
    path = f"/v1/games/{game['id']}"
    assert host.post(f"{path}/messages", {"text": "Who comes?", "seat": 0}).status_code == 201
    for seat in (1, 2, 3):
        assert host.put(f"{path}/seats/{seat}", {"player": four[seat].player}).status_code == 200
    game = play_on(four, host.get(path).json, 2)
    entries = host.get(f"{path}/record").json["entries"]
    asker = next(entry["seat"] for entry in reversed(entries) if entry["type"] == "moved")
    assert four[asker].post(f"{path}/take-back").status_code == 201
    for seat in range(4):
        if seat != asker:
            clock.move(minutes=1)
            assert four[seat].post(f"{path}/take-back/answer", {"agree": True}).status_code == 201
    waiting = host.get(path).json["to_act"][0]
    assert four[waiting].post(f"{path}/vacation", {"days": 2}).status_code == 201
    eve = new_player("Eve")
    assert host.put(f"{path}/seats/3/player", {"player": eve.player}).status_code == 200
    four[3] = eve
    play_on(four, host.get(path).json, 1)
    for _ in range(2):  # moves at the last moment, which use the reserve
        game = host.get(path).json
        deadline = game["seats"][game["to_act"][0]]["deadline"]
        clock.time = datetime.fromisoformat(deadline) - timedelta(hours=2)
        play_on(four, game, 1)
    clock.move(days=30)
    four[0].post(f"{path}/resignation")  # this settles the clocks of late seats
    if host.get(path).json["status"] == "running":
        assert host.post(f"{path}/resignation", {"seat": 0}).status_code == 201
    found: Record = host.get(f"{path}/record").json
    types = {entry["type"] for entry in found["entries"]}
    assert {"taken_back", "left", "timed_out", "resigned", "finished"} <= types
    assert kinds(found, "moved", "reserve")
    return found


def test_each_forgery_is_found_though_every_hash_fits(record: Record) -> None:
    assert referee.verify(record).ok, referee.verify(record)
    assert referee.verify(record).unchecked == {}
    assert failures(ask([record])[0]) == {}
    forged = []
    for forge in FORGERIES:
        other = copy.deepcopy(record)
        forge(other)
        forged.append(chained_anew(other))
    answers = ask(forged)
    missed = []
    for (name, needs_rules), forge, other, answer in zip(
        FORGERIES.values(), FORGERIES, forged, answers, strict=True
    ):
        found = {check.name for check in referee.verify(other).checks if not check.ok}
        if name not in found:
            missed.append(("python", forge.__name__, name, found))
        if not needs_rules and name not in failures(answer):
            missed.append(("javascript", forge.__name__, name, set(failures(answer))))
    assert missed == []


def test_a_log_that_was_removed_is_reported_first(record: Record) -> None:
    without = json.dumps({name: value for name, value in record.items() if name != "entries"})
    done = run("verify", "-", given=without)
    assert done.returncode == 0
    assert done.stdout.startswith("NOTE  log: THERE IS NO LOG")
    required = run("verify", "--require-log", "-", given=without)
    assert required.returncode == 1
    assert required.stdout.startswith("FAIL  log: THERE IS NO LOG")
    assert run("verify", "--require-log", "-", given=json.dumps(record)).returncode == 0
    assert "sequence" in failures(ask([json.loads(without)])[0])


def test_members_that_nobody_checks_are_refused(record: Record, host: Caller) -> None:
    """Unknown members of a record are refused, but a log is stored as it is."""
    record["entries"][3]["rating"] = 2200
    refused = host.post("/v1/records", chained_anew(record))
    assert refused.status_code == 422
    assert [check["name"] for check in refused.json["checks"]] == ["members"]


def test_a_late_seat_whose_turn_another_move_ended_is_not_forgotten(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    """In truco, two seats owe an answer, and the move made for the first ends both turns."""
    game = new_game(host, four, ruleset="truco", pace={"per_move": "PT72H", "on_timeout": "random_move"})
    path, chance = f"/v1/games/{game['id']}", random.Random(1)
    while len(game["to_act"]) < 2:
        seat = game["to_act"][0]
        moves = four[seat].get(f"{path}/legal-moves").json["moves"]
        game = four[seat].post(f"{path}/moves", {"move": chance.choice(moves)}).json["game"]
    clock.move(hours=72)
    host.post(f"{path}/resignation", {"seat": 0})  # this settles the clocks of late seats
    record = host.get(f"{path}/record").json
    assert record["result"] is not None
    assert referee.verify(record).ok
    forgotten = copy.deepcopy(record)
    entries = forgotten["entries"]
    second = [entry["seq"] for entry in entries if entry["type"] == "timed_out"][1]
    del entries[second - 1]
    for entry in entries[second - 1 :]:
        entry["seq"] -= 1
    for move in forgotten["moves"]:
        if move["seq"] > second:
            move["seq"] -= 1
    found = referee.verify(chained_anew(forgotten))
    assert "clocks" in {check.name for check in found.checks if not check.ok}


def test_seats_that_are_late_together_lose_together(host: Caller, four: list[Caller], clock: Clock) -> None:
    """A log that omits one of them is not valid; nor is one that includes a seat that was in time."""
    pace = {"per_move": "PT1H", "on_timeout": "resign"}
    game = new_game(host, four, ruleset="palace", pace=pace)
    path = f"/v1/games/{game['id']}"
    assert len(game["to_act"]) == 4
    clock.move(hours=2)
    four[0].post(f"{path}/resignation")
    record = host.get(f"{path}/record").json
    assert referee.verify(record).ok, referee.verify(record)
    if record["result"]["reason"] == "resigned":  # as earlier versions wrote it: only one of them
        record["result"] = {"winners": [], "losers": [0, 1, 2, 3], "reason": "timed_out"}
        record["ended"] = {"type": "timed_out", "seat": 0, "seats": [0, 1, 2, 3]}
        entries = record["entries"]
        late = next(entry for entry in entries if entry["type"] == "timed_out")
        others = [
            {**late, "seq": late["seq"] + seat, "seat": seat, "player": game["seats"][seat]["player"]}
            for seat in (1, 2, 3)
        ]
        entries[-1].update(seq=late["seq"] + 4, result=record["result"])
        entries[late["seq"] :] = [*others, entries[-1]]
        record = chained_anew(record)
    assert referee.verify(record).ok, referee.verify(record)
    assert failures(ask([record])[0]) == {}
    forgotten = copy.deepcopy(record)
    del forgotten["entries"][-2]
    forgotten["entries"][-1]["seq"] -= 1
    forgotten["result"] = forgotten["entries"][-1]["result"] = {
        "winners": [3],
        "losers": [0, 1, 2],
        "reason": "timed_out",
    }
    forgotten["ended"]["seats"] = [0, 1, 2]
    found = referee.verify(chained_anew(forgotten))
    assert [check.name for check in found.checks if not check.ok] == ["clocks"]
