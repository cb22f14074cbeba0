"""Digests at night, when clocks go forward or back: one for each of the player's days."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from api.context import Context
from api.features.mail.preferences import Preferences
from tests.mailbox import Mailbox
from tests.support.callers import Caller, Clock, new_game
from tests.support.mailing import anna as anna
from tests.support.mailing import mailbox as mailbox
from tests.support.mailing import prefer, work
from tests.support.mailing import settings as settings
from tests.support.mailing import smtp as smtp

STEP = timedelta(minutes=30)


@pytest.mark.parametrize(
    ("zone", "digest_at", "sent"),
    [
        # Forward: the hour does not exist; the digest comes as long after midnight as on other days.
        ("Europe/Berlin", "02:30", ["2026-03-28T01:30Z", "2026-03-29T01:30Z", "2026-03-30T00:30Z"]),
        ("Europe/Lisbon", "01:30", ["2026-03-28T01:30Z", "2026-03-29T01:30Z", "2026-03-30T00:30Z"]),
        # Back: the hour occurs twice; the digest comes in the first one.
        ("Europe/Berlin", "02:30", ["2026-10-24T00:30Z", "2026-10-25T00:30Z", "2026-10-26T01:30Z"]),
        ("Europe/Lisbon", "01:30", ["2026-10-24T00:30Z", "2026-10-25T00:30Z", "2026-10-26T01:30Z"]),
    ],
)
def test_there_is_one_digest_a_day_when_clocks_change(
    host: Caller,
    four: list[Caller],
    anna: Caller,
    mailbox: Mailbox,
    context: Context,
    clock: Clock,
    zone: str,
    digest_at: str,
    sent: list[str],
) -> None:
    """There is something to report for every half hour of these nights."""
    prefer(anna, frequency="daily", mail=["game.said"], time_zone=zone, digest_at=digest_at)
    game = new_game(host, [anna, four[1]])
    found = []
    for morning in map(datetime.fromisoformat, sent):
        clock.time = morning.replace(hour=0, minute=0) - STEP
        for _ in range(6):  # until half past two
            clock.time += STEP
            work(context)
            found += [clock.time] * len(mailbox.mails)
            mailbox.mails.clear()
            said = four[1].post(f"/v1/games/{game['id']}/messages", {"text": f"At {clock.time}"})
            assert said.status_code == 201
    # What happens before the first of these digests comes with it, and the rest with the next one.
    assert found == [datetime.fromisoformat(at) for at in sent]


def test_a_deadline_in_an_hour_that_comes_twice_says_which_one() -> None:
    there = Preferences(time_zone="Europe/Berlin")
    summer, winter = (datetime.fromisoformat(f"2026-10-25T0{hour}:30Z") for hour in (0, 1))
    assert there.local(summer) == "Sunday, 25 October 2026, 02:30 CEST (Europe/Berlin)"
    assert there.local(winter) == "Sunday, 25 October 2026, 02:30 CET (Europe/Berlin)"
    assert there.local(winter + timedelta(hours=1)) == "Sunday, 25 October 2026, 03:30 (Europe/Berlin)"


def test_what_happens_in_the_hour_after_clocks_went_forward_comes_the_same_day(
    host: Caller, four: list[Caller], anna: Caller, mailbox: Mailbox, context: Context, clock: Clock
) -> None:
    """The digest comes at 02:30, which is 03:30 on that day, so at 03:10 it is still to come."""
    zone = "Europe/Berlin"
    prefer(anna, frequency="daily", mail=["game.said"], time_zone=zone, digest_at="02:30")
    game = new_game(host, [anna, four[1]])
    clock.time = datetime.fromisoformat("2026-03-29T01:10Z")
    four[1].post(f"/v1/games/{game['id']}/messages", {"text": "Good morning"})
    work(context)
    assert mailbox.mails == []
    clock.move(minutes=20)
    work(context)
    assert "There is a new message" in mailbox.text()
