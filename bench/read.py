"""Measure a view, a 304 and a list of legal moves over HTTP, and compare them with a bare view.

The bare view runs the same two statements (whose token is this, and the row of the game), and answers as
many bytes; beside a 304, as many as the whole view has.

    python -m bench.read [ROUNDS]
"""

from __future__ import annotations

import itertools
import os
import statistics
import sys

from bench.http import load, served

CLIENTS = 8
SECONDS = 2.0
GAMES = [("cats_and_dogs", 3), ("pies", 4), ("bisca", 4)]


def main() -> None:
    """Measure, and print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with served.api() as api:
        paths: dict[str, str] = {}
        for ruleset, seats in GAMES:
            game = api.new_game(ruleset, api.players(seats))
            paths[f"{ruleset}-view"] = f"/v1/games/{game.id}"
            paths[f"{ruleset}-moves"] = f"/v1/games/{game.id}/legal-moves?seat={game.moves[0][0]}"
        sizes = {name: len(api.read(path)) for name, path in paths.items()}
        os.environ["BENCH_SIZES"] = ",".join(f"{name}={size}" for name, size in sizes.items())
        print(f"{'':>20} {'bytes':>6} {'ours/s':>7} {'floor/s':>8}  ratio  of cpu")
        with served.floor(api, "read") as floor:
            for name, path in paths.items():
                bare = load.request("GET", f"/games/{path.split('/')[3]}/{name}", api.key)
                compare(api, floor, name, load.request("GET", path, api.key), bare, sizes[name], rounds)
                if name.endswith("-view"):
                    ask = load.request("GET", path, api.key, known=api.etag(path))
                    compare(api, floor, name.replace("view", "304"), ask, bare, 0, rounds)


def compare(api: served.Api, floor: str, name: str, ask: bytes, bare: bytes, size: int, rounds: int) -> None:
    """Alternate between both servers, and print a line."""
    pairs = [
        (
            load.run(served.address(api.url), [itertools.repeat(ask)] * CLIENTS, SECONDS),
            load.run(served.address(floor), [itertools.repeat(bare)] * CLIENTS, SECONDS),
        )
        for _ in range(rounds)
    ]
    rate = statistics.median(ours.rate / floor.rate for ours, floor in pairs)
    cost = statistics.median(floor.cost / ours.cost for ours, floor in pairs)
    ours, floors = (statistics.median(run.rate for run in runs) for runs in zip(*pairs, strict=True))
    print(f"{name:>20} {size:>6} {ours:>7.0f} {floors:>8.0f}   {rate:.2f}    {cost:.2f}", flush=True)


if __name__ == "__main__":
    main()
