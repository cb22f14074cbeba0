"""Compare random games on two checkouts, as ratios within one run: is the newer referee slower?

Both play the same games from the same seeds, move by move: the legal moves are listed, one is chosen and
applied, and its transfers are recorded. With `--judge`, every move is judged as well. Both checkouts
alternate in short rounds, each in its own process; processor time is counted, and medians are compared. Games
that differ are reported.

    python -m bench.referee_versions OLD NEW [ROUNDS] [--judge] [--only RULESET]
"""

import argparse
import statistics
from pathlib import Path

from bench.checkouts import Side
from bench.referee import TABLES

MOVES = 2000

PLAY = """
import hashlib, json, random, sys, time
import referee

# Bound: the newer package has a `__getattr__` for old names, with which Python looks names up more slowly.
deal, legal_moves, advance, judge = referee.deal, referee.legal_moves, referee.advance, referee.judge

for line in sys.stdin:
    ruleset, seats, options, seed, moves, judged = json.loads(line)
    source, made, played = random.Random(seed), [], 0
    begun = time.process_time()
    while played < moves:
        chance = referee.Seeded.from_seed(source.randbytes(32), [""] * seats)
        state, _ = deal(ruleset, seats, options, chance)
        while state.result is None and played < moves:
            seat = state.to_act[0]
            listed = legal_moves(state, seat)
            move = listed[int(source.random() * len(listed))]
            if judged and not judge(state, seat, move).legal:
                raise AssertionError(f"{move} is listed and refused")
            made.append((move, advance(state, seat, move, chance)))
            played += 1
    spent = time.process_time() - begun
    games = hashlib.sha256(json.dumps(made).encode()).hexdigest()
    print(json.dumps([spent, games]), flush=True)
"""


def main() -> None:
    """Print a line for each game: moves per second of the old and new one, ratio and quartiles."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("old", type=Path)
    arguments.add_argument("new", type=Path)
    arguments.add_argument("rounds", type=int, nargs="?", default=15)
    arguments.add_argument("--judge", action="store_true")
    arguments.add_argument("--only")
    given = arguments.parse_args()
    old, new = (Side(checkout.resolve(), PLAY) for checkout in (given.old, given.new))
    print(f"{'game':16}{'old/s':>10}{'new/s':>10}{'new to old':>12}   quartiles")
    for ruleset, seats, options, _ in TABLES:
        if given.only and given.only != ruleset:
            continue
        pairs = []
        for seed in range(given.rounds + 1):
            question = [ruleset, seats, options, seed, MOVES, given.judge]
            # The checkout that begins alternates too; the first round only warms up.
            sides = (old, new) if seed % 2 else (new, old)
            answers = {side: side.ask(question) for side in sides}
            if answers[old][1] != answers[new][1]:
                print(f"{ruleset}: the games of seed {seed} differ")
            pairs.append((answers[old][0], answers[new][0]))
        ratios = [a / b for a, b in pairs[1:]]
        low, middle, high = statistics.quantiles(ratios, n=4)
        before, after = (MOVES / statistics.median(times) for times in zip(*pairs[1:], strict=True))
        print(f"{ruleset:16}{before:10.0f}{after:10.0f}{middle:12.2f}   {low:.2f} to {high:.2f}", flush=True)


if __name__ == "__main__":
    main()
