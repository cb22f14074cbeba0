"""A server that was killed and came back after more than a minute has given the time to every clock."""

from __future__ import annotations

import signal
import time
from datetime import datetime

import httpx
import psutil
import pytest

from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, free_directory, serve

pytestmark = pytest.mark.long
DOWN = 63.0  # seconds


def test_games_survive_the_death_of_a_server_over_their_deadlines() -> None:
    with free_directory() as directory:
        with serve(directory) as server:
            headers = {"Authorization": f"Bearer {server.key}"}
            api = httpx.Client(base_url=server.url, headers=headers, timeout=TIMEOUT)
            players = [api.post("/v1/players", json={"name": name}).json()["id"] for name in ("Anna", "Ben")]
            seats = [{"player": player} for player in players]
            games = []
            for number in range(20):
                pace = {"per_move": f"PT{30 + number}S", "on_timeout": "resign"}
                body = {"ruleset": "cats_and_dogs", "seats": seats, "pace": pace}
                games.append(api.post("/v1/games", json=body).json()["id"])
            time.sleep(7)  # until the server has written that it is up
            for process in [*psutil.Process(server.process.pid).children(recursive=True), server.process]:
                process.send_signal(signal.SIGKILL)
        time.sleep(DOWN)
        with serve(directory) as server:
            api = httpx.Client(base_url=server.url, headers=headers, timeout=TIMEOUT)

            def entries(game: str) -> list[dict[str, object]]:
                items: list[dict[str, object]] = api.get(f"/v1/games/{game}/events").json()["items"]
                return [entry for entry in items if entry["type"] == "time_returned"]

            assert eventually(lambda: all(entries(game) for game in games))
            for game in games:
                [entry] = entries(game)
                since, until = (datetime.fromisoformat(str(entry[name])) for name in ("since", "at"))
                assert DOWN - 1 < (until - since).total_seconds() < DOWN + TIMEOUT
                shown = api.get(f"/v1/games/{game}").json()
                assert shown["status"] == "running"
                assert api.get(f"/v1/games/{game}/verification").json()["ok"]
