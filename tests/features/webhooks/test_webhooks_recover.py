"""Webhooks recover by themselves when their receiver does, and a refused notice blocks only its game."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from api.context import Context
from api.features.webhooks.deliveries import slots
from tests.servers.receiver import Receiver
from tests.support.callers import Caller, Clock, new_game
from tests.support.due_jobs import keep_time
from tests.support.webhooks import Other, hook, listed, move, receiver, settings

__all__ = ["receiver", "settings"]  # fixtures
GAMES = 9


class Flaky(Other):
    """A receiver that does not work while it is `down`, and never takes notices of the games it `refuses`."""

    def __init__(self) -> None:
        super().__init__()
        self.down = False
        self.refused: list[str] = []
        self.tries = 0
        self.status = self._status

    def _status(self, game: str, version: int) -> int:
        self.tries += game in self.refused
        return 503 if self.down or game in self.refused else 204


def send(context: Context, channel: Other) -> None:
    """Send everything that is due now."""

    async def all_due() -> None:
        webhooks = channel.through(context)
        while runs := webhooks.claim(context, slots(1000)):
            webhooks.record(context, [await webhooks.send(run) for run in runs])

    keep_time(context)
    asyncio.run(all_due())


@pytest.fixture
def flaky() -> Flaky:
    return Flaky()


@pytest.fixture
def webhook(host: Caller, receiver: Receiver) -> dict[str, Any]:
    return hook(host, receiver, include=["entry"], events=["game.moved"])


def fail_for(
    time: timedelta, host: Caller, webhook: dict[str, Any], clock: Clock, context: Context, flaky: Flaky
) -> None:
    """Let all attempts fail for a time, each when all of them are due."""
    end = clock.time + time
    send(context, flaky)
    while clock.time < end:
        due = [each["next_at"] for each in listed(host, webhook) if each["next_at"]]
        clock.time = datetime.fromisoformat(max(due))
        send(context, flaky)


def waiting(host: Caller, webhook: dict[str, Any]) -> int:
    return sum(each["status"] == "pending" for each in listed(host, webhook))


@pytest.mark.parametrize(
    "minutes", [1, pytest.param(5, marks=pytest.mark.long), pytest.param(10, marks=pytest.mark.long)]
)
def test_all_is_delivered_within_a_minute_of_the_recovery(
    host: Caller,
    four: list[Caller],
    webhook: dict[str, Any],
    clock: Clock,
    context: Context,
    flaky: Flaky,
    minutes: int,
) -> None:
    games = [new_game(host, four[:2]) for _ in range(GAMES)]
    flaky.down = True
    for game in games:
        for _ in range(3):
            game = move(four, game)
    for _ in range(minutes * 12):
        send(context, flaky)
        clock.move(seconds=5)
    assert waiting(host, webhook) == 3 * GAMES
    flaky.down = False
    for _ in range(12):
        clock.move(seconds=5)
        send(context, flaky)
    assert waiting(host, webhook) == 0
    for game in games:  # in order
        versions = [version for of, version in flaky.received if of == game["id"]]
        assert versions == sorted(set(versions))
        assert len(versions) == 3


def test_one_success_makes_all_due_after_a_long_outage(
    host: Caller, four: list[Caller], webhook: dict[str, Any], clock: Clock, context: Context, flaky: Flaky
) -> None:
    games = [new_game(host, four[:2]) for _ in range(GAMES)]
    flaky.down = True
    for game in games:
        move(four, game)
    fail_for(timedelta(hours=1), host, webhook, clock, context, flaky)
    flaky.down = False
    clock.move(minutes=1)
    send(context, flaky)
    assert waiting(host, webhook) == GAMES  # their next attempts are minutes away
    move(four, new_game(host, four[:2]))
    send(context, flaky)
    assert waiting(host, webhook) == 0


def test_a_notice_that_is_always_refused_blocks_only_its_game_and_is_tried_for_a_day(
    host: Caller, four: list[Caller], webhook: dict[str, Any], clock: Clock, context: Context, flaky: Flaky
) -> None:
    refused = new_game(host, four[:2])
    flaky.refused = [refused["id"]]
    move(four, refused)
    for hour in range(25):
        move(four, new_game(host, four[:2]))
        for _ in range(2):
            send(context, flaky)
            clock.move(minutes=30)
        assert waiting(host, webhook) == 1, hour
    assert 20 < flaky.tries < 120
