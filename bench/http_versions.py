"""Compare moves and reads over HTTP on two checkouts, as ratios within one run: is the newer service slower?

Each checkout serves the API on a database of its own. Short rounds alternate between them, so other load on
the machine affects both; the checkout that begins alternates too. `rate` compares requests per second, new
to old; `cost` compares processor time per request (web and database), old to new: above 1 means that the
newer one is faster. Medians are printed, with quartiles of the rates.

Moves are sent with the app's key, or with the tokens of the players, as every real app sends them.

    python -m bench.http_versions OLD NEW [ROUNDS]
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import Any

from bench.checkouts import Side

MOVES = [("moves", clients) for clients in (1, 16, 64)]
MOVES += [(name, clients) for clients in (1, 16, 64) for name in ("moves keyed", "moves keyed, players")]
READS = ["view", "legal-moves", "304"]

SERVE = """
import itertools, json, sys
from bench import append
from bench.http import load, served

def moves_of(api, game, name, tokens):
    for number, (seat, move) in enumerate(game.moves):
        body = json.dumps({"seat": seat, "move": move}).encode()
        token = tokens[seat] if "players" in name else api.key
        key = f"{game.id}-{number}" if "keyed" in name else None
        yield load.request("POST", f"/v1/games/{game.id}/moves", token, body, key)

def measure(api, players, tokens, reads, name, clients, seconds):
    if name.startswith("moves"):
        stock = max(2, round(60 * seconds / clients) + 1)
        games = [[api.new_game(append.RULESET, players) for _ in range(stock)] for _ in range(clients)]
        requests = [(move for game in each for move in moves_of(api, game, name, tokens)) for each in games]
    else:
        requests = [itertools.repeat(reads[name])] * clients
    run = load.run(served.address(api.url), requests, seconds)
    return [run.rate, run.cost, run.percentile(99)]

with served.api() as api:
    players = api.players(append.SEATS)
    tokens = [api.call("POST", f"/v1/players/{player}/tokens", {})["token"] for player in players]
    game = api.new_game(append.RULESET, players)
    path = f"/v1/games/{game.id}"
    reads = {"view": path, "legal-moves": f"{path}/legal-moves?seat={game.moves[0][0]}"}
    reads = {name: load.request("GET", path, api.key) for name, path in reads.items()}
    reads["304"] = load.request("GET", path, api.key, known=api.etag(path))
    for line in sys.stdin:
        print(json.dumps(measure(api, players, tokens, reads, *json.loads(line))), flush=True)
"""


def main() -> None:
    """Measure, and print a line for each kind of request."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("old", type=Path)
    arguments.add_argument("new", type=Path)
    arguments.add_argument("rounds", type=int, nargs="?", default=9)
    arguments.add_argument("--seconds", type=float, default=2.0)
    given = arguments.parse_args()
    old, new = (Side(checkout.resolve(), SERVE) for checkout in (given.old, given.new))
    kinds = MOVES + [(name, clients) for name in READS for clients in (1, 16)]
    pairs: dict[tuple[str, int], list[tuple[Any, Any]]] = {kind: [] for kind in kinds}
    for number in range(given.rounds + 1):  # the first round warms up
        for kind in kinds:
            answers = {}
            for side in (old, new) if number % 2 else (new, old):
                answers[side] = side.ask([*kind, given.seconds])
            pairs[kind].append((answers[old], answers[new]))
    print(f"{'':22}{'clients':>8}{'old/s':>8}{'new/s':>8}{'rate':>6}{'cost':>6}{'p99':>6}   quartiles")
    for (name, clients), found in pairs.items():
        report(name, clients, found[1:])
    for side in (old, new):
        side.close()


def report(name: str, clients: int, pairs: list[tuple[Any, Any]]) -> None:
    """Print the line of one kind of request."""
    rates = [new[0] / old[0] for old, new in pairs]
    low, middle, high = statistics.quantiles(rates, n=4)
    cost = statistics.median(old[1] / new[1] for old, new in pairs)
    late = statistics.median(new[2] / old[2] for old, new in pairs)
    before, after = (statistics.median(side[0] for side in sides) for sides in zip(*pairs, strict=True))
    print(
        f"{name:22}{clients:8}{before:8.0f}{after:8.0f}{middle:6.2f}{cost:6.2f}{late:6.2f}"
        f"   {low:.2f} to {high:.2f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
