"""Write a database of the newest schema with a few games, and what callers saw of it, for tests of upgrades.

Run it at the release that is to be upgraded, before another migration is added:

    DUMP=tests/migrations/0041 python -m pytest tests/migrations/dump.py

It writes `0041.sql.gz`, the whole database as SQL, and `0041.json.gz`: tokens, and requests with the first
answers to them.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from api.core.config import Settings, libpq
from api.run.embedded.postgres import Postgres
from tests.support.callers import Caller, first_move, new_game
from tests.support.service import *  # noqa: F403  # the fixtures

PACE = {"per_move": "PT72H", "on_timeout": "resign"}
LABELS = {"title": "Final", "external_id": "final-1", "metadata": {"club": "north"}}


class Recorder:
    """Callers by name, and their requests with an Idempotency-Key, each with its first answer."""

    def __init__(self, callers: dict[str, Caller]) -> None:
        self.callers = callers
        self.requests: list[dict[str, Any]] = []

    def __call__(self, who: str, method: str, path: str, body: Any) -> dict[str, Any]:
        key = f"request-{len(self.requests)}"
        response = self.callers[who](method, path, body, headers={"Idempotency-Key": key})
        assert response.status_code < 300, response.text
        sent = {"caller": who, "method": method, "path": path, "body": body, "key": key}
        self.requests.append({**sent, "status": response.status_code, "answer": response.json})
        found: dict[str, Any] = response.json
        return found


def test_dump(host: Caller, four: list[Caller], settings: Settings, postgres: Postgres) -> None:
    """Write the dump (not a test): a finished game, an open one, two running ones, and everything related."""
    ask = Recorder({"host": host, "0": four[0], "1": four[1]})
    ask("host", "POST", "/v1/webhooks", {"url": "https://example.org/hook"})
    ask("host", "POST", "/v1/players", {"name": "Wilma"})
    ask("host", "POST", f"/v1/players/{four[2].player}/tokens", {})
    over = new_game(host, four[:2], "bisca", pace=PACE)
    ask("0", "POST", f"/v1/games/{over['id']}/messages", {"text": "Good luck"})
    ask("0", "POST", f"/v1/games/{over['id']}/resignation", {})
    seats = [{"player": four[0].player}, *[{"open": True}] * 3]
    opened = ask("host", "POST", "/v1/games", {"ruleset": "pies", "seats": seats})
    labelled = new_game(host, four[:2], "bisca", **LABELS)
    _move(ask, four, labelled)
    game = new_game(host, four[:2], "bisca", pace=PACE)
    path = f"/v1/games/{game['id']}"
    for _ in range(5):
        game = _move(ask, four, game)
    waiting = 1 - game["to_act"][0]
    hand = four[waiting].get(path).json["view"]["zones"][f"hand.{waiting}"]
    orders = [{"move": {"type": "play", "card": hand[0]}}]
    assert four[waiting].put(f"{path}/orders", {"orders": orders}).status_code == 200
    found = {
        "callers": {name: caller.token for name, caller in ask.callers.items()},
        "requests": ask.requests,
        "running": game["id"],
        "over": over["id"],
        "open": opened["id"],
        "labelled": labelled["id"],
        "invite": opened["seats"][1]["invite"],
        "orders": orders,
        "to_act": game["to_act"][0],
        "version": game["version"],
        "views": [each.get(path).json["view"] for each in four[:2]],
        "logs": {
            each["id"]: host.get(f"/v1/games/{each['id']}/events?limit=200").json["items"]
            for each in (over, opened, labelled, game)
        },
    }
    for suffix, text in ((".json.gz", json.dumps(found)), (".sql.gz", _sql(settings, postgres))):
        Path(os.environ["DUMP"] + suffix).write_bytes(gzip.compress(text.encode(), mtime=0))


def _move(ask: Recorder, callers: list[Caller], game: dict[str, Any]) -> dict[str, Any]:
    seat = game["to_act"][0]
    move = first_move(callers[seat], game)
    moved: dict[str, Any] = ask(str(seat), "POST", f"/v1/games/{game['id']}/moves", {"move": move})["game"]
    return moved


def _sql(settings: Settings, postgres: Postgres) -> str:
    """Return the whole database as statements that any client can run."""
    flags = ("--inserts", "--rows-per-insert=100", "--no-owner")
    command = [str(postgres.programs / "pg_dump"), *flags, libpq(settings.owner_database_url)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    # A limit that servers before 17 do not know, and commands of psql.
    left_out = ("SET transaction_timeout", "\\")
    return "".join(line for line in done.stdout.splitlines(True) if not line.startswith(left_out))
