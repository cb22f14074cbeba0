"""Measure moves per second over HTTP with durable commits, and compare them with a bare view.

The bare view runs the same SQL statements. Both servers have two processes, the same pool and one database,
and they alternate in short rounds, so other load on the machine affects both. `ratio` compares moves per
second, ours to the bare view's. `of cpu` compares processor time per move (web and database), the bare view's
to ours; it depends less on other load. `keyed` moves have an Idempotency-Key; `own` are keyed moves with the
players' tokens. `WAL` is the number of bytes
that a move adds to the database's log.

The same keyed moves are made in apps with listeners: `finished` has a webhook for the end of games, every
player of `mail` can be reached by mail but gets none, and `began` has a webhook for every turn, whose
deliveries are sent meanwhile. `of keyed` compares their moves per second with those of an app without.

The last moves of all these games are compared with all of their moves, at the median and at p99.

The apps take turns at being first in a round, because games that were played before cost the database work.

    python -m bench.append [ROUNDS [APP ...]]
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlalchemy import create_engine

from api.callers import app_keys
from bench.deliveries import receiving
from bench.http import load, served
from bench.http.served import Api, Game

CLIENTS = (1, 8, 64)
SECONDS = 2.0
RULESET, SEATS = "cats_and_dogs", 3


def moves_of(api: Api, game: Game, keyed: bool, tokens: Sequence[str] = ()) -> Iterator[bytes]:
    """Yield the requests that play a game: with the tokens of its players, or with the app's key."""
    path = f"/v1/games/{game.id}/moves"
    for number, (seat, move) in enumerate(game.moves):
        body = json.dumps({"seat": seat, "move": move}).encode()
        token = tokens[seat] if tokens else api.key
        request = load.request("POST", path, token, body, f"{game.id}-{number}" if keyed else None)
        yield load.Last(request) if number == len(game.moves) - 1 else request


def stocked(
    api: Api, players: list[str], games: int, keyed: bool = False, tokens: Sequence[str] = ()
) -> Iterator[bytes]:
    """Yield the requests that play several prepared games, one after another."""
    stock = [api.new_game(RULESET, players) for _ in range(games)]
    return (request for game in stock for request in moves_of(api, game, keyed, tokens))


def run(api: Api, url: str, clients: list[Iterator[bytes]]) -> tuple[load.Measured, float]:
    """Let the clients send; return what was measured and the bytes of WAL per request."""
    before = wal(api)
    found = load.run(served.address(url), clients, SECONDS)
    return found, (wal(api) - before) / len(found.latencies)


def wal(api: Api) -> int:
    """Return how many bytes the database has written to its log so far."""
    row = api.sql.execute("SELECT pg_current_wal_insert_lsn() - '0/0'").fetchone()
    assert row is not None
    return int(row[0])


def bare_moves(api: Api, game: Game) -> Iterator[bytes]:
    """Yield the same move repeatedly, in a game that only the bare view writes to."""
    seat, move = game.moves[0]
    body = json.dumps({"seat": seat, "move": move}).encode()
    request = load.request("POST", f"/games/{game.id}/moves", api.key, body)
    while True:
        yield request


def measure_sizes(api: Api, game: Game) -> dict[str, int]:
    """Measure the sizes of the stored values and answers in the middle of a game."""
    half = game.moves[: len(game.moves) // 2]
    path = f"/v1/games/{game.id}/moves"
    answers = [api.call("POST", path, {"seat": seat, "move": move}) for seat, move in half]
    row = api.sql.execute(
        "SELECT max(length(position)), max(length(seats)),"
        " percentile_disc(0.5) WITHIN GROUP (ORDER BY length(public)),"
        " percentile_disc(0.5) WITHIN GROUP (ORDER BY coalesce(length(private), 2))"
        " FROM games g JOIN entries e ON e.game_id = g.id WHERE id = %s AND seq > g.version - %s",
        (game.id, len(half)),
    ).fetchone()
    assert row is not None
    size = dict(zip(("position", "seats", "public", "private"), row, strict=True))
    lengths = [len(json.dumps(answer, separators=(",", ":"))) for answer in answers]
    return {**size, "answer": round(statistics.median(lengths))}


def another_app(api: Api, name: str) -> Api:
    """Return the same server for another app."""
    engine = create_engine(api.settings.owner_database_url)
    with engine.begin() as connection:
        _, key = app_keys.create_app_key(connection, name, ["read", "write"], None)
    engine.dispose()
    return replace(api, key=key)


def listened_to(api: Api, receiver: int) -> dict[str, tuple[Api, list[str]]]:
    """Return apps with listeners, with the players of each."""
    found = {name: another_app(api, name) for name in ("finished", "mail", "began")}
    for name, event in (("finished", "game.finished"), ("began", "turn.began")):
        hook = {"url": f"http://127.0.0.1:{receiver}/", "events": [event]}
        found[name].call("POST", "/v1/webhooks", hook)
    players = {name: app.players(SEATS) for name, app in found.items()}
    for player in players["mail"]:
        token = found["mail"].call("POST", f"/v1/players/{player}/tokens")["token"]
        api.call("PATCH", "/v1/me/preferences", {"mail": ["game.nudged"]}, token)
    api.sql.execute("UPDATE contacts SET email = 'a@example.org', confirmed_at = now()")
    return {name: (app, players[name]) for name, app in found.items()}


def main() -> None:
    """Measure, and print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with receiving(0.0) as receiver, served.api(ALLOW_PRIVATE_WEBHOOKS="true") as api:
        players = api.players(SEATS)
        sizes = measure_sizes(api, api.new_game(RULESET, players))
        print("bytes:", sizes)
        os.environ["BENCH_SIZES"] = ",".join(f"{name}={size}" for name, size in sizes.items())
        with served.floor(api, "append") as floor:
            apps = dict.fromkeys(("ours", "keyed", "own"), (api, players)) | listened_to(api, receiver.port)
            names = sys.argv[2:] or [*apps]
            compare(api, floor, {name: apps[name] for name in {"keyed": None} | dict.fromkeys(names)}, rounds)


def compare(api: Api, floor: str, apps: dict[str, tuple[Api, list[str]]], rounds: int) -> None:
    """Alternate between both servers, and print a line for each."""
    head = f"{'clients':>7} {'':>8} {'moves/s':>8} {'p50 ms':>7} {'p99 ms':>7} {'cpu ms':>7} {'WAL':>6}"
    print(f"{head}  ratio  of cpu  of keyed")
    games_a_second = 40.0  # initial games of each client
    for clients in CLIENTS:
        found: dict[str, list[tuple[load.Measured, float]]] = {name: [] for name in (*apps, "floor")}
        for number in range(rounds):
            stock = max(2, round(games_a_second * SECONDS / clients) + 1)
            turned = [*apps][number % len(apps) :] + [*apps][: number % len(apps)]
            for name in turned:
                app, players = apps[name]
                tokens = app.tokens(players) if name == "own" else ()
                moves = [stocked(app, players, stock, name != "ours", tokens) for _ in range(clients)]
                found[name].append(run(api, api.url, moves))
            bare = [bare_moves(api, api.new_game(RULESET, apps["keyed"][1])) for _ in range(clients)]
            found["floor"].append(run(api, floor, bare))
        for name, runs in found.items():
            pairs = [(one, other) for (one, _), (other, _) in zip(runs, found["floor"], strict=True)]
            plain = zip(runs, found["keyed"], strict=True)
            of_keyed = statistics.median(one.rate / other.rate for (one, _), (other, _) in plain)
            rate = statistics.median(one.rate / other.rate for one, other in pairs)
            cost = statistics.median(other.cost / one.cost for one, other in pairs)
            middle = sorted((one for one, _ in runs), key=lambda one: one.rate)[len(runs) // 2]
            processor = statistics.median(one.cost for one, _ in runs)
            log = statistics.median(written for _, written in runs)
            print(
                f"{clients:>7} {name:>8} {middle.rate:>8.0f} {middle.percentile(50):>7.1f}"
                f" {middle.percentile(99):>7.1f} {processor:>7.2f} {log:>6.0f}"
                f"  {rate:.2f}    {cost:.2f}      {of_keyed:.2f}",
                flush=True,
            )
        print_last_moves(clients, [one for name in apps for one, _ in found[name]])


def print_last_moves(clients: int, runs: list[load.Measured]) -> None:
    """Print how the times of games' last moves compare with those of all moves."""
    moves = [time for run in runs for time in run.latencies]
    lasts = [time for run in runs for time in run.lasts]
    if len(lasts) < 2:
        return
    median, slow = (percentile(lasts, each) / percentile(moves, each) for each in (50, 99))
    print(f"{clients:>7} {len(lasts)} last moves, of all moves: p50 {median:.2f}, p99 {slow:.2f}", flush=True)


def percentile(times: list[float], percent: int) -> float:
    """Return a percentile of times."""
    return statistics.quantiles(times, n=100)[percent - 1]


if __name__ == "__main__":
    main()
