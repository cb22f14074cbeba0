"""The dispute report of a game: its clocks and take-backs in sentences, bound to the game."""

from __future__ import annotations

import html
import re

from tests.support.callers import Caller, Clock, first_move, new_game, play_on


def text_of(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", "", page, flags=re.S)).split())


def test_clocks_and_consent_are_described_in_sentences(
    host: Caller, four: list[Caller], clock: Clock
) -> None:
    pace = {
        "per_move": "PT72H",
        "on_timeout": "random_move",
        "reserve": "PT24H",
        "quiet_weekends": True,
        "vacation_days": 3,
    }
    game = new_game(host, four, ruleset="pedro", pace=pace)  # a Sunday
    path = f"/v1/games/{game['id']}"
    clock.move(hours=90)  # from Sunday noon: 78 hours of them count, from Monday on
    game = play_on(four, game, 1)
    seat = game["to_act"][0]
    names = ("Anna", "Ben", "Cleo", "Dan")
    vacation = four[seat].post(f"{path}/vacation", {"days": 2})
    assert vacation.status_code == 201, vacation.text
    bid = four[seat].post(f"{path}/moves", {"move": first_move(four[seat], game)}).json["entry"]["seq"]
    assert four[seat].post(f"{path}/take-back").status_code == 201
    for other in (n for n in range(4) if n != seat):
        done = four[other].post(f"{path}/take-back/answer", {"agree": True})
        assert done.status_code == 201, done.text
    assert done.json["entry"]["type"] == "taken_back"
    four[0].post(f"{path}/resignation")
    report = host.get(f"{path}/dispute-report?seat={seat}")
    assert report.status_code == 200
    text = text_of(report.text)
    entries = host.get(f"{path}/events?limit=200").json["items"]
    for known in (game["id"], game["commitment"], entries[-1]["hash"]):
        assert known in text
    assert "Each move had 3 days; a seat whose time was over passed if it could" in text
    assert "Saturdays and Sundays (UTC) did not count." in text
    first = next(entry for entry in entries if entry["type"] == "started")["deadlines"]
    for number, deadline in first.items():
        until = deadline[:19].replace("T", " ")
        assert (
            f"{names[int(number)]} had until {until} UTC: 3 days for the move and 1 day in reserve, "
            "from then, Saturdays and Sundays not counted." in text
        )
    assert "took 6 hours longer than a move has: 18 hours of the reserve remained." in text
    assert f"{names[seat]} took 2 days off, until" in text
    assert "The deadline moved along, to" in text
    assert f"from the end of the days off, {vacation.json['entry']['vacation']['until'][:10]}" in text
    assert f"{names[seat]} asks to take back move {bid}." in text
    assert f"agrees to take back move {bid}." in text
    others = [name for name in names if name != names[seat]]
    assert f"{names[seat]} had asked for and {others[0]}, {others[1]} and {others[2]} agreed to." in text
    assert "It should have been" not in text
    assert not re.search(r"hand\.\d|stock →", text)


def test_a_running_game_has_no_report(host: Caller, four: list[Caller]) -> None:
    game = play_on(four, new_game(host, four[:2]), 2)
    assert host.get(f"/v1/games/{game['id']}/dispute-report").status_code == 409


def test_a_cancelled_game_has_a_report_if_it_had_started(host: Caller, four: list[Caller]) -> None:
    game = play_on(four, new_game(host, four[:2]), 2)
    assert host.post(f"/v1/games/{game['id']}/cancellation").status_code == 201
    report = host.get(f"/v1/games/{game['id']}/dispute-report")
    assert report.status_code == 200, report.text
    assert "The game is called off" in text_of(report.text)
    assert "Everything that can be checked holds." in text_of(report.text)
    waiting = host.post("/v1/games", {"ruleset": "pies", "seats": [{"open": True}] * 4}).json
    assert host.post(f"/v1/games/{waiting['id']}/cancellation").status_code == 201
    assert host.get(f"/v1/games/{waiting['id']}/dispute-report").status_code == 409
