"""Compare, over HTTP, pairs of games that differ only in what a viewer may not see.

    python -m tests.campaigns.noninterference [--positions N] [--moves N] [--seed N]

Two servers with the same ids, clock and seeds play the same moves with different hidden cards. Every answer
to the viewer, spectators and other apps is compared, including headers. A position counts as compared if the
two really differ and all of these requests were made. The counts are printed at the end, also after Ctrl-C; a
difference ends it with status 1.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import sys
import time

import click

from tests.noninterference.comparing import Count, Leak, play
from tests.noninterference.pairs import make_pair
from tests.noninterference.served import every_table, two_worlds


@click.command(help=__doc__)
@click.option("--positions", default=10_000, help="How many compared positions are enough.")
@click.option("--moves", default=60, help="Moves of a game at most.")
@click.option("--seed", default=1)
@click.option("--sweep-every", default=40, help="In every so many pairs all operations are asked for, once.")
def main(positions: int, moves: int, seed: int, sweep_every: int) -> None:
    count, chance, begun = Count(), random.Random(seed), time.monotonic()
    listed = every_table()
    with contextlib.suppress(KeyboardInterrupt), two_worlds() as worlds:
        for number in itertools.count(seed * 1_000_000):
            table = chance.choice(listed)
            viewer = chance.choice([None, *range(table.seats)])
            pair = make_pair(table, viewer, number, chance.randrange(5, moves))
            if pair is None:
                continue
            at = chance.randrange(len(pair.one.moves) + 1) if count.pairs % sweep_every == 0 else None
            try:
                play(worlds, pair, number, count, sweep_at=lambda n, at=at: n == at).end()
            except Leak as leak:
                print(leak)
                sys.exit(1)
            if count.pairs % 20 == 0:
                print(f"{count.positions:,} positions, {time.monotonic() - begun:.0f} s", flush=True)
            if count.positions >= positions:
                break
    print(
        f"{count.pairs:,} pairs of {len(count.rulesets)} rulesets, {count.positions:,} compared positions, "
        f"{count.answers:,} compared answers, {len(count.operations)} operations, no difference"
    )


if __name__ == "__main__":
    main()
