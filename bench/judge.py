"""Measure `referee judge` on stored positions: lines per second, and whether its memory stays constant.

The command judges positions of random cats_and_dogs games, from one pipe to another. Its memory is measured
after a tenth of the lines and after all of them.

    python -m bench.judge [LINES]
"""

import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO

import psutil

import referee

SEATS = 4
SAMPLE = 20_000  # different lines, repeated until there are enough


def questions() -> Iterator[bytes]:
    """Yield positions from endless random games, each with the move that is made in it."""
    rnd = random.Random(0)
    while True:
        chance = referee.Seeded.from_seed(rnd.randbytes(32), [""] * SEATS)
        state, _ = referee.deal("cats_and_dogs", SEATS, {}, chance)
        while state.result is None:
            seat = state.to_act[0]
            move = rnd.choice(referee.legal_moves(state, seat))
            line = {"position": referee.dump(state), "seat": seat, "move": move, "seed": "00"}
            yield json.dumps(line).encode() + b"\n"
            referee.advance(state, seat, move, chance)


def feed(pipe: IO[bytes], sample: list[bytes], lines: int) -> None:
    """Write this many lines to the command."""
    for i in range(0, lines, 100):
        pipe.write(b"".join(sample[i % len(sample) :][: min(100, lines - i)]))
    pipe.flush()


def main() -> None:
    """Print lines per second of processor time, without the start, and memory used."""
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    source = questions()
    sample = [next(source) for _ in range(SAMPLE)]
    command = [str(Path(sys.executable).with_name("referee")), "judge"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    watched = psutil.Process(process.pid)
    threading.Thread(target=feed, args=(process.stdin, sample, lines), daemon=True).start()

    def spent() -> float:
        times = watched.cpu_times()
        return times.user + times.system

    def answered(number: int) -> tuple[float, float, int]:
        """Read this many answers; return processor time, elapsed time and memory."""
        for answer in islice(process.stdout or (), number):
            if b'"legal":true' not in answer:
                raise SystemExit(f"refused: {answer.decode()}")
        return spent(), time.perf_counter(), watched.memory_info().rss

    spent_first, passed_first, held_first = answered(lines // 10)
    rest = lines - lines // 10
    spent_last, passed_last, held_last = answered(rest)
    process.stdin.close()
    if process.wait() != 0:
        raise SystemExit("some lines could not be answered")
    a_second = rest / (spent_last - spent_first), rest / (passed_last - passed_first)
    print(f"{a_second[0]:.0f} lines a second of processor time, {a_second[1]:.0f} of the clock")
    print(f"memory after a tenth {held_first >> 10} KiB, at the end {held_last >> 10} KiB")


if __name__ == "__main__":
    main()
