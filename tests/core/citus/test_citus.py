"""The service on a Citus cluster of a coordinator and two workers: `docs/guides/citus.md`.

`make citus` starts the cluster and sets CITUS_URL; without one there is nothing to test. With CITUS_WRITE=yes
the list of statements in the document is written again.
"""

from __future__ import annotations

import os
import random
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from flask import Flask

import referee
from api.context import Context
from api.core.config import Settings, libpq
from api.features import load_features
from api.features.proofs import store as tree
from api.run import migrate
from api.run.worker import CLOCKWORK, query_of
from api.store import distribution
from api.store.database.session import Database, Session
from api.store.tables.columns import MANAGED, REFERENCE
from tests.servers.serving import Server, run
from tests.support.callers import Caller, Clock
from tests.support.citus import URL, call
from tests.support.citus import cluster as cluster
from tests.support.citus import migrated as migrated
from tests.support.citus import pytestmark as pytestmark
from tests.support.citus import server as server
from tests.support.citus import settings as settings
from tests.support.databases import KEY
from tests.support.due_jobs import keep_time
from tests.support.everything import asked as asked
from tests.support.partitions import Statement, sent

ACCOUNT = Path(__file__).parents[3] / "docs/guides/citus.md"
RECORDS = Path(__file__).parents[2] / "records"
BEGIN, END = "<!-- what Citus says: make citus -->\n", "<!-- end -->"
NAMED = re.compile(
    r"\b(INSERT INTO|UPDATE|DELETE FROM|FROM|JOIN) "
    rf"({'|'.join([*distribution.placed(REFERENCE), *distribution.hashed()])})\b"
)

RUNNING_OF_APP = re.compile(r"SELECT count\(.*\s+FROM \(SELECT .*\s+FROM games\s+WHERE games\.app_id = ")


@pytest.fixture
def clock() -> Clock:
    """The time now: the job worker of `server` enforces the deadlines of all games."""
    found = Clock()
    found.time = datetime.now(UTC)
    return found


def test_migrate_distributes_the_tables_once(cluster: psycopg.Connection, migrated: Settings) -> None:
    query = (
        "SELECT table_name::text, citus_table_type, distribution_column, colocation_id"
        " FROM citus_tables ORDER BY 1"
    )
    found = cluster.execute(query).fetchall()
    assert {
        table: column for table, kind, column, _ in found if kind == "distributed"
    } == distribution.hashed()
    assert {table for table, kind, *_ in found if kind == "reference"} == {*distribution.placed(REFERENCE)}
    assert {table for table, kind, *_ in found if kind == "local"} == {
        *distribution.CLAIMED,
        *distribution.placed(MANAGED),
    }
    assert len({beside for *_, kind, _, beside in found if kind == "distributed"}) == 1, "on one machine"
    migrate.upgrade(migrated)
    assert cluster.execute(query).fetchall() == found


# Options that make games short, for all rulesets that would otherwise play on for thousands of moves.
SHORT = {
    "bisca": {"target": 1},
    "dog_cards": {"turn_limit": 40},
    "palace": {"move_limit": 60},
    "pedro": {"target": 10},
    "pies": {"move_limit": 60},
    "truco": {"target": 4},
}


@pytest.mark.parametrize("ruleset", sorted(each.name for each in RECORDS.iterdir()))
def test_a_game_is_played_over_http_to_its_verified_record(server: Server, ruleset: str) -> None:
    chance = random.Random(ruleset)
    rules = call(server, "GET", f"/v1/rulesets/{ruleset}")
    players = [call(server, "POST", "/v1/players", {"name": name})["id"] for name in ("Anna", "Ben")]
    seats: list[dict[str, Any]] = [{"player": player} for player in players]
    seats += [{"bot": "random"}] * (min(rules["seats"]) - 2)
    wanted = {"ruleset": ruleset, "seats": seats, "options": SHORT.get(ruleset, {})}
    game = call(server, "POST", "/v1/games", wanted)
    path = f"/v1/games/{game['id']}"
    moves = 0
    while game["status"] == "running":
        seat = min(game["to_act"])
        legal = call(server, "GET", f"{path}/legal-moves?seat={seat}")["moves"]
        body = {"seat": seat, "move": chance.choice(legal)}
        keyed = {"Idempotency-Key": f"{ruleset}-{moves}"} if moves % 2 else {}
        game = call(server, "POST", f"{path}/moves", body, **keyed)["game"]
        moves += 1
    assert game["status"] == "finished"
    assert call(server, "GET", f"{path}/verification")["ok"]
    assert referee.verify(call(server, "GET", f"{path}/record")).ok


@pytest.fixture
def across(
    app: Flask,
    host: Caller,
    four: list[Caller],
    clock: Clock,
    workers_database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> list[Statement]:
    """What is asked about all games of a player or an app, and by the worker."""
    session = Session(workers_database)
    with sent(monkeypatch) as statements:
        for path in ("/v1/me/turns", "/v1/games", f"/v1/players/{four[0].player}/statistics"):
            assert four[0].get(path).status_code == 200
        assert host.get("/v1/games").status_code == 200
        assert host.get("/v1/events").status_code == 200
        context = Context(app.extensions["card_referee"].settings, session, load_features().hooks, clock)
        keep_time(context)
    session.close()
    # The worker of `server` may have emptied the queue before us.
    return [*statements, Statement(tree.LOGS, ([uuid4()],))]


def planned(cluster: psycopg.Connection, statements: list[Statement]) -> list[tuple[str, str]]:
    """Return for each kind of statement where Citus sends it."""
    found = set()
    for text, values in {each.text: each for each in statements}.values():
        if not NAMED.search(text):
            continue
        done = NAMED.findall(text)
        writes = dict.fromkeys(f"{verb} {table}" for verb, table in done if verb not in ("FROM", "JOIN"))
        reads = dict.fromkeys(table for _, table in done)
        what = ", ".join(writes) or f"SELECT from {', '.join(reads)}"
        found.add((what, _shards(cluster, text, values)))
    return sorted(found)


def _shards(cluster: psycopg.Connection, text: str, values: Any) -> str:
    with psycopg.ClientCursor(cluster) as cursor:
        plan = "\n".join(row[0] for row in cursor.execute(f"EXPLAIN {text}", values).fetchall())
    tasks = [int(number) for number in re.findall(r"Task Count: (\d+)", plan)]
    if not tasks:
        return "the coordinator"
    return "one shard" if max(tasks) == 1 else "every shard"


def test_a_statement_about_one_game_goes_to_one_shard(
    cluster: psycopg.Connection, asked: list[Statement], across: list[Statement]
) -> None:
    of_an_app = [each for each in asked if RUNNING_OF_APP.match(each.text)]
    assert of_an_app, "creating a game counts those of its app"
    of_a_game = planned(cluster, [each for each in asked if not RUNNING_OF_APP.match(each.text)])
    assert [each for each in of_a_game if each[1] not in ("one shard", "the coordinator")] == []
    lines = list[str]()
    for title, rows in (
        ("About one game", of_a_game),
        ("About many games", planned(cluster, [*across, *of_an_app])),
    ):
        lines += [f"{title}:", "", "| statement | goes to |", "| --- | --- |"]
        lines += [f"| {what} | {where} |" for what, where in rows]
        lines.append("")
    if os.environ.get("CITUS_WRITE"):
        before, _, rest = ACCOUNT.read_text().partition(BEGIN)
        ACCOUNT.write_text(f"{before}{BEGIN}{chr(10).join(lines)}{END}{rest.partition(END)[2]}")
    kept = ACCOUNT.read_text().partition(BEGIN)[2].partition(END)[0]
    assert {*lines} <= {*kept.splitlines(), ""}, "jobs that have nothing to do send fewer statements"


@pytest.mark.parametrize("command", [("backup", "{}/backup"), ("restore", "{}/a-backup")])
def test_commands_that_read_one_database_refuse_to(
    migrated: Settings, command: tuple[str, ...], tmp_path: Path
) -> None:
    words = [word.format(tmp_path) for word in command]
    (tmp_path / "a-backup").write_bytes(b"PGDMP")
    done = run(*words, DATABASE_URL=URL, ENCRYPTION_KEYS=KEY)
    assert done.returncode == 1
    assert f"{command[0]} reads one database" in done.stderr
    assert not (tmp_path / "backup").exists()


def test_what_is_due_is_found_and_counted(migrated: Settings) -> None:
    """By the job worker, in one statement, and for the metrics."""
    dues = [job.due for job in (*CLOCKWORK, *load_features().jobs)]
    known = [due for due in load_features().due(migrated) if due.cluster]
    with psycopg.connect(libpq(migrated.owner_database_url), autocommit=True) as connection:
        asked = connection.execute(query_of([due if due is None or due.cluster else None for due in dues]))
        assert {number for (number,) in asked} >= {n for n, due in enumerate(dues) if due is None}
        counted = {work: waiting for work, waiting, _ in connection.execute("SELECT * FROM work_due()")}
    assert {due.name for due in known} <= counted.keys()
    assert "notices" not in counted, "a cluster cannot count them"
