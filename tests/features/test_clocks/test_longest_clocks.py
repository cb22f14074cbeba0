"""The longest clocks: sums of durations are bounded, and no clock runs past the end of the calendar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

import referee
import referee.clocks
import referee.dispute
from api.run.cli import cli
from tests.support.callers import Caller, Clock, first_move, new_game
from tests.support.node import ask

HUGE = {"per_move": "PT72H", "on_timeout": "random_move", "increment": "P99999D"}


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"per_move": "P99999D"}, "per_move"),
        ({"per_move": "P3651D"}, "per_move"),
        ({"per_move": "P99999W"}, "per_move"),
        ({"reserve": "P99999D"}, "reserve"),
        ({"per_move": "P1826D", "reserve": "P1826D"}, "reserve"),
        ({"increment": "P99999D"}, "increment"),
        ({"per_move": "P3300D", "vacation_days": 365}, "vacation_days"),
    ],
)
def test_sums_of_durations_are_bounded(
    host: Caller, four: list[Caller], more: dict[str, Any], field: str
) -> None:
    seats = [{"player": player.player} for player in four[:2]]
    pace = {"per_move": "PT72H", **more}
    refused = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats, "pace": pace})
    assert refused.status_code == 400, refused.text
    assert field in str(refused.json["errors"]), refused.json["errors"]
    assert "P3650D" in str(refused.json["errors"])


def test_ten_years_are_allowed(host: Caller, four: list[Caller]) -> None:
    pace = {"per_move": "P1825D", "reserve": "P1824D", "increment": "P1D"}
    game = new_game(host, four[:2], pace=pace)
    assert game["seats"][game["to_act"][0]]["deadline"] == "2036-02-26T12:00:00.000000Z"


@pytest.mark.parametrize("quiet", [False, True])
def test_a_clock_stops_at_the_end_of_the_calendar(
    host: Caller,
    four: list[Caller],
    clock: Clock,
    worker: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    quiet: bool,
) -> None:
    """Games that were made before sums were bounded may have any pace."""
    monkeypatch.setattr("api.games.inputs.LONGEST", referee.clocks.duration("P999999D"), raising=False)
    pace = {**HUGE, "quiet_weekends": quiet, "vacation_days": 30}
    if quiet:
        pace["weekends"] = "+14:00"
    game = new_game(host, four[:2], "bisca", pace=pace)
    at = f"/v1/games/{game['id']}"
    for _ in range(140):
        if any((seat["deadline"] or "") > "9999-12-29" for seat in game["seats"]):
            break
        clock.move(hours=1)
        mover = four[game["to_act"][0]]
        done = mover.post(f"{at}/moves", {"move": first_move(mover, game)})
        assert done.status_code == 201, done.text
        game = done.json["game"]
    deadlines = [seat["deadline"] for seat in game["seats"] if seat["deadline"]]
    assert deadlines == ["9999-12-30T00:00:00.000000Z"]
    holder = four[game["to_act"][0]]
    assert holder.post(f"{at}/vacation", {"days": 3}).status_code == 201
    for player in four[:2]:
        assert player.post(f"{at}/pause").status_code == 201
    assert holder.post(f"{at}/resumption").status_code == 201
    worker()
    for path in ("", "/events", "/record", "/verification", f"?version={game['version'] - 3}"):
        assert host.get(at + path).status_code == 200, path
    assert holder.get("/v1/me/turns").status_code == 200
    assert host.get(f"{at}/verification").json["ok"], host.get(f"{at}/verification").json
    holder.post(f"{at}/resignation")
    record = host.get(f"{at}/record").json
    assert referee.verify(record).ok
    assert ask([record])[0]["ok"]
    assert host.post("/v1/referee/replays", record).status_code == 200
    assert "9999" in "".join(referee.dispute.dispute_report(record, 0))


def test_a_foreign_record_with_such_a_pace_is_refused_or_imported_but_breaks_nothing(
    host: Caller, four: list[Caller]
) -> None:
    game = new_game(host, four[:2], "cats_and_dogs", pace={"per_move": "PT72H", "increment": "PT1H"})
    four[game["to_act"][0]].post(f"/v1/games/{game['id']}/resignation")
    record = host.get(f"/v1/games/{game['id']}/record").json
    for name in ("per_move", "reserve", "increment", "warn_before"):
        for length in ("P999999999D", "P99999W", "P9999999999D", "PT" + "9" * 30 + "S"):
            record["entries"][0]["pace"][name] = length
            assert host.post("/v1/records", record).status_code == 422
            assert host.post("/v1/referee/replays", record).status_code in (200, 422)
            assert not referee.verify(record).ok
            assert "".join(referee.dispute.dispute_report(record, 0))


@pytest.mark.parametrize("length", ["P99999999D", "P999999999999D", "P36501D"])
def test_the_command_line_refuses_durations_that_no_calendar_can_hold(length: str) -> None:
    done = CliRunner().invoke(cli, ["keys", "create", "x", "--expires", length])
    assert done.exit_code == 2
    assert "at most P36500D" in done.output
