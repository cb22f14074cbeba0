"""The clocks in the hands of a game's app: more time, a time-out undone, all of it verified."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from tests.support.callers import Caller, Clock, log, new_game
from tests.support.everything import may_pass

PACE = {"per_move": "PT72H", "on_timeout": "random_move", "reserve": "P1D"}


def test_an_app_adds_time(host: Caller, four: list[Caller], clock: Clock) -> None:
    game = new_game(host, four[:2], pace=PACE)
    path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    due = datetime.fromisoformat(game["seats"][seat]["deadline"])
    body, key = {"seat": seat, "length": "P2D"}, {"Idempotency-Key": "two-days"}
    first, again = (host.post(f"{path}/clocks/time", body, headers=key) for _ in range(2))
    assert (first.status_code, first.json) == (201, again.json)
    shown = first.json["game"]["seats"][seat]["deadline"]
    assert datetime.fromisoformat(shown) == due + timedelta(days=2)
    last = log(four[0], game)[-1]
    assert (last["type"], last["by"]) == ("time_added", "app")
    host.post(f"{path}/cancellation")
    report = host.get(f"{path}/dispute-report?seat=0").text
    assert "The app</bdi> gives" in report
    assert host.get(f"{path}/verification").json["ok"]


def test_a_day_more_is_a_day_in_which_time_passes(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    """With quiet weekends, a day given on a Friday evening is due on Monday evening."""
    for now, due in (("06T20:00", "09T20:00"), ("07T09:00", "10T00:00")):
        clock.time = datetime.fromisoformat(f"2026-03-{now}:00+00:00")
        game = new_game(
            host, four[:2], pace={**PACE, "per_move": "PT1S", "reserve": None, "quiet_weekends": True}
        )
        path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
        added = host.post(f"{path}/clocks/time", {"seat": seat, "length": "P1D"}).json["game"]
        assert added["seats"][seat]["deadline"].startswith(f"2026-03-{due}"), added["seats"][seat]


def test_an_app_undoes_a_time_out(
    host: Caller, four: list[Caller], clock: Clock, worker: Callable[[], None]
) -> None:
    game = may_pass(host, four, {**PACE, "reserve": None})
    path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
    assert host.post(f"{path}/clocks/undone-timeout").status_code == 409
    clock.move(hours=73)
    worker()
    assert host.get(path).json["to_act"] != [seat]
    undone = host.post(f"{path}/clocks/undone-timeout")
    assert undone.status_code == 201, undone.text
    assert undone.json["entry"]["type"] == "timeout_undone"
    assert undone.json["game"]["to_act"] == [seat]
    assert host.get(f"{path}/verification").json["ok"]


def test_only_the_app_directs_and_only_games_with_deadlines(
    host: Caller, four: list[Caller], new_key: Callable[..., Caller]
) -> None:
    timed, free = new_game(host, four[:2], pace=PACE), new_game(host, four[:2])
    seat = timed["to_act"][0]
    body = {"seat": seat, "length": "P1D"}
    other = new_key("other", "read", "write")
    assert four[0].post(f"/v1/games/{timed['id']}/clocks/time", body).status_code == 403
    assert other.post(f"/v1/games/{timed['id']}/clocks/time", body).status_code == 404
    assert host.post(f"/v1/games/{free['id']}/clocks/time", body).status_code == 409
    assert (
        host.post(f"/v1/games/{timed['id']}/clocks/time", {"seat": 1 - seat, "length": "P1D"}).status_code
        == 409
    )
    assert (
        host.post(f"/v1/games/{timed['id']}/clocks/time", {"seat": seat, "length": "P9999D"}).status_code
        == 400
    )
    assert four[0].post(f"/v1/games/{timed['id']}/resignation").status_code == 201
    assert host.post(f"/v1/games/{timed['id']}/clocks/time", body).status_code == 409
