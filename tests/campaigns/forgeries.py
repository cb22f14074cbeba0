"""Forge records in every way, and let all verifiers look for it: `python -m tests.campaigns.forgeries`.

Four kinds of forgers: `plain` changes a file; `rebuilt` owns the database and the seed, and makes every
seal and hash anew; `re-signed` has the keys of the players too; `semantic` writes plausible lies into
entries of each type, with everything that a forger could make consistent. Every forgery must be found by
the referee's verifier and by the page's, or be of a kind that is listed: in docs/explanation/trust.md as
one that nobody detects, or, for the page, on the page. A sample is given to the independent verifier.
Honest records must never be accused.

The work is done in batches, each repeatable by itself from the seed and its number, in other processes.
The last line is always a verdict. Exit status: 0 without problems, 1 with problems, 2 if there is no verdict
because the run was ended.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

from tests.audit.forging.forgers import forgeries, honest_games
from tests.audit.forging.judging import Outcome, found, judge, problem
from tests.audit.forging.unfound import reason
from tests.independent.game import Referee
from tests.independent.verify import verify as independently
from tests.support.honest import honest
from tests.support.node import ask

BATCH, HONEST = 250, 15  # forgeries, and honest records
GAMES = 1000  # numbers of games for each batch
INDEPENDENT = 5  # every n-th record is given to the independent verifier too


class Batch(NamedTuple):
    """What came of a batch: counts, and problems."""

    forged: int
    tally: Counter[str]
    problems: list[str]


def run(seed: int, number: int, count: int, directory: Path) -> Batch:
    """Run a batch; write each record that is a problem to the directory."""
    first = (seed * GAMES + number) * GAMES
    independent = Referee()
    try:
        outcomes = judge([*forgeries(count, honest_games(first), first)], independent, INDEPENDENT)
        tally: Counter[str] = Counter()
        wrong: list[str] = []
        for at, outcome in enumerate(outcomes):
            count_outcome(tally, outcome)
            if (fault := problem(outcome)) is not None:
                wrong.append(save(fault, outcome.forgery.record, directory / f"{seed}-{number}-{at}.json"))
        for game, fault, record in accusations(first, independent):
            path = directory / f"honest-{game}.json"
            wrong.append(save(f"honest game {game} is accused: {fault}", record, path))
        tally["honest records"] = HONEST
    finally:
        independent.close()
    return Batch(count, tally, wrong)


def count_outcome(tally: Counter[str], outcome: Outcome) -> None:
    kind = outcome.forgery.kind
    tally[f"{kind}: forgeries"] += 1
    tally[f"{kind}: found by the referee"] += bool(outcome.by_referee)
    tally[f"{kind}: found by the page"] += bool(outcome.by_page)
    if not outcome.by_referee:
        _, _, deed = outcome.forgery.what.partition(": ")
        tally[f"listed: {reason(outcome.forgery)}: {deed.partition(' (')[0]}"] += 1


def accusations(first: int, independent: Referee) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield the honest games that a verifier accuses, each with the reason and its record."""
    records = {game: honest(game) for game in range(first, first + HONEST)}
    for (game, record), answer in zip(records.items(), ask([*records.values()]), strict=True):
        third = independently(record, independent)[0]
        findings = [*found(record).items(), *([] if answer["ok"] else [answer]), *([third] if third else [])]
        if findings:
            yield game, str(findings), record


def save(fault: str, record: dict[str, Any], path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1), "utf-8")
    return f"{fault} [{path}]"


def campaign(count: int, seed: int, processes: int, directory: Path) -> int:
    """Run all batches, printing what each found; return the exit status."""
    begun, total, done, wrong = time.monotonic(), Counter[str](), 0, 0
    sizes = [min(BATCH, count - at) for at in range(0, count, BATCH)]
    pool = ProcessPoolExecutor(processes)
    try:
        running = [pool.submit(run, seed, number, size, directory) for number, size in enumerate(sizes)]
        for future in as_completed(running):
            batch = future.result()
            done, wrong = done + batch.forged, wrong + len(batch.problems)
            total += batch.tally
            for line in batch.problems:
                print(f"PROBLEM {line}")
            print(f"{done} of {count}, {wrong} problems, {time.monotonic() - begun:.0f} s", flush=True)
    except BaseException as error:
        print(f"NO VERDICT: the run ended after {done} of {count} forgeries: {error!r}", flush=True)
        pool.shutdown(wait=False, cancel_futures=True)
        return 2
    pool.shutdown()
    for line, number in sorted(total.items()):
        print(f"{number:6} {line}")
    honest_records = total["honest records"]
    print(f"VERDICT seed {seed}: {count} forgeries, {honest_records} honest records, {wrong} problems")
    return min(wrong, 1)


def main() -> int:
    """Read the arguments and run the campaign."""
    parser = argparse.ArgumentParser(description="Forge records, and let all verifiers look for it.")
    parser.add_argument("count", type=int, nargs="?", default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument(
        "--directory", type=Path, default=Path("build/forgeries"), help="for records that are problems"
    )
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit("ended by SIGTERM"))
    return campaign(given.count, given.seed, given.processes, given.directory)


if __name__ == "__main__":
    sys.exit(main())
