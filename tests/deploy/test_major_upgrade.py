"""Upgrades to a newer major version of PostgreSQL, by the methods in docs/guides/deployment.md."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from api.core.config import libpq
from api.run.embedded.postgres import Postgres
from tests.servers.clusters import LOGINS, OLDER_LOCALE, OWNER, Cluster, clusters, prepare, settings
from tests.servers.receiver import eventually, receiving
from tests.servers.serving import TIMEOUT, run
from tests.servers.sites import Site, client, first_move, log, new_game, repeated

pytestmark = pytest.mark.long

INSTALLED = Path("/usr/lib/postgresql")  # Debian has a directory for each major version here

# The feed is ordered by transactions, and an old server has counted many of them.
COUNT_ON = "DO $$ BEGIN FOR n IN 1..20000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$"


MARKED = "SELECT EXISTS (SELECT FROM pg_attribute WHERE attoptions::text LIKE '%%pg_attver%%')"


def older(postgres: Postgres) -> Path:
    """Return the programs of a PostgreSQL older than the embedded one."""
    newest = int((postgres.cluster / "PG_VERSION").read_text())
    for directory in sorted(INSTALLED.glob("*"), key=lambda found: int(found.name), reverse=True):
        if 14 <= int(directory.name) < newest and (directory / "bin" / "initdb").exists():
            return directory / "bin"
    pytest.skip(f"no PostgreSQL from 14 to {newest - 1} is installed here (Debian's postgresql)")


@pytest.fixture
def servers(postgres: Postgres) -> Iterator[tuple[Cluster, Cluster]]:
    """Yield an older server with the service's schema, and a future one of the embedded version."""
    programs = older(postgres)
    with clusters(postgres, "old", "new") as (old, new):
        old.programs = programs
        old.make(*OLDER_LOCALE)
        old.start()
        prepare(old)
        old.ask(COUNT_ON)
        yield old, new


def as_owner(server: Cluster) -> dict[str, str]:
    """Return the contents of `migrate.env`."""
    found = settings(server)
    return {
        "DATABASE_URL": libpq(found.owner_database_url),
        "ENCRYPTION_KEYS": ",".join(found.encryption_keys),
    }


def dump_and_restore(old: Cluster, new: Cluster) -> None:
    """Run `referee-api backup` with the old server, and `restore` with the new one."""
    file = old.directory / "all.backup"
    done = run("backup", file, **as_owner(old))
    assert done.returncode == 0, done.stderr
    old.stop()
    new.make()
    new.start()
    new.ask("CREATE DATABASE card_referee", database="postgres")
    done = run("restore", file, **as_owner(new))
    assert done.returncode == 0, done.stderr
    assert "3 games verified, and every log holds" in done.stdout
    new.ask(LOGINS)


def pg_upgrade(old: Cluster, new: Cluster) -> None:
    """Upgrade with pg_upgrade, which keeps the files; then check the schema and the logs."""
    if old.ask(MARKED):
        pytest.skip("this server marks columns in a way that the newer pg_dump does not know (pg_attver)")
    old.stop()
    new.make(*OLDER_LOCALE, "--no-data-checksums")
    words = [new.programs / "pg_upgrade", "--old-bindir", old.programs, "--new-bindir", new.programs]
    words += ["--old-datadir", old.data, "--new-datadir", new.data, "--username", OWNER]
    new.run("sh", "-c", f"cd {new.directory} && exec {shlex.join(map(str, words))}")
    new.start()
    for command, said in (("migrate", ""), ("verify", "3 games verified, and every log holds")):
        done = run(command, **as_owner(new))
        assert done.returncode == 0, done.stderr
        assert said in done.stdout


def shown(http: httpx.Client, games: list[str]) -> list[Any]:
    """Return what a client sees of games and their logs; another key signs receipts after the upgrade."""
    found = [http.get(f"/v1/games/{game}") for game in games]
    assert [answer.status_code for answer in found] == [200] * len(games)
    return [
        ({**answer.json(), "receipt": None}, log(http, game))
        for answer, game in zip(found, games, strict=True)
    ]


def feed(http: httpx.Client, cursor: str | None) -> tuple[list[tuple[str, int]], str]:
    """Return all entries after a cursor, and the next cursor."""
    found = []
    while True:
        page = http.get("/v1/events", params={"limit": 200, **({"cursor": cursor} if cursor else {})}).json()
        found += [(item["game"], item["entry"]["seq"]) for item in page["items"]]
        cursor = page["cursor"]
        if page["next"] is None:
            assert cursor is not None
            return found, cursor


def new_match(http: httpx.Client, **more: Any) -> tuple[str, str]:
    """Create a game of two players with hidden hands; return it with a token of the first."""
    players = [http.post("/v1/players", json={"name": name}).json()["id"] for name in ("Anna", "Ben")]
    wanted = {"ruleset": "palace", "seats": [{"player": player} for player in players], **more}
    made = http.post("/v1/games", json=wanted)
    assert made.status_code == 201, made.text
    return made.json()["id"], http.post(f"/v1/players/{players[0]}/tokens", json={}).json()["token"]


@pytest.mark.parametrize("move_over", [dump_and_restore, pg_upgrade])
def test_games_continue_with_a_newer_postgresql(
    servers: tuple[Cluster, Cluster], move_over: Callable[[Cluster, Cluster], None]
) -> None:
    """Games, logs, tokens, repeats, feeds, webhooks and deadlines continue where they were."""
    old, new = servers
    with receiving() as receiver:
        site = Site(settings(old), webs=1, ALLOW_PRIVATE_WEBHOOKS="true", WEBHOOK_PORTS="")
        try:
            url = f"http://127.0.0.1:{site.ports[0]}"
            with client(url, site.key) as http:
                assert http.post("/v1/webhooks", json={"url": receiver.url}).status_code == 201
                played, (match, token) = new_game(http), new_match(http)
                site.worker.terminate()  # a deadline that passes while no worker runs
                site.worker.wait(TIMEOUT)
                late, _ = new_match(http, pace={"per_move": "PT1S", "on_timeout": "resign"})
                games, path, key = [played, match, late], f"/v1/games/{played}/moves", str(uuid4())
                move = first_move(http, played)
                assert move is not None
                answer = repeated(http, path, move, key)
                assert answer.status_code == 201, answer.text
                before, (known, cursor) = shown(http, games), feed(http, None)
            with client(url, token) as http:
                hand = shown(http, [match])
        finally:
            site.stop()

        move_over(old, new)

        again = Site(settings(new), webs=1, ALLOW_PRIVATE_WEBHOOKS="true", WEBHOOK_PORTS="")
        try:
            url = f"http://127.0.0.1:{again.ports[0]}"
            with client(url, token) as http:
                assert shown(http, [match]) == hand
            with client(url, site.key) as http:
                assert shown(http, games[:2]) == before[:2]
                assert repeated(http, path, move, key).json() == answer.json()
                assert eventually(lambda: http.get(f"/v1/games/{late}").json()["status"] == "finished")
                while (move := first_move(http, played)) is not None:
                    assert repeated(http, path, move).status_code == 201
                assert http.get(f"/v1/games/{played}").json()["status"] == "finished"
                for game in games:  # on a busy machine it is requested again
                    assert eventually(
                        lambda game=game: http.get(f"/v1/games/{game}/verification").json().get("ok")
                    )
                after, _ = feed(http, cursor)
                every = {(game, entry["seq"]) for game in games for entry in log(http, game)}
                assert len(known + after) == len(every)
                assert {*known, *after} == every
            assert eventually(
                lambda: (
                    {e["data"]["game"] for e in receiver.events() if e["type"] == "game.finished"}
                    == {played, late}
                )
            )
        finally:
            again.stop()
