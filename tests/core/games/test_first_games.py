"""Two games on a real server process, by a client that only makes legal moves, replayed offline."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.servers.serving import TIMEOUT, Server


@pytest.mark.parametrize(("ruleset", "seats"), [("cats_and_dogs", 3), ("pies", 4)])
def test_a_game_from_an_empty_database_to_its_record(
    server: Server, tmp_path: Path, ruleset: str, seats: int
) -> None:
    with httpx.Client(base_url=server.url, timeout=TIMEOUT) as http:

        def call(method: str, path: str, token: str, body: Any = None) -> Any:
            answer = http.request(method, path, json=body, headers={"Authorization": f"Bearer {token}"})
            assert answer.status_code in (200, 201), answer.text
            return answer.json()

        players = [call("POST", "/v1/players", server.key, {"name": f"P{n}"})["id"] for n in range(seats)]
        tokens = [call("POST", f"/v1/players/{p}/tokens", server.key, {})["token"] for p in players]
        wanted = {"ruleset": ruleset, "seats": [{"open": True}] * seats}
        if ruleset == "pies":
            wanted["options"] = {"move_limit": 200}
        game = call("POST", "/v1/games", server.key, wanted)
        path = f"/v1/games/{game['id']}"
        for n, token in enumerate(tokens):
            game_now = call("PUT", f"{path}/seats/{n}", token, {"invite": game["seats"][n]["invite"]})
        shown = game_now
        while shown["status"] == "running":
            seat = shown["to_act"][0]
            moves = call("GET", f"{path}/legal-moves", tokens[seat])["moves"]
            shown = call("POST", f"{path}/moves", tokens[seat], {"move": moves[-1]})["game"]
        record = call("GET", f"{path}/record", tokens[0])
        final = call("GET", path, tokens[0])["view"]
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record))
    replayed = subprocess.run(
        [sys.executable, "-c", "from referee.cli import main; main()", "replay", str(file)],
        capture_output=True,
        text=True,
        check=True,
        timeout=TIMEOUT,
    )
    last = json.loads(replayed.stdout)
    assert last["result"] == shown["result"] == record["result"]
    for zone, cards in final["zones"].items():
        there = last["position"]["zones"][zone]
        assert cards in (there, {"count": len(there)})
    assert last["position"]["scores"] == final["scores"]
