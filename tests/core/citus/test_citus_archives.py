"""The log of a month moves from all machines of a Citus cluster to a file; answers stay the same.

`make citus` starts the cluster and sets CITUS_URL; without one there is nothing to test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest
import uuid_utils.compat as uuid_utils

from api.core.config import Settings
from api.features.apps import apps
from api.features.archives import archiving
from tests.commands import run_apart as referee
from tests.support.archived import FORMS, shown
from tests.support.callers import Caller, Clock, new_game, play_on
from tests.support.citus import migrated, pytestmark

__all__ = ["migrated", "pytestmark"]

START = datetime(2019, 12, 15, tzinfo=UTC)  # no other game on the cluster is so old


@pytest.fixture
def settings(migrated: Settings, tmp_path: Path) -> Settings:
    (tmp_path / "archives").mkdir()
    return replace(migrated, archive_dir=tmp_path / "archives")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time in an old month; ids are of that time, too."""
    found, numbers = Clock(), count()
    found.time = START

    def new_id() -> UUID:
        milliseconds = int(found.time.timestamp() * 1000) + next(numbers)
        return UUID(int=milliseconds << 80 | uuid_utils.uuid7().int & (1 << 80) - 1)

    monkeypatch.setattr("api.context.new_id", new_id)
    return found


def test_a_month_is_archived_and_served_as_before(
    new_key: Callable[..., Caller],
    new_player: Callable[..., Caller],
    anyone: Caller,
    worker: Callable[[], None],
    clock: Clock,
    settings: Settings,
    sql: psycopg.Connection,
    tmp_path: Path,
) -> None:
    def put_away() -> list[str]:
        said: list[str] = []
        archiving.archive(settings, datetime(2020, 2, 1, tzinfo=UTC), said.append)
        return said

    name = str(uuid4())
    key, auditor = new_key(name, "read", "write"), new_key(name, "read", "audit")
    players = [new_player(each, key) for each in ("Anna", "Ben", "Cleo")]
    waits = f"2019-12 waits: 1 of its games are not over, such as {new_game(key, players)['id']}"
    clock.time += timedelta(days=31)
    games = [new_game(key, players, visibility=visibility) for visibility in ("public", "private")]
    play_on(players, games[0])
    worker()
    assert put_away() == [waits, f"2020-01 waits: 1 of its games are not over, such as {games[1]['id']}"]
    assert players[0].post(f"/v1/games/{games[1]['id']}/resignation").status_code == 201
    worker()
    games = [key.get(f"/v1/games/{game['id']}").json for game in games]
    callers = [key, *players, auditor, anyone, new_key(str(uuid4()), "read")]
    before, entries = shown(callers, games), sum(game["version"] for game in games)

    still, said = put_away()
    assert still == waits
    assert said.startswith(f"2020-01 is archived: 2 games, {entries} entries in {settings.archive_dir}")
    ids = [game["id"] for game in games]
    left = "SELECT count(*) FROM entries WHERE game_id::text = ANY (%s)"
    assert sql.execute(left, (ids,)).fetchone() == (0,)
    assert shown(callers, games) == before
    for form in FORMS:
        assert key.get("/v1/events", headers={"Accept": form}).status_code == 410
    assert put_away() == [waits]
    (file,) = (tmp_path / "archives").glob("*.zst")
    (tmp_path / "keys.json").write_text(anyone.get("/v1/log-keys").text)
    done = referee("verify", str(file), "--keys", str(tmp_path / "keys.json"))
    assert done.returncode == 0, done.stdout + done.stderr

    again: list[str] = []
    apps.delete(settings, name, True, lambda name: None, again.append)
    assert again[-1].endswith(f"have games of it: {file.name}")
    assert sql.execute("SELECT count(*) FROM archived_games WHERE file = %s", (file.name,)).fetchone() == (0,)
