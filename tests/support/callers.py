"""Callers of the service, the clock that a test sets, and games that callers create and play."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from api.app import create_app
from tests.support.contract import check

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Clock:
    """The time of the service, which a test sets."""

    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        return self.time

    def move(self, **by: float) -> None:
        self.time += timedelta(**by)


@dataclass(frozen=True)
class Caller:
    """A caller with or without a token; every answer is checked against the specification."""

    app: Flask
    token: str | None = None
    player: str | None = None

    def __call__(
        self, method: str, path: str, json: Any = None, *, headers: dict[str, str] | None = None, **more: Any
    ) -> TestResponse:
        sent = dict(headers or {})
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        if json is not None:
            more["json"] = json
        response = self.app.test_client().open(path, method=method, headers=sent, **more)
        check(method, path.partition("?")[0], response)
        return response

    def get(self, path: str, **more: Any) -> TestResponse:
        return self("GET", path, **more)

    def post(self, path: str, json: Any = None, **more: Any) -> TestResponse:
        return self("POST", path, {} if json is None else json, **more)

    def put(self, path: str, json: Any = None, **more: Any) -> TestResponse:
        return self("PUT", path, {} if json is None else json, **more)

    def delete(self, path: str, **more: Any) -> TestResponse:
        return self("DELETE", path, **more)


def new_game(host: Caller, players: list[Caller], ruleset: str = "cats_and_dogs", **more: Any) -> Any:
    """Return a function that creates a started game of these players."""
    seats = [{"player": player.player} for player in players]
    made = host.post("/v1/games", {"ruleset": ruleset, "seats": seats, **more})
    assert made.status_code == 201, made.text
    return made.json


def first_move(player: Caller, game: dict[str, Any]) -> dict[str, Any]:
    """Return the first of a player's legal moves."""
    move: dict[str, Any] = player.get(f"/v1/games/{game['id']}/legal-moves").json["moves"][0]
    return move


def play_on(players: list[Caller], game: dict[str, Any], moves: int = 10_000) -> Any:
    """Play the first legal move repeatedly, up to a number of moves, and return the game."""
    for _ in range(moves):
        if game["status"] != "running":
            break
        mover = players[game["to_act"][0]]
        done = mover.post(f"/v1/games/{game['id']}/moves", {"move": first_move(mover, game)})
        assert done.status_code == 201, done.text
        game = done.json["game"]
    return game


def log(caller: Caller, game: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the game's log, as the caller sees it."""
    items: list[dict[str, Any]] = caller.get(f"/v1/games/{game['id']}/events?limit=200").json["items"]
    return items


def variant(app: Flask, **changes: Any) -> Flask:
    """Return the same application with other settings."""
    settings = replace(app.extensions["card_referee"].settings, **changes)
    return create_app(settings, clock=Clock())
