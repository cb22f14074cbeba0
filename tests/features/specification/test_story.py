"""A first game, told in the calls whose bodies are the examples of the specification."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from api.app import create_app
from api.core.config import Settings
from tests.support.callers import Caller, Clock, first_move
from tests.support.draws import WORDS, committed, made, reveal
from tests.support.witnesses import VKEYS, cosigned_by

PACE = {"per_move": "PT72H", "on_timeout": "resign", "warn_before": "PT12H"}


@pytest.fixture
def app(settings: Settings, clock: Clock) -> Iterator[Flask]:
    """Return the application with three witnesses."""
    made = create_app(replace(settings, witnesses=tuple(VKEYS)), clock=clock)
    yield made
    made.extensions["card_referee"].database.close()


def does(caller: Caller, method: str, path: str, body: Any = None) -> Any:
    done = caller(method, path, body)
    assert done.status_code < 300, done.text
    return done.json


def test_a_game_from_its_first_entry_to_its_proof(
    host: Caller,
    auditor: Caller,
    four: list[Caller],
    anyone: Caller,
    clock: Clock,
    worker: Callable[[], None],
) -> None:
    hook = does(host, "POST", "/v1/webhooks", {"url": "https://example.org/hook", "events": ["turn.began"]})
    seats = [{"player": player.player} for player in four[:2]]
    game = does(
        host,
        "POST",
        "/v1/games",
        {"ruleset": "cats_and_dogs", "seats": seats, "pace": PACE, "title": "Final"},
    )
    path = f"/v1/games/{game['id']}"
    for _ in range(3):
        clock.move(minutes=7)
        mover = four[game["to_act"][0]]
        does(mover, "GET", "/v1/me/turns")
        move = {"move": first_move(mover, game)}
        does(mover, "POST", f"{path}/moves/dry-run", move)
        game = does(mover, "POST", f"{path}/moves", move)["game"]
    waiting = four[game["to_act"][0]]
    refused = waiting.post(f"{path}/moves", {"move": {"type": "play", "card": move["move"]["card"]}})
    assert refused.json["verdict"]["rule"]
    late = waiting.post(f"{path}/moves", move, headers={"If-Match": '"2"'})
    assert late.json["version"] == game["version"]
    does(four[0], "POST", f"{path}/messages", {"text": "Good luck!"})
    does(four[1], "GET", "/v1/me")
    does(auditor, "GET", path)
    does(host, "GET", "/v1/events?limit=3")
    does(host, "GET", "/v1/games?limit=1")
    does(waiting, "POST", f"{path}/resignation", {})
    does(four[0], "POST", f"{path}/messages", {"text": "Well played"})
    does(four[0], "GET", f"{path}/messages")
    worker()
    note = anyone.get("/v1/log/checkpoint").text
    does(host, "PUT", "/v1/log/cosignatures", {"checkpoint": cosigned_by(note, 1, 3)})
    for rest in ("", "/events?after=2&limit=2", "/record", "/bundle", "/verification"):
        does(host, "GET", f"{path}{rest}")
    assert host.get(f"{path}/dispute-report?seat=1").mimetype == "text/html"
    assert anyone.get("/openapi.yaml").status_code == 200
    does(host, "GET", f"/v1/webhooks/{hook['id']}/deliveries")


def test_questions_to_the_referee(host: Caller, auditor: Caller, four: list[Caller], anyone: Caller) -> None:
    seats = [{"player": four[0].player}, {"bot": "random"}]
    game = does(host, "POST", "/v1/games", {"ruleset": "cats_and_dogs", "seats": seats})
    does(four[0], "GET", f"/v1/games/{game['id']}/suggestion")
    position = does(auditor, "GET", f"/v1/games/{game['id']}")["view"]
    question = {"position": position, "seat": 0}
    listed = does(anyone, "POST", "/v1/referee/legal-moves", question)
    does(anyone, "POST", "/v1/referee/verdicts", {**question, "move": listed["moves"][0]})
    does(anyone, "POST", "/v1/referee/suggestions", question)
    view = does(four[0], "GET", f"/v1/games/{game['id']}")["view"]
    does(anyone, "POST", "/v1/referee/samples", {"view": view})
    does(anyone, "GET", "/v1/rulesets")
    does(anyone, "GET", "/healthz")


def test_a_deal_that_both_seats_decide(host: Caller, four: list[Caller]) -> None:
    game = made(host, committed(four[:2]), entropy="commit")
    for player, words in zip(four, WORDS[:2], strict=False):
        assert reveal(player, game, words).status_code < 300
    agreed = {"ending": "cancellation"}
    does(four[0], "POST", f"/v1/games/{game['id']}/ending", agreed)
