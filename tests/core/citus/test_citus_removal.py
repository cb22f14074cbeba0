"""An app goes from a Citus cluster, and nothing of another app does.

`make citus` starts the cluster and sets CITUS_URL; without one there is nothing to test.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from click.testing import CliRunner

from api.core.config import Settings
from api.features.notices import positions
from api.run.cli import cli
from api.store import removal
from api.store.database.locks import Lock
from tests.servers.commands import run as referee
from tests.support.callers import Caller, new_game, play_on
from tests.support.citus import migrated, pytestmark, settings
from tests.support.stored import ids_of, stored, without
from tests.support.tenants import OWNERS, Tenant, new_tenant

DELIVERY = """
    INSERT INTO outbox (id, app_id, channel, receiver_id, event, payload, created_at)
    SELECT gen_random_uuid(), app_id, 'webhook', id, 'game_ended', '{}', now() FROM webhooks WHERE id = %s
"""

__all__ = ["migrated", "new_tenant", "pytestmark", "settings"]


@pytest.fixture
def name() -> str:
    return str(uuid4())


@pytest.fixture
def one(new_tenant: Callable[[str], Tenant], name: str) -> Tenant:
    return new_tenant(name)


@pytest.fixture
def two(new_tenant: Callable[[str], Tenant]) -> Tenant:
    return new_tenant(str(uuid4()))


def test_an_app_is_exported_and_deleted_while_another_plays(
    one: Tenant,
    two: Tenant,
    name: str,
    worker: Callable[[], None],
    anyone: Caller,
    sql: psycopg.Connection,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def command(*words: object) -> str:
        done = CliRunner(env=settings.environment()).invoke(cli, [*map(str, words)])
        assert done.exit_code == 0, (done.output, done.exception)
        return done.output

    finished = [play_on(each.players, new_game(each.key, each.players)) for each in (one, two)]
    named = new_game(one.key, one.players, external_id="final", metadata={"round": "last"})
    worker()
    for tenant in (one, two):
        sql.execute("INSERT INTO tree_queue (game_id, ended) VALUES (%s, true)", (tenant.game["id"],))
    file, every, keys = (tmp_path / each for each in ("one.ndjson", "two.ndjson", "keys.json"))
    assert command("apps", "export", name, file) == "5 games and 3 players\n"
    assert all(text in file.read_text() for text in (finished[0]["id"], named["id"]))
    before, own = stored(sql), ids_of(sql, one.id)
    for table in OWNERS.keys() | {"claimed_external_ids"}:
        assert without(before, own)[table] < before[table], f"the test has no rows of the app in {table}"

    delete, late = removal.delete, iter([uuid4()])

    def adding(session: Any, app_id: UUID) -> None:
        delete(session, app_id)
        for player in late:  # a request that had begun before
            new = "INSERT INTO players (id, app_id, name, created_at) VALUES (%s, %s, 'x', now())"
            sql.execute(new, (player, one.id))

    monkeypatch.setattr(removal, "delete", adding)
    with ThreadPoolExecutor() as pool:
        with psycopg.connect(sql.info.dsn) as announcing:
            announcing.execute(positions.WAIT, (Lock.NOTICES.value, one.id))
            announcing.execute(DELIVERY, (one.webhook,))
            deleting = pool.submit(command, "apps", "delete", name, "--yes", "--abandon")
            played = [play_on(two.players, new_game(two.key, two.players))]
            assert not deleting.done()
        while not deleting.done():
            played.append(play_on(two.players, new_game(two.key, two.players)))
    assert deleting.result().startswith(f"{name} is deleted, with 5 games\n")

    after = stored(sql)
    assert without(after, own) == after
    for table, rows in without(before, own).items():
        assert rows - after[table] == set() or table.startswith("tree_"), table
    assert len(after["tree_leaves"]) >= len(before["tree_leaves"])
    assert one.key.get("/v1/me").status_code == 401
    worker()
    for game in (finished[1], *played):
        assert two.key.get(f"/v1/games/{game['id']}/verification").json["ok"]
    keys.write_text(anyone.get("/v1/log-keys").text)
    shown = [two.key.get(f"/v1/games/{game['id']}/record").json for game in (finished[1], *played)]
    every.write_text("".join(f"{json.dumps(record)}\n" for record in shown))
    verified = referee("verify", str(every), "--jobs", "1", "--keys", str(keys))
    assert (verified.returncode, verified.stdout.splitlines()[-1]) == (0, "NOTE  verdict: proved"), (
        verified.stdout
    )
