"""Rulesets of `tests/packages`, registered in this process or installed, and games of them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from referee.engine import registry
from tests.servers.serving import TIMEOUT, Server

PACKAGES = Path(__file__).parents[1] / "packages"
RULES = PACKAGES.parents[1] / "referee" / "games" / "rules"
RELEASED = sorted(path.stem for path in RULES.glob("*.sha256"))
"""The games whose fingerprints are kept."""


@contextmanager
def registered(folder: str, name: str) -> Iterator[Any]:
    """Make the ruleset of a folder in `tests/packages` available, and take it away again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PACKAGES / folder)
        patch.setattr(registry, "_BY_ID", dict(registry._BY_ID))
        patch.setattr(registry, "_VERSIONS", dict(registry._VERSIONS))
        module = importlib.import_module(name)
        registry.register(module)
        yield module


def play(server: Server, ruleset: str, seats: int) -> dict[str, Any]:
    """Play a game over HTTP with the listed legal moves; return its record."""
    with httpx.Client(base_url=server.url, timeout=TIMEOUT) as http:

        def call(method: str, path: str, token: str, body: Any = None) -> Any:
            answer = http.request(method, path, json=body, headers={"Authorization": f"Bearer {token}"})
            assert answer.status_code in (200, 201), answer.text
            return answer.json()

        players = [call("POST", "/v1/players", server.key, {"name": f"P{n}"})["id"] for n in range(seats)]
        tokens = [call("POST", f"/v1/players/{p}/tokens", server.key, {})["token"] for p in players]
        game = call("POST", "/v1/games", server.key, {"ruleset": ruleset, "seats": [{"open": True}] * seats})
        path = f"/v1/games/{game['id']}"
        for n, token in enumerate(tokens):
            shown = call("PUT", f"{path}/seats/{n}", token, {"invite": game["seats"][n]["invite"]})
        while shown["status"] == "running":
            seat = shown["to_act"][0]
            moves = call("GET", f"{path}/legal-moves", tokens[seat])["moves"]
            shown = call("POST", f"{path}/moves", tokens[seat], {"move": moves[-1]})["game"]
        record: dict[str, Any] = call("GET", f"{path}/record", tokens[0])
    return record
