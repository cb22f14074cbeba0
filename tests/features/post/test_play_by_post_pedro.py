"""A game of pedro for four by post, whose players rely only on the inbox and webhooks.

One of them never moves. Their app's server fails, closes connections, and accepts notices twice while
reporting an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import psycopg
import pytest
from flask import Flask

import referee
from api.context import Context
from api.core.config import Settings
from api.features import load_features
from api.store.database.session import Database, Session
from tests.servers.receiver import DROPS, Receiver, deliver, receiving
from tests.support.callers import Caller, Clock, new_game
from tests.support.due_jobs import keep_time

PACE = {"per_move": "PT72H", "on_timeout": "random_move", "warn_before": "PT12H"}
OPTIONS = {"target": 12}
SLEEPER = 3
ANNOUNCED = ("started", "timed_out", "finished")


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Return settings that permit webhooks to internal addresses, where the tests' receiver listens."""
    return replace(settings, allow_private_webhooks=True, webhook_ports=None)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Return a receiver that sometimes fails, never answers, or fails although it accepted the notice."""
    with receiving() as running:

        def behave(n: int) -> int:
            if n % 9 == 0:
                running.received.append(running.requests[-1])  # accepted, and yet:
            return 500 if n % 5 == 0 or n % 9 == 0 else DROPS if n % 41 == 0 else 204

        running.behave = behave
        yield running


@pytest.fixture
def work(app: Flask, clock: Clock, workers_database: Database) -> Iterator[Callable[[], None]]:
    """Do what a worker does at the clock's time."""
    site = app.extensions["card_referee"]
    session = Session(workers_database)
    context = Context(site.settings, session, load_features().hooks, clock)

    def run() -> None:
        keep_time(context)
        deliver(context)

    yield run
    session.close()


def log(caller: Caller, game: dict[str, Any]) -> list[dict[str, Any]]:
    found, after = [], "0"
    while after is not None:
        page = caller.get(f"/v1/games/{game['id']}/events?limit=200&after={after}").json
        found += page["items"]
        after = page["next"]
    return found


def answer(player: Caller) -> int:
    """Read the inbox and make the moves that are due; return their number."""
    waiting = player.get("/v1/me/turns").json["items"]
    for turn in waiting:
        path = f"/v1/games/{turn['game']}"
        legal = player.get(f"{path}/legal-moves?seat={turn['seat']}").json
        assert legal["version"] == turn["version"]
        made = player.post(
            f"{path}/moves", {"move": legal["moves"][-1]}, headers={"If-Match": f'"{turn["version"]}"'}
        )
        assert made.status_code == 201, made.text
    return len(waiting)


def test_a_game_by_inbox_and_webhooks_alone(
    host: Caller,
    four: list[Caller],
    clock: Clock,
    receiver: Receiver,
    work: Callable[[], None],
    sql: psycopg.Connection,
) -> None:
    host.post("/v1/webhooks", {"url": receiver.url})
    game = new_game(host, four, ruleset="pedro", options=OPTIONS, pace=PACE)
    seats = {player.player: seat for seat, player in enumerate(four)}
    read = 0
    for _ in range(3000):
        work()
        new, read = receiver.received[read:], len(receiver.received)
        turns = {
            notice["body"]["data"].get("player") for notice in new if notice["body"]["type"] == "turn.began"
        }
        moved = sum(answer(four[seats[player]]) for player in turns if seats[player] != SLEEPER)
        due = sql.execute(
            "SELECT least((SELECT min(next_at) FROM outbox),"
            " (SELECT min(deadline) FROM turns), (SELECT min(warn_at) FROM turns))"
        ).fetchone()
        if not moved and due[0] is None:
            break
        clock.move(minutes=1)
        if not moved and due[0] > clock.time:
            clock.time = due[0]  # nobody acts until something is due
    over = host.get(f"/v1/games/{game['id']}").json
    assert over["status"] == "finished"

    entries = log(host, game)
    late = [entry for entry in entries if entry["type"] == "timed_out"]
    assert len(late) > 3
    assert {entry["seat"] for entry in late} == {SLEEPER}
    events = receiver.events()
    assert len(receiver.requests) > len(receiver.received) > len(events), (
        "it failed, and accepted some notices twice"
    )

    from_log = [(f"game.{e['type']}", e["seq"]) for e in entries if e["type"] in ANNOUNCED]
    wanted = [f"game.{kind}" for kind in ANNOUNCED]
    assert [(e["type"], e["data"]["version"]) for e in events if e["type"] in wanted] == from_log
    begun = [
        (entry["seq"], int(seat), deadline)
        for entry in entries
        for seat, deadline in entry.get("deadlines", {}).items()
    ]
    received = [e["data"] for e in events if e["type"] == "turn.began"]
    assert [(event["version"], event["seat"], event["deadline"]) for event in received] == begun
    warned = [e["data"]["seat"] for e in events if e["type"] == "turn.warning"]
    assert len(warned) >= len(late)
    versions = [event["data"]["version"] for event in events]
    assert versions == sorted(versions)
    for player in four:
        assert player.get("/v1/me/turns").json["items"] == []
    assert not [seat for seat in over["seats"] if seat["deadline"]]
    for entry in late:
        deadline = next(due for seq, seat, due in reversed(begun) if seat == SLEEPER and seq < entry["seq"])
        assert datetime.fromisoformat(entry["at"]) >= datetime.fromisoformat(deadline)
    assert host.get(f"/v1/games/{game['id']}/verification").json["ok"]
    assert referee.verify(host.get(f"/v1/games/{game['id']}/record").json).ok
