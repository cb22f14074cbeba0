"""Endings without a last move: by agreement, by the director, or because seats miss too many turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest

import referee
import referee.clocks
from tests.independent import verify as independent
from tests.independent.game import Referee
from tests.support.callers import Caller, Clock, first_move, new_game, play_on
from tests.support.clocks import entries, path, verified
from tests.support.forging import chained_anew
from tests.support.node import ask, failures

Accused = Callable[[dict[str, Any]], set[str]]
PACE = {"per_move": "PT24H", "on_timeout": "random_move", "out_after": 2}


def agree(player: Caller, game: dict[str, Any], ending: str) -> dict[str, Any]:
    done = player.post(path(game, "/ending"), {"ending": ending})
    assert done.status_code == 201, done.text
    found: dict[str, Any] = done.json
    return found


@pytest.fixture(scope="module")
def accused() -> Iterator[Accused]:
    """Return a function for the checks of a forged record that fail; empty unless all verifiers find some."""
    other = Referee()

    def accuse(record: dict[str, Any]) -> set[str]:
        forged = chained_anew(record)
        ours = {check.name for check in referee.verify(forged).checks if not check.ok}
        theirs = set(failures(*ask([forged])))
        third = independent.verify(forged, other)[0]
        return ours | theirs if ours and theirs and third else set()

    yield accuse
    other.close()


def test_all_players_together_cancel_a_game(accused: Accused, host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:3])
    first = agree(four[0], game, "cancellation")
    assert first["entry"]["type"] == "ending_agreed"
    assert first["game"]["seats"][0]["ending_agreed"] == "cancellation"
    again = four[0].post(path(game, "/ending"), {"ending": "cancellation"})
    assert (again.status_code, again.json["type"]) == (409, "/problems/conflict")
    agree(four[1], game, "cancellation")
    shown = host.get(path(game, f"?version={first['game']['version']}")).json["seats"]
    assert [seat.get("ending_agreed") for seat in shown] == ["cancellation", None, None]
    last = agree(four[2], game, "cancellation")
    assert (last["entry"]["type"], last["entry"]["agreed"]) == ("cancelled", True)
    assert (last["game"]["status"], last["game"]["result"]) == ("cancelled", None)
    record = verified(host, game)
    forged = deepcopy(record)
    forged["entries"] = [
        entry for entry in record["entries"] if entry["type"] != "ending_agreed" or entry["seat"] != 1
    ]
    assert "consent" in accused(forged)
    assert four[0].post(path(game, "/ending"), {"ending": "draw"}).status_code == 409


def test_all_players_together_call_it_a_draw(accused: Accused, host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2])
    agree(four[0], game, "cancellation")
    agree(four[0], game, "draw")  # who wants something else agrees to that only
    last = agree(four[1], game, "draw")
    assert last["entry"]["type"] == "drawn"
    assert last["game"]["result"] == {"winners": [0, 1], "losers": [], "reason": "drawn"}
    record = verified(host, game)
    assert record["ended"]["type"] == "drawn"
    for change in ("winners", "losers"):
        forged = deepcopy(record)
        forged["result"][change] = forged["entries"][-1]["result"][change] = [1]
        assert accused(forged), change
    forged = deepcopy(record)
    for entry in forged["entries"]:
        if entry["type"] == "ending_agreed":
            entry["ending"] = "cancellation"
    assert "consent" in accused(forged)


def test_any_action_ends_the_agreement_but_a_message_does_not(host: Caller, four: list[Caller]) -> None:
    game = new_game(host, four[:2])
    seat = game["to_act"][0]
    agree(four[1 - seat], game, "draw")
    assert four[seat].post(path(game, "/messages"), {"text": "Hm."}).status_code == 201
    moved = four[seat].post(path(game, "/moves"), {"move": first_move(four[seat], game)}).json["game"]
    assert "ending_agreed" not in moved["seats"][1 - seat]
    assert agree(four[seat], game, "draw")["game"]["status"] == "running"
    assert agree(four[1 - seat], game, "draw")["game"]["status"] == "finished"
    verified(host, game)


def test_nobody_draws_against_bots(host: Caller, four: list[Caller]) -> None:
    seats = [{"player": four[0].player}, {"bot": "random"}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    assert four[0].post(path(game, "/ending"), {"ending": "draw"}).status_code == 409
    assert agree(four[0], game, "cancellation")["game"]["status"] == "cancelled"
    verified(host, game)


def test_the_director_decides_a_game(
    accused: Accused, host: Caller, four: list[Caller], new_key: Callable[..., Caller]
) -> None:
    game = new_game(host, four[:3], pace={"per_move": "PT24H"})
    ruling = {"winners": [2], "losers": [0]}
    where = path(game, "/adjudication")
    assert four[0].post(where, ruling).status_code == 403
    assert new_key("other", "read", "write").post(where, ruling).status_code == 404
    for wrong in ({"winners": [0], "losers": [0]}, {"winners": [3], "losers": []}, {"winners": [0]}):
        assert host.post(where, wrong).status_code == 400
    for player in four[:3]:
        player.post(path(game, "/pause"))
    key = {"Idempotency-Key": "ruled"}
    done, again = (host.post(where, ruling, headers=key) for _ in range(2))
    assert (done.status_code, done.json) == (201, again.json)
    assert done.json["entry"]["type"] == "adjudicated"
    assert done.json["game"]["result"] == {**ruling, "reason": "adjudicated"}
    record = verified(host, game)
    assert record["ended"] == {"type": "adjudicated", "seat": None, **ruling}
    forged = deepcopy(record)
    forged["entries"][-2]["ruling"]["winners"] = [1]
    assert accused(forged)
    bare = {**record, "entries": None}
    replayed = host.post("/v1/referee/replays", {n: v for n, v in bare.items() if n != "entries"})
    assert replayed.json["result"] == done.json["game"]["result"]
    assert host.post(where, ruling).status_code == 409


@pytest.mark.parametrize(
    ("ended", "result"),
    [
        ({"type": "drawn"}, {"winners": [0, 1], "losers": []}),
        ({"type": "adjudicated", "winners": [1], "losers": []}, {"winners": [1], "losers": []}),
        ({"type": "dropped", "seat": 0}, {"winners": [1], "losers": [0]}),
    ],
)
def test_records_with_such_ends_are_imported(
    host: Caller, ended: dict[str, Any], result: dict[str, Any]
) -> None:
    result = {**result, "reason": ended["type"]}
    terms = {"format": "card-referee/1", "ruleset": "cats_and_dogs", "version": 1, "seats": 2, "options": {}}
    record = {**terms, "seed": "5e" * 32, "entropy": ["", ""], "moves": [], "result": result, "ended": ended}
    imported = host.post("/v1/records", record)
    assert imported.status_code == 201, imported.text
    assert imported.json["result"] == result
    verified(host, imported.json)
    wrong = {**record, "seed": "5f" * 32, "result": {**result, "winners": []}}
    assert host.post("/v1/records", wrong).status_code == 422


def test_a_seat_that_misses_too_many_turns_loses(
    accused: Accused, host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:2], "cats_and_dogs", pace=PACE)
    for _ in range(6):
        game = host.get(path(game)).json
        if game["status"] != "running":
            break
        if 0 in game["to_act"]:
            game = four[0].post(path(game, "/moves"), {"move": first_move(four[0], game)}).json["game"]
        if game["to_act"] == [1]:
            clock.move(hours=25)
            worker()
    kinds = [entry["type"] for entry in entries(host, game)]
    assert kinds.count("timed_out") == 2
    assert kinds[-3:] == ["moved", "dropped", "finished"]
    shown = host.get(path(game)).json
    assert shown["result"] == {"winners": [0], "losers": [1], "reason": "dropped"}
    record = verified(host, game)
    assert record["ended"] == {"type": "dropped", "seat": 1}
    forged = deepcopy(record)
    forged["entries"][0]["pace"]["out_after"] = 3
    assert "consent" in accused(forged)


def test_a_bot_takes_the_seat_of_who_misses_too_many_turns(
    accused: Accused, host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:3], "cats_and_dogs", pace={**PACE, "stand_in": "random"})
    name = game["seats"][1]["player"]["name"]
    for _ in range(10):
        if not game["seats"][1]["player"]:
            break
        seat = game["to_act"][0]
        if seat == 1:
            clock.move(hours=25)
            worker()
        else:
            four[seat].post(path(game, "/moves"), {"move": first_move(four[seat], game)})
        game = host.get(path(game)).json
    assert game["seats"][1]["bot"] == "random"
    assert game["seats"][1]["previous"]["name"] == name, "the result says who has left"
    left, joined = [entry for entry in entries(host, game) if entry.get("dropped")]
    assert (left["type"], left["by"], joined["type"], joined["by"]) == ("left", "clock", "joined", "clock")
    assert four[1].post(path(game, "/moves"), {"move": {"type": "pass"}}).status_code == 404
    game = play_on(four, game)
    assert game["status"] == "finished"
    record = verified(host, game)
    forged = deepcopy(record)
    forged["entries"][0]["pace"]["out_after"] = 1
    assert "consent" in accused(forged)
    forged = deepcopy(record)
    forged["entries"][0]["pace"]["stand_in"] = "cautious"
    assert "consent" in accused(forged)


def test_missed_turns_count_only_in_a_row(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = new_game(host, four[:2], "cats_and_dogs", pace=PACE)
    for missed in (True, False) * 3:
        while game["to_act"] == [0]:
            game = four[0].post(path(game, "/moves"), {"move": first_move(four[0], game)}).json["game"]
        if missed:
            clock.move(hours=25)
            worker()
            game = host.get(path(game)).json
        elif game["to_act"] == [1]:
            game = four[1].post(path(game, "/moves"), {"move": first_move(four[1], game)}).json["game"]
    assert game["status"] == "running"
    verified(host, game)


def test_increments_fill_the_reserve_up_to_its_cap(
    accused: Accused, host: Caller, four: list[Caller], clock: Clock
) -> None:
    pace = {"per_move": "PT24H", "reserve": "PT2H", "increment": "PT5H", "reserve_cap": "PT6H"}
    game = new_game(host, four[:2], "cats_and_dogs", pace=pace)
    seats: list[list[float]] = [[], []]
    for _ in range(6):
        seat = game["to_act"][0]
        game = four[seat].post(path(game, "/moves"), {"move": first_move(four[seat], game)}).json["game"]
        seats[seat].append(referee.clocks.duration(game["seats"][seat]["reserve"]).total_seconds() / 3600)
    assert {hours for each in seats for hours in each} == {6}
    agree(four[0], game, "draw")
    agree(four[1], game, "draw")
    record = verified(host, game)
    forged = deepcopy(record)
    forged["entries"][0]["pace"]["reserve_cap"] = "PT7H"
    assert "clocks" in accused(forged)


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"out_after": 2, "on_timeout": "resign"}, "out_after"),
        ({"stand_in": "random"}, "stand_in"),
        ({"out_after": 11}, "out_after"),
        ({"reserve_cap": "PT1H"}, "reserve_cap"),
        ({"reserve": "PT3H", "increment": "PT1H", "reserve_cap": "PT2H"}, "reserve_cap"),
        ({"weekends": "+01:00"}, "weekends"),
        ({"weekends": "Europe/Berlin", "quiet_weekends": True}, "weekends"),
        ({"weekends": "+15:00", "quiet_weekends": True}, "weekends"),
    ],
)
def test_a_pace_whose_members_do_not_fit_is_refused(
    host: Caller, four: list[Caller], wrong: dict[str, Any], name: str
) -> None:
    pace = {"per_move": "PT24H", "on_timeout": "bot", **wrong}
    seats = [{"player": player.player} for player in four[:2]]
    refused = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats, "pace": pace})
    assert refused.status_code == 400, refused.text
    assert name in refused.text


def test_weekends_in_the_zone_of_the_table_do_not_count(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    """The clock starts on Sunday, 1 March 2026, 12:00 UTC; in Auckland it is Monday already."""
    due = {}
    for zone in ("+01:00", "+13:00", "-05:00"):
        pace = {"per_move": "PT24H", "quiet_weekends": True, "weekends": zone}
        game = new_game(host, four[:2], pace=pace)
        due[zone] = game["seats"][game["to_act"][0]]["deadline"][:16]
    assert due == {
        "+01:00": "2026-03-02T23:00",
        "+13:00": "2026-03-02T12:00",
        "-05:00": "2026-03-03T05:00",
    }
    assert four[0].post(path(game, "/resignation")).status_code == 201
    verified(host, game)
