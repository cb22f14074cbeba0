"""Games whose ruleset is not installed any more: listed and readable, but not played."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.servers.outside import ROOT, install, path_with, referee, source
from tests.servers.serving import TIMEOUT, Server, free_directory, run, serve
from tests.support.packages import play

# Each starts whole servers or commands.
pytestmark = pytest.mark.long


def started(server: Server) -> dict[str, Any]:
    """Start a game and return it."""
    with httpx.Client(base_url=server.url, timeout=TIMEOUT) as http:
        headers = {"Authorization": f"Bearer {server.key}"}
        player = http.post("/v1/players", json={"name": "Ana"}, headers=headers).json()["id"]
        seats = [{"player": player}, {"player": player}]
        game = {"ruleset": "high_card", "seats": seats}
        return http.post("/v1/games", json=game, headers=headers).json()


def wait_for_line(server: Server, *words: str) -> None:
    """Wait until the server has logged a line with these words; the worker starts after the web server."""
    end = time.monotonic() + TIMEOUT
    while not any(all(word in line for word in words) for line in server.errors):
        assert time.monotonic() < end, server.errors
        time.sleep(0.1)


def test_games_of_a_missing_ruleset_are_listed_and_readable(tmp_path: Path):
    folder = install(tmp_path / "plugins", source())
    with free_directory() as data_dir:
        with serve(data_dir, PYTHONPATH=path_with(folder), COMPUTE_WORKERS="0") as server:
            finished, running, key = play(server, "high_card", 2), started(server), server.key
        with serve(data_dir, PYTHONPATH=str(ROOT), COMPUTE_WORKERS="0") as server:
            wait_for_line(server, "high_card", "not installed")
            with httpx.Client(
                base_url=server.url, timeout=TIMEOUT, headers={"Authorization": f"Bearer {key}"}
            ) as http:
                path = f"/v1/games/{running['id']}"
                pies = http.post("/v1/games", json={"ruleset": "pies", "seats": [{"bot": "random"}] * 4})
                assert pies.status_code == 201
                listed = {game["id"]: game for game in http.get("/v1/games").json()["items"]}
                assert listed[running["id"]]["ruleset_installed"] is False
                assert "ruleset_installed" not in listed[pies.json()["id"]]
                shown = http.get(path)
                assert shown.status_code == 200, shown.text
                assert shown.json()["view"] is None
                assert shown.json()["to_act"] == running["to_act"]
                events = http.get(f"{path}/events")
                assert [entry["type"] for entry in events.json()["items"]][-1] == "started"
                assert http.get("/v1/events").status_code == 200
                for game_id in (game["id"] for game in listed.values() if game["ruleset"] == "high_card"):
                    record = http.get(f"/v1/games/{game_id}/record")
                    assert record.status_code == 200, record.text
                    if record.json()["result"]:
                        whole, ended = record.json(), game_id
                assert whole["moves"] == finished["moves"]
                refused = [
                    http.post(f"{path}/moves", json={"move": {"type": "play", "card": "9D"}, "seat": 0}),
                    http.get(f"{path}/legal-moves?seat=0"),
                    http.post(f"{path}/resignation", json={"seat": 0}),
                    http.get(f"{path}/verification"),
                    http.get(f"/v1/games/{ended}?version=5"),
                ]
                for answer in refused:
                    assert (answer.status_code, answer.json()["type"]) == (
                        409, "/problems/ruleset-not-installed",
                    ), answer.text  # fmt: skip
                assert http.patch(path, json={"title": "Left over"}).json()["title"] == "Left over"
                unread = http.get(path).headers["ETag"]
        (tmp_path / "record.json").write_text(json.dumps(whole))
        assert referee(folder, "verify", str(tmp_path / "record.json")).returncode == 0
        with serve(data_dir, PYTHONPATH=path_with(folder), COMPUTE_WORKERS="0") as server:
            headers = {"Authorization": f"Bearer {key}", "If-None-Match": unread}
            back = httpx.get(
                f"{server.url}/v1/games/{running['id']}", headers=headers, timeout=TIMEOUT
            ).json()
            assert back["view"] is not None
            assert "ruleset_installed" not in back


@pytest.mark.parametrize("command", ["serve", "web", "worker", "migrate"])
def test_nothing_starts_with_a_ruleset_that_cannot_be_loaded(tmp_path: Path, command: str):
    folder = install(tmp_path, source(('"leader": "seat"', '"leader": "saet"')))
    with free_directory() as data_dir:
        done = run(command, "--data-dir", data_dir, PYTHONPATH=f"{folder}{os.pathsep}{ROOT}")
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "the ruleset high_card (high_card) cannot be loaded" in done.stderr
    assert "'saet'" in done.stderr
