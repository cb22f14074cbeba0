"""Players' sleep hours and days off move deadlines, and every verifier recomputes by how much."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import referee
import referee.clocks
from api.games.hours import Hours
from tests.support.callers import Caller, Clock, first_move, new_game
from tests.support.clocks import entries, in_hours, path, paused, verified
from tests.support.page_verifier import ask, failures

PACE = {"per_move": "PT10H", "on_timeout": "random_move", "own_hours": "PT36H", "vacation_days": 3}
BERLIN = {"time_zone": "Europe/Berlin", "sleep": {"from": "23:00", "until": "07:00"}}


def prefer(player: Caller, **wanted: Any) -> dict[str, Any]:
    done = player("PATCH", "/v1/me/preferences", wanted)
    assert done.status_code == 200, done.text
    shown: dict[str, Any] = done.json
    return shown


def move(player: Caller, game: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = player.post(path(game, "/moves"), {"move": first_move(player, game)}).json
    return made


def on_to(seat: str, players: list[Caller], game: dict[str, Any]) -> dict[str, Any]:
    """Play on to the next entry that gives a seat a deadline."""
    while True:
        newest = players[0].get(path(game)).json
        entry: dict[str, Any] = move(players[newest["to_act"][0]], game)["entry"]
        if seat in entry["deadlines"]:
            return entry


def for_two(host: Caller, four: list[Caller], **pace: Any) -> tuple[dict[str, Any], Caller, Caller, str]:
    """Return a game, the player to move, the one who waits, and the seat to move."""
    game = new_game(host, four[:2], pace={**PACE, **pace})
    seat = game["to_act"][0]
    return game, four[seat], four[1 - seat], str(1 - seat)


def test_a_deadline_does_not_count_the_hours_of_a_player(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    game, mover, sleeper, seat = for_two(host, four)
    assert (game["pace"]["own_hours"], "delays" in entries(host, game)[-1]) == ("PT36H", False)
    shown = prefer(sleeper, **BERLIN)
    assert (shown["sleep"], shown["days_off"]) == (BERLIN["sleep"], [])
    clock.move(hours=1)  # two in the afternoon in Berlin: nine hours awake, and one more from seven o'clock
    made = move(mover, game)
    assert made["entry"]["deadlines"] == {seat: in_hours(19)}
    assert made["entry"]["delays"] == {seat: "PT28800S"}
    assert made["game"]["seats"][int(seat)]["deadline"] == in_hours(19)
    assert sleeper.get("/v1/me/turns").json["items"][0]["deadline"] == in_hours(19)
    before = prefer(sleeper, days_off=["monday"]) and host.get(path(game)).json
    assert before["seats"][int(seat)]["deadline"] == in_hours(19), "a change applies from the next deadline"
    assert on_to(seat, four, game)["delays"] == {seat: "PT115200S"}
    assert "delays" not in on_to("1" if seat == "0" else "0", four, game), "the other player has set no hours"
    prefer(sleeper, sleep=None, days_off=[])
    told = host.get(path(game, "/events?limit=200")).text + host.get(path(game)).text
    assert not any(word in told for word in ("sleep", "monday", "Berlin"))
    assert host.get(path(game, f"?version={before['version']}")).json["seats"] == before["seats"]
    newest = host.get(path(game)).json
    assert host.get(path(game, f"?version={newest['version']}")).json["seats"] == newest["seats"]
    verified(host, game)
    assert four[0].post(path(game, "/resignation")).status_code == 201
    report = host.get(path(game, f"/dispute-report?seat={seat}")).text
    assert "later for hours of its own" in report
    assert "It should have been" not in report


def test_a_pace_without_hours_waits_for_nobody(host: Caller, four: list[Caller]) -> None:
    prefer(four[0], **BERLIN, days_off=["sunday", "monday"])
    prefer(four[1], **BERLIN, days_off=["sunday", "monday"])
    game, mover, *_ = for_two(host, four, own_hours=None)
    assert game["seats"][game["to_act"][0]]["deadline"] == in_hours(10)
    assert move(mover, game)["entry"]["deadlines"]
    assert not any("delays" in entry for entry in entries(host, game))
    short, *_ = for_two(host, four, own_hours="PT2H")
    assert short["seats"][short["to_act"][0]]["deadline"] == in_hours(12), "not more than the pace allows"
    verified(host, short)


def test_a_moved_deadline_does_not_fall_into_sleep_hours(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    game, mover, sleeper, seat = for_two(host, four)
    prefer(sleeper, **BERLIN)
    clock.move(hours=1)
    move(mover, game)
    prefer(sleeper, sleep={"from": "06:00", "until": "12:00"})  # until now it ends at eight in the morning
    taken = sleeper.post(path(game, "/vacation"), {"days": 1}).json["entry"]
    assert (taken["deadlines"], taken["delays"]) == ({seat: in_hours(24 + 23)}, {seat: "PT14400S"})
    paused(game, [mover, sleeper])
    clock.move(hours=44)
    resumed = mover.post(path(game, "/resumption")).json["entry"]
    assert (resumed["deadlines"], resumed["delays"]) == ({seat: in_hours(24 * 2 + 23)}, {seat: "PT14400S"})
    verified(host, game)
    assert four[0].post(path(game, "/resignation")).status_code == 201
    verified(host, game)


def test_a_deadline_moved_into_days_off_moves_to_the_end_of_all_of_them(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    game, mover, sleeper, seat = for_two(host, four)
    move(mover, game)
    prefer(sleeper, days_off=["monday", "tuesday"])
    taken = sleeper.post(path(game, "/vacation"), {"days": 1}).json["entry"]  # to Monday evening
    assert (taken["deadlines"], taken["delays"]) == ({seat: in_hours(60)}, {seat: "PT93600S"})
    verified(host, game)


def test_delays_that_the_pace_does_not_allow_are_found(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    game, mover, sleeper, seat = for_two(host, four)
    prefer(sleeper, **BERLIN)
    clock.move(hours=1)
    move(mover, game)
    assert four[0].post(path(game, "/resignation")).status_code == 201
    record = verified(host, game)

    def shorter(bent: dict[str, Any], moved: dict[str, Any]) -> None:
        bent["entries"][0]["pace"]["own_hours"] = "PT7H"

    def none(bent: dict[str, Any], moved: dict[str, Any]) -> None:
        del bent["entries"][0]["pace"]["own_hours"]

    def longer(bent: dict[str, Any], moved: dict[str, Any]) -> None:
        moved.update(delays={seat: "PT144000S"}, deadlines={seat: in_hours(51)})

    def other(bent: dict[str, Any], moved: dict[str, Any]) -> None:
        moved["delays"] = {seat: "PT28801S"}

    def unsaid(bent: dict[str, Any], moved: dict[str, Any]) -> None:
        del moved["delays"]

    def nothing(bent: dict[str, Any], moved: dict[str, Any]) -> None:
        moved.update(delays={seat: "PT0S"}, deadlines={seat: in_hours(11)})

    def nobodys(bent: dict[str, Any], moved: dict[str, Any]) -> None:
        moved["delays"]["1" if seat == "0" else "0"] = "PT60S"

    forgeries: list[Callable[..., None]] = [shorter, none, longer, other, unsaid, nothing, nobodys]
    for forge in forgeries:
        bent = deepcopy(record)
        forge(bent, next(entry for entry in bent["entries"] if entry["type"] == "moved"))
        assert "clocks" in {check.name for check in referee.verify(bent).checks if not check.ok}, forge
        bent["seed"] = None  # as in a running game, where the record does not say whom it waited for
        assert "clocks" in {check.name for check in referee.verify(bent).checks if not check.ok}, forge
        assert "clocks" in failures(*ask([bent])), forge


@pytest.mark.parametrize(
    "wanted",
    [
        {"sleep": {"from": "20:00", "until": "08:01"}},
        {"sleep": {"from": "08:00", "until": "08:00"}},
        {"sleep": {"from": "24:00", "until": "08:00"}},
        {"sleep": {"from": "23:00"}},
        {"days_off": ["monday", "tuesday", "friday", "sunday"]},
        {"days_off": ["sunday", "sunday"]},
        {"days_off": ["Sunday"]},
    ],
)
def test_hours_off_are_limited(four: list[Caller], wanted: dict[str, Any]) -> None:
    assert four[0]("PATCH", "/v1/me/preferences", wanted).status_code == 400
    assert four[0].get("/v1/me/preferences").json["sleep"] is None


def test_a_game_limits_how_long_hours_can_delay_it(host: Caller, four: list[Caller]) -> None:
    seats = [{"player": player.player} for player in four[:2]]
    wanted = {"ruleset": "pies", "seats": seats, "pace": {**PACE, "own_hours": "P15D"}}
    assert host.post("/v1/games", wanted).status_code == 400


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"])
@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize("sleep", [None, (time(22, 30), time(6)), (time(0, 30), time(4))])
@pytest.mark.parametrize("off", [frozenset[int](), frozenset((4, 6))])
def test_hours_are_counted_as_a_person_would_count_them(
    zone: str, quiet: bool, sleep: tuple[time, time] | None, off: frozenset[int]
) -> None:
    hours = Hours(ZoneInfo(zone), sleep, off)
    pace = referee.clocks.Pace(
        timedelta(hours=1), "resign", quiet_weekends=quiet, own_hours=timedelta(days=30)
    )
    half = timedelta(minutes=30)

    def counts(at: datetime) -> bool:
        there = at.astimezone(hours.zone)
        asleep = False
        if sleep is not None:
            since, until = sleep
            now = there.time()
            asleep = since <= now < until if since < until else now >= since or now < until
        return not (asleep or there.weekday() in off or (quiet and at.weekday() >= 5))

    for begun in (datetime(2026, 3, 5, 9, tzinfo=UTC), datetime(2026, 10, 22, 17, 30, tzinfo=UTC)):
        for length in (0.5, 7, 60):
            at, counted = begun, timedelta()
            while counted < timedelta(hours=length):
                counted += half if counts(at) else timedelta()
                at += half
            end = referee.clocks.later(begun, timedelta(hours=length), quiet)
            assert end + hours.delay(pace, begun, timedelta(hours=length)) == at, (begun, length)
