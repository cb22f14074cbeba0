"""Processes that have copies of a game answer as one that reads its row every time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from werkzeug.test import TestResponse

from api.app import create_app
from api.core.config import Settings
from tests.support.callers import Caller, Clock, new_game

At = Callable[[Caller], Caller]
PACE = {"per_move": "P3D", "on_timeout": "random_move", "vacation_days": 5}
VIEWS = ("", "/legal-moves", "?version=3")
REQUESTS: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/messages", {"text": "Good luck"}),
    ("POST", "/pause", {}),
    ("POST", "/resumption", {}),
    ("POST", "/vacation", {"days": 1}),
    ("POST", "/take-back", {}),
    ("POST", "/take-back/answer", {"agree": True}),
    ("POST", "/nudges", {}),
    ("PUT", "/orders", {"orders": [{"move": {"type": "pass"}}]}),
    ("DELETE", "/orders", None),
    ("PUT", "/automatic", {"only_move": True}),
    ("PUT", "/seats/1/player", {"bot": "random"}),
    ("PUT", "/seats/0", {}),
    ("PATCH", "", {"title": "Final"}),
    ("PATCH", "", {"metadata": {"round": "2"}}),
    ("POST", "/clocks/undone-timeout", None),
    ("POST", "/clocks/time", {"seat": 0, "length": "P1D"}),
    ("POST", "/moves", {"move": {"type": "unknown"}}),
)


@pytest.fixture
def without_copies(settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[At]:
    app = create_app(settings, clock=clock)
    database = app.extensions["card_referee"].database
    monkeypatch.setattr(database.copies, "take", lambda game_id: None)
    yield lambda caller: replace(caller, app=app)
    database.close()


def said(answer: TestResponse) -> tuple[Any, ...]:
    return answer.status_code, answer.headers.get("ETag"), answer.data


@pytest.mark.parametrize("ruleset", ["cats_and_dogs", "landlord"])
def test_copies_change_no_answer(
    host: Caller,
    four: list[Caller],
    new_key: Callable[..., Caller],
    elsewhere: At,
    without_copies: At,
    clock: Clock,
    ruleset: str,
) -> None:
    """Whoever asks which process, whatever was changed at another one, refused, or repeated with its key."""
    chance = random.Random(ruleset)
    made = new_game(host, four, ruleset=ruleset, pace=PACE, visibility="private")
    path, processes = f"/v1/games/{made['id']}", (lambda caller: caller, elsewhere)
    callers = [*four, host, new_key("stranger", "read", "write")]
    for number in range(50):
        who = chance.choice(callers)
        method, rest, body = chance.choice(REQUESTS)
        if chance.random() < 0.5:
            game: Any = without_copies(host).get(path).json
            seat = game["to_act"][0]
            listed: Any = without_copies(host).get(f"{path}/legal-moves?seat={seat}").json
            method, rest, who = "POST", "/moves", host
            body = {"seat": seat, "move": chance.choice(listed["moves"])}
        key = {"Idempotency-Key": str(number)} if method == "POST" else {}
        done = chance.choice(processes)(who)(method, path + rest, body, headers=key)
        if done.status_code >= 400 or (key and number % 4 == 0):  # which leaves no old copy anywhere
            for at in (without_copies, *processes):
                assert said(at(who)(method, path + rest, body, headers=key)) == said(done), (rest, body)
        clock.move(hours=chance.choice([0, 0, 0, 1, 30]))
        viewer, view = chance.choice(callers), path + chance.choice(VIEWS)
        expected = said(without_copies(viewer).get(view))
        assert said(chance.choice(processes)(viewer).get(view)) == expected, (rest, view)
