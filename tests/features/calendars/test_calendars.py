"""Calendars of deadlines as calendar programs read them: changed, unchanged and empty ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from flask import Flask
from icalendar import Calendar

from api.core.config import Settings
from tests.support.callers import Caller, Clock, new_game
from tests.support.mailing import PACE, SITE, play


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, public_url=SITE)


def read(app: Flask, player: Caller) -> Calendar:
    """Return the calendar at a player's address."""
    address = player.get("/v1/me/calendar").json["url"].removeprefix(SITE)
    found = Calendar.from_ical(app.test_client().get(address).data)
    assert isinstance(found, Calendar)
    assert found.errors == []
    assert found.subcomponents, "RFC 5545, 3.6: at least one component"
    return found


def events(app: Flask, player: Caller) -> list[Any]:
    return read(app, player).walk("VEVENT")


def test_a_calendar_without_deadlines_has_a_component_that_shows_nothing(
    app: Flask, host: Caller, four: list[Caller]
) -> None:
    four[0].put("/v1/me/calendar")
    (zone,) = read(app, four[0]).subcomponents
    assert (zone.name, zone["TZID"]) == ("VTIMEZONE", "Etc/UTC")
    assert zone.to_tz().utcoffset(datetime(2026, 7, 1)).total_seconds() == 0
    game = new_game(host, four[:2], pace=PACE)
    four[game["to_act"][0]].put("/v1/me/calendar")
    assert [each.name for each in read(app, four[game["to_act"][0]]).subcomponents] == ["VEVENT"]


def test_a_deadline_that_moves_is_a_newer_version_of_the_same_event(
    app: Flask, host: Caller, four: list[Caller], clock: Clock
) -> None:
    game = new_game(host, four[:2], pace={**PACE, "vacation_days": 20})
    mover = four[game["to_act"][0]]
    mover.put("/v1/me/calendar")
    (before,) = events(app, mover)
    assert events(app, mover) == [before], "nothing has changed"
    assert before["LAST-MODIFIED"].dt == before["DTSTAMP"].dt == clock.time
    clock.move(hours=1)
    taken = mover.post(f"/v1/games/{game['id']}/vacation", {"days": 3})
    assert taken.status_code in (200, 201), taken.text
    (after,) = events(app, mover)
    assert after["UID"] == before["UID"]
    assert after["DTSTART"].dt > before["DTSTART"].dt
    assert after["SEQUENCE"] > before["SEQUENCE"]
    assert after["LAST-MODIFIED"].dt == after["DTSTAMP"].dt == clock.time


def test_each_turn_of_a_seat_is_an_event_of_its_own(
    app: Flask, host: Caller, four: list[Caller], clock: Clock
) -> None:
    game = new_game(host, four[:2], pace=PACE)
    found = []
    for player in four[:2]:
        player.put("/v1/me/calendar")
    for _ in range(3):
        clock.move(hours=1)
        game = play(four[:2], game)
        found += [event["UID"] for player in four[:2] for event in events(app, player)]
    assert len(set(found)) == len(found) == 3
    assert all(str(uid).startswith(game["id"]) and str(uid).endswith("@cards.example.org") for uid in found)


def test_deadlines_by_a_test_clock_are_in_no_calendar(host: Caller, four: list[Caller], app: Flask) -> None:
    path = host.post("/v1/test-clocks", {"time": "2030-01-01T00:00:00Z"}).json["id"]
    game = new_game(host, four[:2], test_clock=path, pace={"per_move": "P1D"})
    real = new_game(host, four[:2], pace={"per_move": "P1D"})
    for player in four[:2]:
        assert player.put("/v1/me/calendar").status_code == 200
        shown = [str(event["url"]) for event in events(app, player)]
        assert not any(game["id"] in url for url in shown)
    assert any(real["id"] in str(event["url"]) for player in four[:2] for event in events(app, player))


def test_a_calendar_lists_deadlines_at_a_secret_address(host: Caller, four: list[Caller], app: Flask) -> None:
    anna = four[0]
    assert anna.get("/v1/me/calendar").json == {"url": None}
    url = anna.put("/v1/me/calendar").json["url"]
    assert anna.get("/v1/me/calendar").json == {"url": url}
    game = new_game(host, [anna, four[1]], pace=PACE, title="Ben, Cy; and me")
    if game["to_act"] != [0]:
        game = play([anna, four[1]], game)
    new_game(host, [anna, four[1]])  # without deadlines
    path = url.removeprefix(SITE)
    read = app.test_client().get(path)
    assert (read.status_code, read.mimetype) == (200, "text/calendar")
    (event,) = Calendar.from_ical(read.data).walk("VEVENT")
    assert event["DTSTART"].dt.strftime("%Y-%m-%dT%H:%M:%S.%fZ") == game["seats"][0]["deadline"]
    assert event["UID"].startswith(f"{game['id']}-0-")
    assert event["UID"].endswith("@cards.example.org")
    assert event["SUMMARY"] == "Cats and Dogs “Ben, Cy; and me”: your time ends"
    while game["to_act"] == [0]:  # also if she has won the trick
        game = play([anna, four[1]], game)
    assert Calendar.from_ical(app.test_client().get(path).data).walk("VEVENT") == []
    newer = anna.put("/v1/me/calendar").json["url"].removeprefix(SITE)
    assert app.test_client().get(path).status_code == 404, "the old address no longer works"
    assert app.test_client().get(newer).status_code == 200
    assert anna.delete("/v1/me/calendar").status_code == 204
    for each in (newer, "/calendar/x.ics", newer.replace("/calendar/", "/calendar/A")):
        assert app.test_client().get(each).status_code == 404
