"""`referee-api demo`: a game of bots against a running server, and links to watch, replay and verify it."""

from __future__ import annotations

import time
from typing import Any

import requests

import referee
from api.core.asking import Server
from api.core.config import StartError

# For rulesets with one of these options, because random moves may take very long to finish a game.
LIMITS, LIMIT = ("move_limit", "turn_limit"), 200
LOOKS = 300  # attempts, one each second, because the worker plays the rest of a long game


def run(url: str, key: str, ruleset: str) -> None:
    """Let bots play a public game of `ruleset`, verify its record, print links. Raises StartError."""
    url = url.rstrip("/")
    try:
        with Server(url, key) as server:
            game = _start(server, ruleset)
            print(f"watch    {url}/table/{game['id']}", flush=True)
            _finish(server, game)
            record = server.ask("GET", f"/v1/games/{game['id']}/record")
    except requests.RequestException as error:
        raise StartError(f"No Card Referee server answers at {url} ({error}); is `serve` running?") from None
    print(f"replay   {url}/table/{game['id']}#version=1")
    print(f"record   {url}/v1/games/{game['id']}/record")
    print(f"verify   {url}/v1/games/{game['id']}/verification")
    print(f"offline  curl -s {url}/v1/games/{game['id']}/record | referee verify -")
    _verify(record)


def _start(server: Server, ruleset: str) -> dict[str, Any]:
    rules = server.ask("GET", f"/v1/rulesets/{ruleset}")
    seats = min(4, rules["seats"][-1])
    print(f"{rules['name']}: {seats} bots play", flush=True)
    request = {
        "ruleset": ruleset,
        "options": {name: LIMIT for name in LIMITS if name in rules["options"]["properties"]},
        "visibility": "public",
        "seats": [{"bot": "random"}] * seats,
    }
    return server.ask("POST", "/v1/games", json=request)


def _finish(server: Server, game: dict[str, Any]) -> None:
    for _ in range(LOOKS):
        game = server.ask("GET", f"/v1/games/{game['id']}")
        if game["status"] != "running":
            print(f"{game['status']} at version {game['version']}: {game['result']}")
            return
        time.sleep(1)
    raise StartError(f"The game is still going on at version {game['version']}; is the worker running?")


def _verify(record: dict[str, Any]) -> None:
    report = referee.verify(record)
    failed = [f"{check.name} ({check.detail})" for check in report.checks if not check.ok]
    if failed:
        raise StartError(f"The record does not verify: {', '.join(failed)}.")
    print(f"verified here: all {len(report.checks)} checks of {len(record['entries'])} entries hold")
