"""Measure how the cost of requests grows with long logs and with many games.

Each request is made in this process, on a real PostgreSQL, alternating with the same request where there is
little data, so other load on the machine affects both. `log` compares a game of 10 entries with one of
ENTRIES. `games` compares a database of 1,000 games with one of GAMES, which are copied within the database
from real games of about 14 entries. `ratio` compares the medians.

If the file PLANS is given, the statements of these requests are explained (ANALYZE, BUFFERS) in the large
database.

    python -m bench.growth [ENTRIES [GAMES [ROUNDS [PLANS]]]]
"""

from __future__ import annotations

import json
import logging
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest
import structlog
from flask.testing import FlaskClient
from sqlalchemy import create_engine

from api.app import create_app
from api.callers import app_keys
from api.core.config import Settings, libpq
from api.run import migrate
from api.run.embedded.postgres import Postgres, supervise
from api.run.embedded.roles import OWNER, SERVICE, WORKER
from api.store.database.connections import SEE
from bench.records import long_record
from tests.servers.serving import free_directory
from tests.support.partitions import Statement, sent

ENTRIES, GAMES, ROUNDS = 10_000, 100_000, 100
FEW_ENTRIES, FEW_GAMES = 10, 1_000
MODELS, MOVES, PLAYERS = 12, 10, 30
AT_ONCE = 20_000  # games that one statement copies
LIMIT = "100000000 per minute"
MOST_SHOWN = 300  # characters of a statement
Timed = Callable[[], float]  # makes a request and returns its milliseconds

COPIED = {"games": "id"} | dict.fromkeys(("game_seats", "turns", "player_games", "entries"), "game_id")
# Columns in which a copy differs from its model. Copies are dated before everything else, in their order.
OTHER = {
    "commitment": "sha256(copies.id::text::bytea)",
    "created_at": "uuid_extract_timestamp(copies.id)",
    "ended_at": "CASE WHEN t.ended_at < 'infinity' THEN uuid_extract_timestamp(copies.id) + interval '1 hour'"
    " ELSE t.ended_at END",
    "tick": "copies.n::bigint * 500 / {games}",
}


@dataclass
class Service:
    """The service on a database of its own, with the credentials of its callers."""

    client: FlaskClient
    settings: Settings
    sql: psycopg.Connection
    key: str
    players: list[str] = field(default_factory=list)
    token: str = ""
    """That of the first player."""

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Call as the app, and return the JSON of the answer."""
        return json.loads(self._answer(method, path, body, self.key))

    def _answer(self, method: str, path: str, body: Any, token: str) -> bytes:
        headers = {"Authorization": f"Bearer {token}"}
        answer = self.client.open(path, method=method, json=body, headers=headers)
        assert answer.status_code < 300, answer.text
        data: bytes = answer.data
        return data

    def timed(self, method: str, path: str, body: Any = None, token: str | None = None) -> float:
        """Make a request, and return its milliseconds."""
        begun = time.perf_counter()
        self._answer(method, path, body, token or self.key)
        return (time.perf_counter() - begun) * 1000

    def reads(self, path: str, token: str | None = None) -> Timed:
        """Return a function that reads a path."""
        return lambda: self.timed("GET", path, token=token)

    def moves(self, make: Callable[[], dict[str, Any]]) -> Timed:
        """Return a function that makes the next move of a game, or of a new game when it is over."""
        game: dict[str, Any] = {"status": "over"}

        def move() -> float:
            nonlocal game
            if game["status"] != "running":
                game = make()
            path, seat = f"/v1/games/{game['id']}", game["to_act"][0]
            legal = self.call("GET", f"{path}/legal-moves?seat={seat}")["moves"][0]
            found = self.timed("POST", f"{path}/moves", {"seat": seat, "move": legal})
            game = self.call("GET", path)
            return found

        return move

    def new_game(self, first: int = 0) -> dict[str, Any]:
        """Create a game for three players."""
        seats = [{"player": self.players[(first + n) % PLAYERS]} for n in range(3)]
        made: dict[str, Any] = self.call("POST", "/v1/games", {"ruleset": "cats_and_dogs", "seats": seats})
        return made


@contextmanager
def service(server: Postgres, name: str) -> Iterator[Service]:
    """Run the service in this process on a new database, unencrypted so that values can be copied."""
    with psycopg.connect(libpq(server.url(OWNER, "postgres")), autocommit=True) as first:
        first.execute(f"CREATE DATABASE {name}")
    settings = Settings(
        database_url=server.url(SERVICE, name),
        owner_database_url=server.url(OWNER, name),
        worker_database_url=server.url(WORKER, name),
        data_dir=server.directory,
        rate_limit=LIMIT,
        address_rate_limit=LIMIT,
    )
    migrate.upgrade(settings)
    engine = create_engine(settings.owner_database_url)
    with engine.begin() as connection:
        _, key = app_keys.create_app_key(connection, "bench", ["read", "write"], None)
    engine.dispose()
    app = create_app(settings)
    with psycopg.connect(libpq(settings.owner_database_url), autocommit=True) as sql:
        made = Service(app.test_client(), settings, sql, key)
        for number in range(PLAYERS):
            made.players.append(made.call("POST", "/v1/players", {"name": f"Player {number}"})["id"])
        made.token = made.call("POST", f"/v1/players/{made.players[0]}/tokens")["token"]
        yield made
    app.extensions["card_referee"].database.close()


def fill(made: Service, games: int) -> None:
    """Copy games until there are this many: one in four is running, the others ended by resignation."""
    ids = []
    for number in range(MODELS):
        game = made.new_game(number)
        ids.append(game["id"])
        move = made.moves(lambda game=game: game)  # type: ignore[misc]
        for _ in range(MOVES):
            move()
        if number % 4:
            made.call("POST", f"/v1/games/{game['id']}/resignation", {"seat": 0})
    sql = made.sql
    sql.execute("CREATE TEMPORARY TABLE models (model int, id uuid)")
    sql.cursor().executemany("INSERT INTO models VALUES (%s, %s)", list(enumerate(ids)))
    sql.execute("SET session_replication_role = replica")  # no triggers: their rows are copied too
    for done in range(0, games, AT_ONCE):
        sql.execute(
            f"CREATE TEMPORARY TABLE copies AS SELECT n, n % {MODELS} AS model,"
            f" uuidv7((n - {games + 1}) * interval '10 seconds') AS id"
            f" FROM generate_series({done + 1}, {min(done + AT_ONCE, games)}) n"
        )
        for table, key in COPIED.items():
            sql.execute(_copy(sql, table, key, games))
        sql.execute("DROP TABLE copies")
    sql.execute("SET session_replication_role = origin")
    sql.execute("VACUUM ANALYZE")


def _copy(sql: psycopg.Connection, table: str, key: str, games: int) -> str:
    names = [
        name
        for (name,) in sql.execute(
            "SELECT column_name::text FROM information_schema.columns"
            " WHERE table_schema = 'public' AND table_name = %s AND column_name <> %s",
            (table, key),
        )
    ]
    values = ", ".join(OTHER[name].format(games=games) if name in OTHER else f't."{name}"' for name in names)
    columns = ", ".join(f'"{name}"' for name in names)
    order = "copies.id, t.seq" if table == "entries" else "copies.id"
    return (
        f"INSERT INTO {table} ({key}, {columns}) SELECT copies.id, {values} FROM copies"
        f" JOIN models USING (model) JOIN {table} t ON t.{key} = models.id ORDER BY {order}"
    )


def of_logs(made: Service, entries: int) -> dict[str, Timed]:
    """Return requests on a game with this many entries."""
    game = made.call("POST", "/v1/records", long_record(entries - 1, entries))
    path, last = f"/v1/games/{game['id']}", game["version"]
    places = {"first": 2, "quarter": last // 4 + 1, "middle": last // 2 + 1, "last but one": last - 1}
    return {
        "view": made.reads(path),
        **{f"?version= {name}": made.reads(f"{path}?version={at}") for name, at in places.items()},
        "entries, newest 10": made.reads(f"{path}/events?after={last - 10}&limit=10"),
        "entries, first 10": made.reads(f"{path}/events?limit=10"),
    }


def of_games(made: Service) -> dict[str, Timed]:
    """Return requests in a database that has been filled."""
    game, token = made.new_game(), made.token
    path = f"/v1/games/{game['id']}"
    newest = made.call("GET", "/v1/events?cursor=now")["cursor"]
    return {
        "move": made.moves(made.new_game),
        "make a game": lambda: made.timed("POST", "/v1/games", _bots()),
        "view": made.reads(path),
        "?version=": made.reads(f"{path}?version=2"),
        "entries": made.reads(f"{path}/events"),
        "inbox": made.reads("/v1/me/turns", token),
        "feed, first page": made.reads("/v1/events?limit=50"),
        "feed, further on": made.reads(f"/v1/events?limit=50&cursor={newest}"),
        "my feed": made.reads("/v1/me/events?limit=50", token),
        "games, newest": made.reads("/v1/games"),
        "games, lately over": made.reads("/v1/games?status=finished&sort=-finished_at"),
        "my games": made.reads("/v1/games", token),
    }


def _bots() -> dict[str, Any]:
    return {"ruleset": "cats_and_dogs", "seats": [{"open": True}, {"open": True}]}


def compare(few: dict[str, Timed], many: dict[str, Timed], rounds: int, title: str) -> None:
    """Alternate, and print a line for each request."""
    print(f"{title:<24} {'few ms':>8} {'many ms':>8}  ratio", flush=True)
    for name, small in few.items():
        large = many[name]
        for _ in range(5):
            small(), large()
        pairs = [(small(), large()) for _ in range(rounds)]
        one, other = (statistics.median(times) for times in zip(*pairs, strict=True))
        print(f"{name:<24} {one:>8.2f} {other:>8.2f}  {other / one:>5.2f}", flush=True)
    print()


def explain(made: Service, requests: dict[str, Timed], path: Path) -> None:
    """Write the query plan of each statement of these requests, and roll the requests back."""
    with pytest.MonkeyPatch.context() as monkeypatch, path.open("w") as file:
        app = made.sql.execute("SELECT id FROM apps WHERE name = 'bench'").fetchone()
        seen = set[str]()
        for name, request in requests.items():
            for _ in range(3):
                with sent(monkeypatch) as statements:
                    request()
            for statement in statements:
                if statement.text not in seen and re.search(
                    r"\b(games|entries|game_seats|turns)\b", statement.text
                ):
                    seen.add(statement.text)
                    file.write(f"## {name}\n\n```\n{_plan(made, statement, app)}\n```\n\n")
    print(f"{len(seen)} statements explained in {path}")


def _plan(made: Service, statement: Statement, app: Any) -> str:
    """Explain a statement as the service runs it, and roll it back."""
    text = " ".join(statement.text.split())
    with psycopg.connect(libpq(made.settings.database_url)) as connection:
        connection.execute(SEE, app)
        with psycopg.ClientCursor(connection) as cursor:
            try:
                cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) {statement.text}", statement.values)
            except psycopg.Error:  # the row that it inserts already exists
                connection.rollback()
                cursor.execute(f"EXPLAIN (COSTS OFF) {statement.text}", statement.values)
            plan = "\n".join(row[0] for row in cursor)
        connection.rollback()
    return f"{text[:MOST_SHOWN]}{' …' if len(text) > MOST_SHOWN else ''}\n\n{plan}"


def main() -> None:
    """Measure, and print both tables."""
    given = [int(each) for each in sys.argv[1:4]]
    entries, games, rounds = [*given, *(ENTRIES, GAMES, ROUNDS)[len(given) :]]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with (
        free_directory() as directory,
        supervise(directory) as server,
        service(server, "little") as little,  # type: ignore[arg-type]
        service(server, "much") as much,  # type: ignore[arg-type]
    ):
        compare(of_logs(little, FEW_ENTRIES), of_logs(little, entries), rounds, f"log of {entries}")
        fill(little, FEW_GAMES)
        begun = time.monotonic()
        fill(much, games)
        row = much.sql.execute("SELECT pg_size_pretty(pg_database_size(current_database()))").fetchone()
        print(f"{games} games copied in {time.monotonic() - begun:.0f} s: {row and row[0]}", flush=True)
        requests = of_games(much)
        compare(of_games(little), requests, rounds, f"{games} games")
        if len(sys.argv) > 4:
            explain(much, requests, Path(sys.argv[4]))


if __name__ == "__main__":
    main()
