"""Write the contents of a database with the newest schema and a few games, for tests of later migrations.

Run it before adding a migration, on the release that is to be upgraded:

    DUMP=tests/migrations/0013.json python -m pytest tests/migrations/dump.py
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import psycopg

from tests.api.conftest import *  # noqa: F403  # the fixtures
from tests.api.conftest import Caller, first_move, new_game
from tests.stored import whole_tables

PACE = {"per_move": "PT72H", "on_timeout": "resign"}
LEFT_OUT = ("alembic_version", "encryption", "log_keys")  # each database makes its own


def test_dump(host: Caller, four: list[Caller], sql: psycopg.Connection) -> None:
    """Write the dump (not a test): a finished game, an open one, a running one, and everything related."""
    host.post("/v1/webhooks", {"url": "https://example.org/hook"})
    over = new_game(host, four[:2], "bisca", pace=PACE)
    four[0].post(f"/v1/games/{over['id']}/resignation")
    seats = [{"player": four[0].player}, *[{"open": True}] * 3]
    opened = host.post("/v1/games", {"ruleset": "pies", "seats": seats}).json
    game = new_game(host, four[:2], "bisca", pace=PACE)
    path = f"/v1/games/{game['id']}"
    for number in range(5):
        mover = four[game["to_act"][0]]
        sent = {"Idempotency-Key": "once"} if number == 4 else {}
        done = mover.post(f"{path}/moves", {"move": first_move(mover, game)}, headers=sent)
        game = done.json["game"]
    waiting = 1 - game["to_act"][0]
    hand = four[waiting].get(path).json["view"]["zones"][f"hand.{waiting}"]
    order = {"move": {"type": "play", "card": hand[0]}}
    assert four[waiting].put(f"{path}/orders", {"orders": [order]}).status_code == 200
    found = {
        "key": host.token,
        "players": [each.token for each in four[:2]],
        "running": game["id"],
        "over": over["id"],
        "open": opened["id"],
        "invite": opened["seats"][1]["invite"],
        "order": hand[0],
        "version": four[0].get(path).json["version"],
        "views": [each.get(path).json["view"] for each in four[:2]],
        "move": {"seat": game["to_act"][0]},
        "tables": {name: _rows(sql, name) for name in _tables(sql)},
    }
    Path(os.environ["DUMP"]).write_text(json.dumps(found, separators=(",", ":"), sort_keys=True) + "\n")


def _tables(sql: psycopg.Connection) -> list[str]:
    return sorted(whole_tables(sql) - {*LEFT_OUT})


def _rows(sql: psycopg.Connection, table: str) -> list[object]:
    return [row for (row,) in sql.execute(f'SELECT row_to_json(t) FROM "{table}" t')]
