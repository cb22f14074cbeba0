"""Games of installed ruleset packages, over HTTP."""

from __future__ import annotations

from typing import Any

import httpx

from tests.servers.serving import TIMEOUT, Server


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
