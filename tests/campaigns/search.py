"""Check that an index serves every possible list of games, with 100,000 games and more.

    python -m tests.campaigns.search [GAMES]

Fills a new database, then queries it as the service does (its role, row-level security) for every pair of
filters in every order, as an app, a player and the public. No plan may read a whole table, or touch more
pages than it should, however few games match.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from sqlalchemy.sql import ClauseElement

from api.core.config import Settings, libpq
from api.features.search import store as search
from api.features.search.filters import FILTERS as DECLARED
from api.features.search.store import ORDERS, Search
from api.http.patterns import Time
from api.run import migrate
from api.run.embedded.postgres import supervise
from api.run.embedded.roles import OWNER, SERVICE, WORKER
from api.store.database.connections import written_out
from api.store.database.session import Database, Session, Values
from tests.servers.serving import free_directory

PLAYERS = 2000
MOST_PAGES, MOST_PAGES_OF_MOVED = 3_000, 20_000  # of 8 KiB, with 100,000 games
BEGAN = datetime(2025, 1, 1, tzinfo=UTC)
APP, OTHER, CLOCK = UUID(int=1), UUID(int=2), UUID(int=3)
RARE = "palace"
BUSY, PLAIN, QUIET = (UUID(int=10_000 + n) for n in (0, 300, PLAYERS - 1))

FILL = """
INSERT INTO apps VALUES ('{app}', 'one', now()), ('{other}', 'two', now());
INSERT INTO test_clocks VALUES ('{clock}', '{app}', NULL, now(), now());
INSERT INTO players (id, app_id, name, created_at)
    SELECT lpad(to_hex(10000 + n), 32, '0')::uuid, '{app}', 'P' || n, now()
    FROM generate_series(0, {players} - 1) n;
CREATE TEMP TABLE made AS
    SELECT n, at, at + (n % 1000) * interval '1 minute' AS moved_at,
        (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7'
            || lpad(to_hex(n), 19, '0'))::uuid AS id,
        CASE WHEN n % 11 = 0 THEN '{other}' ELSE '{app}' END::uuid AS app_id,
        CASE WHEN n < 200 THEN 'palace' WHEN n % 5 = 0 THEN 'truco' WHEN n % 7 = 0 THEN 'pedro'
            ELSE 'pies' END AS ruleset,
        CASE WHEN n % 10 = 1 THEN 'public' WHEN n % 10 = 2 THEN 'unlisted' ELSE 'private' END AS visibility,
        CASE WHEN n % 97 = 0 THEN 'open' WHEN n % 13 = 0 OR n > {games} * 0.97 THEN 'running'
            WHEN n % 19 = 0 THEN 'cancelled' ELSE 'finished' END AS status,
        CASE WHEN n % 3 = 0 THEN 'resigned' WHEN n % 301 = 0 THEN 'timed_out' ELSE 'ace' END AS reason
    FROM generate_series(1, {games} * 11 / 10) n,
        LATERAL (SELECT '2025-01-01Z'::timestamptz + n * interval '{step} microseconds' AS at) t;
INSERT INTO games (id, app_id, ruleset, ruleset_version, options, visibility, status, version, seats,
    sitting, seed, head, drawn, position, result, created_at, updated_at, imported_by, imported, commitment,
    external_id, metadata, test_clock, ended_at, reason)
SELECT id, app_id, ruleset, 1, '{{}}', visibility, status, 40, repeat('s', 500), '[]', '\\x00', '\\x00', 0,
    repeat('p', 900)::bytea, '{{}}', at, moved_at, CASE WHEN n % 500 = 3 THEN '{{}}' END, n % 500 = 3,
    decode(lpad(to_hex(n), 64, '0'), 'hex'), CASE WHEN n % 2 = 0 THEN 'g' || n END,
    jsonb_build_object('table', (n % 1000)::text, 'cup', '2025',
        'season', CASE WHEN n < {games} / 2 THEN 'spring' ELSE 'autumn' END),
    CASE WHEN n % 2000 = 5 THEN '{clock}'::uuid END,
    CASE WHEN status IN ('finished', 'cancelled') THEN moved_at ELSE 'infinity' END,
    CASE WHEN status = 'finished' THEN reason END
FROM made;
INSERT INTO game_seats (game_id, seat, player_id)
SELECT id, seat, lpad(to_hex(10000 + CASE WHEN seat = 0 AND n % 3 = 0 THEN 0 ELSE
        ({players} - 1) * pow((hashint4(n * 2 + seat)::bigint & 65535) / 65536.0, 2) END::integer), 32,
        '0')::uuid
FROM made, generate_series(0, 1) seat WHERE app_id = '{app}';
INSERT INTO turns (game_id, seat, app_id, player_id, automatic, since)
SELECT id, seat, app_id, player_id, false, at FROM made m JOIN game_seats s ON s.game_id = m.id
WHERE status = 'running' AND seat = n % 2;
INSERT INTO player_games
SELECT g.id, s.player_id, g.app_id, g.status, g.ruleset, g.visibility, g.imported, g.reason, g.created_at,
    g.ended_at, bool_or(g.status = 'finished' AND s.seat = m.n % 2)
FROM made m JOIN games g USING (id) JOIN game_seats s ON s.game_id = g.id GROUP BY g.id, s.player_id;
DROP TABLE made;
"""


def fill(sql: psycopg.Connection, games: int) -> None:
    """Create games of an app, and a tenth as many of another one."""
    step = int(timedelta(days=300) / timedelta(microseconds=1)) // games
    values = {"app": APP, "other": OTHER, "clock": CLOCK, "players": PLAYERS, "games": games, "step": step}
    sql.execute("SET session_replication_role = replica")
    for statement in FILL.format(**values).split(";\n"):
        sql.execute(statement)
    sql.execute("RESET session_replication_role")
    sql.execute("VACUUM ANALYZE")


DAY = timedelta(days=1)
LATE, EARLY = BEGAN + 297 * DAY, BEGAN + 2 * DAY
TIMES = [name for name, each in DECLARED.items() if isinstance(each.field, Time)]
FILTERS: dict[str, dict[str, Any]] = {
    **{name: {name: each.example} for name, each in DECLARED.items() if each.example is not None},
    **{name: {name: LATE if name.endswith("_after") else EARLY} for name in TIMES},
    "status,": {"status": ["open", "cancelled"]},
    "rare ruleset": {"ruleset": [RARE]},
    "ruleset,": {"ruleset": [RARE, "truco"]},
    "busy player": {"player": [BUSY]},
    "quiet player": {"player": [QUIET]},
    "player,": {"player": [BUSY, QUIET]},
    "to_act": {"to_act": [PLAIN]},
    "winner": {"winner": [BUSY]},
    "winner,": {"winner": [QUIET, UUID(int=10_500)]},
    "rare reason": {"reason": ["timed_out"]},
    "no reason": {"reason": ["move_limit"]},
    "reason,": {"reason": ["timed_out", "move_limit"]},
    "visibility,": {"visibility": ["public", "unlisted"]},
    "test_clock": {"test_clock": [CLOCK]},
    "external_id": {"external_id": (APP, "g500")},
}
SCOPES: dict[str, dict[str, Any]] = {
    "app": {"app_id": APP},
    "busy player": {"app_id": APP, "seated": BUSY},
    "quiet player": {"app_id": APP, "seated": QUIET},
    "public": {"visibility": ["public"]},
}


class List(NamedTuple):
    """A list that can be requested."""

    scope: str
    filters: tuple[str, ...]
    order: str
    search: Search

    def __str__(self) -> str:
        return f"{self.scope}: {' & '.join(self.filters) or 'all'} by {self.order}"


def lists(together: int = 2) -> Iterator[List]:
    """Yield all lists: every combination of this many filters, in every order, for every viewer."""
    for scope, order in itertools.product(SCOPES, ORDERS):
        for count in range(together + 1):
            for chosen in itertools.combinations(FILTERS, count):
                members: dict[str, Any] = {}
                for name in chosen:
                    members = {**FILTERS[name], **members}
                values = sum(len(FILTERS[name]) for name in chosen)
                if len(members) < values or members.keys() & SCOPES[scope].keys():
                    continue
                yield List(scope, chosen, order, Search(**SCOPES[scope], **members))


@dataclass
class Plan:
    """What PostgreSQL did for a list, in all its statements."""

    nodes: list[dict[str, Any]]
    pages: int
    time: float

    @property
    def scans(self) -> list[str]:
        """Return the tables that were read completely."""
        return [node["Relation Name"] for node in self.nodes if node["Node Type"] == "Seq Scan"]

    @property
    def indexes(self) -> list[str]:
        """Return the indexes that were used."""
        return [node["Index Name"] for node in self.nodes if "Index Name" in node]

    @property
    def sorts(self) -> bool:
        """Return whether anything had to be sorted."""
        return any("Sort" in node["Node Type"] for node in self.nodes)


class Explaining(Session):
    """A session that explains what it executes."""

    def __init__(self, database: Database, app_id: UUID) -> None:
        super().__init__(database, app_id)
        self.plan = Plan([], 0, 0.0)

    def execute(self, statement: str | ClauseElement, values: Values = ()) -> psycopg.Cursor[tuple[Any, ...]]:
        """Explain a statement, then execute it."""
        if isinstance(statement, str):
            return super().execute(statement, values)
        text, own = written_out(statement)
        row = self.connection.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {text}", own).fetchone()
        assert row is not None
        top = row[0][0]
        self.plan.nodes += _nodes(top["Plan"])
        self.plan.pages += top["Plan"].get("Shared Hit Blocks", 0) + top["Plan"].get("Shared Read Blocks", 0)
        self.plan.time += top["Execution Time"]
        return super().execute(statement, values)


def explain(session: Explaining, wanted: List, limit: int = 51) -> Plan:
    """Return the plan with which the service reads the first page of a list."""
    session.plan = Plan([], 0, 0.0)
    search.find(session, wanted.search, ORDERS[wanted.order], None, limit)
    return session.plan


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for inner in node.get("Plans", ()):
        yield from _nodes(inner)


def too_many(wanted: List, plan: Plan) -> bool:
    """Return whether a plan touches more pages than a list should cost, however few games match.

    The time of a running game's last move is in no index, so each of these games may have to be read.
    """
    most = MOST_PAGES_OF_MOVED if "updated_after" in wanted.filters else MOST_PAGES
    return bool(plan.scans) or plan.pages > most


def main() -> None:
    """Fill a database, read every list, print the most expensive ones; exit with 1 if one costs too much."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with free_directory() as directory, supervise(directory) as postgres:
        assert postgres is not None
        with psycopg.connect(libpq(postgres.url(OWNER, "postgres")), autocommit=True) as connection:
            connection.execute("CREATE DATABASE games")
        settings = Settings(
            database_url=postgres.url(SERVICE, "games"),
            owner_database_url=postgres.url(OWNER, "games"),
            worker_database_url=postgres.url(WORKER, "games"),
            data_dir=directory,
        )
        migrate.upgrade(settings)
        with psycopg.connect(libpq(settings.owner_database_url), autocommit=True) as sql:
            fill(sql, games)
        database = Database(settings)
        session = Explaining(database, APP)
        session.connection.execute(
            "SET statement_timeout = 0"
        )  # pages count, so a busy machine does not matter
        plans = [(wanted, explain(session, wanted)) for wanted in lists()]
        session.close()
        database.close()
    for wanted, plan in sorted(plans, key=lambda one: -one[1].pages)[:20]:
        print(f"{plan.pages:>7} pages {plan.time:8.1f} ms  {wanted}  ({', '.join(plan.indexes)})")
    wrong = [str(wanted) for wanted, plan in plans if too_many(wanted, plan)]
    print(f"{len(plans)} lists of {games} games; {len(wrong)} cost too much", *wrong, sep="\n  ")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
