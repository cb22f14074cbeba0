"""Games whose seats commit to their entropy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import pytest
from flask import Flask

import referee
from api.context import Context
from api.features import load_features
from api.store.database.session import Database, Session
from tests.support.callers import Caller, Clock, log
from tests.support.due_jobs import keep_time
from tests.support.node import ask, failures

WORDS = ["anna's own words", "ben's", "cleo's: ünï", "dan's"]


def hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def committed(players: list[Caller]) -> list[dict[str, Any]]:
    return [{"player": p.player, "commitment": hashed(w)} for p, w in zip(players, WORDS, strict=False)]


def made(host: Caller, seats: list[dict[str, Any]], **more: Any) -> Any:
    wanted = {"ruleset": "cats_and_dogs", "seats": seats, **more}
    answer = host.post("/v1/games", wanted)
    assert answer.status_code == 201, answer.text
    return answer.json


def reveal(player: Caller, game: dict[str, Any], words: str, **more: Any) -> Any:
    return player.post(f"/v1/games/{game['id']}/entropy", {"entropy": words, **more})


def kinds(caller: Caller, game: dict[str, Any]) -> list[str]:
    return [entry["type"] for entry in log(caller, game)]


def checked(caller: Caller, game: dict[str, Any], *, page: bool = False) -> dict[str, Any]:
    """Return a game's record after all verifiers accepted it (optionally also the slower one in the page)."""
    record: dict[str, Any] = caller.get(f"/v1/games/{game['id']}/record").json
    report = referee.verify(record)
    assert report.ok, report
    assert not page or failures(*ask([record])) == {}
    verification = caller.get(f"/v1/games/{game['id']}/verification").json
    assert verification["ok"], verification
    return record


@pytest.fixture
def worker(app: Flask, clock: Clock, workers_database: Database) -> Iterator[Callable[[], None]]:
    """Do everything due at the clock's time."""
    site = app.extensions["card_referee"]
    session = Session(workers_database)
    yield lambda: keep_time(Context(site.settings, session, load_features().hooks, clock))
    session.close()
