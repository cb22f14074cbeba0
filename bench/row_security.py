"""Measure what row-level security costs per move: the same moves over HTTP with and without the policies.

There is one server and one database; the policies are switched on and off alternately, in short rounds. `of
cpu` compares the processor time per move (web and database) with the policies to that without them. Tokens
are looked up through the same function on both sides.

    python -m bench.row_security [ROUNDS]
"""

from __future__ import annotations

import statistics
import sys

from api.run.row_security import OWN
from bench.append import SEATS, stocked
from bench.http import load, served
from bench.http.served import Api

CLIENTS = 4
SECONDS = 2.0
STOCK = 32  # games that a client plays in a round at most
WARM = 1.5  # seconds after which every connection has planned its statements again


def switch(api: Api, on: bool) -> None:
    """Switch the policies of every table on or off."""
    for table in OWN:
        api.sql.execute(f"ALTER TABLE {table} {'ENABLE' if on else 'DISABLE'} ROW LEVEL SECURITY")


def measure(api: Api, players: list[str]) -> load.Measured:
    """Let clients play for this many seconds."""
    moves = [stocked(api, players, STOCK) for _ in range(CLIENTS)]
    load.run(served.address(api.url), moves, WARM)
    return load.run(served.address(api.url), moves, SECONDS)


def main() -> None:
    """Measure, and print a line for each side and the ratios."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    found: dict[bool, list[load.Measured]] = {False: [], True: []}
    with served.api() as api:
        players = api.players(SEATS)
        for number in range(rounds):
            for on in (False, True) if number % 2 else (True, False):
                switch(api, on)
                found[on].append(measure(api, players))
    for on, runs in found.items():
        cost = statistics.quantiles([run.cost for run in runs], n=4)
        rate = statistics.median(run.rate for run in runs)
        name = "with" if on else "without"
        print(f"{name:>8}: {rate:.0f} moves/s, {cost[1]:.3f} ms cpu a move ({cost[0]:.3f} to {cost[2]:.3f})")
    ratios = [on.cost / off.cost for on, off in zip(found[True], found[False], strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(f"  of cpu: {middle:.3f} (quartiles {low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main()
