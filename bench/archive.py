"""Measure verification at scale: beside an older commit, with receipts, and of an archive of many games.

First, it measures entries per second of processor time on one core, in alternating rounds, and prints
medians: of both checkouts, and of this one with receipts. Then it times `referee verify` of an archive:
with one process, with two, and with one and two workers of a Dask cluster. Run it on an otherwise idle
machine with two cores.
    python -m bench.archive [--games 100000] [--moves 6] [--rounds 5] [--old 19dc87b]
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import referee
import referee.records
import referee.table
from bench.checkouts import Side
from referee.proofs.receipts import Key, checkpoint, signed_note

TABLES = (("cats_and_dogs", 4), ("dog_cards", 4), ("mau_mau", 4), ("pedro", 4))
ENTRIES = 3000  # of each ruleset, in as many records as necessary
SHORT = ("cats_and_dogs", 2)  # games in the archive; a seat resigns after so many moves
DISTINCT = 2000  # different games in the archive; every line is still read and verified
EVERY = 10  # one receipt is kept for so many entries
NAME, GAME = "cards.example.org", "0195f000-0000-7000-8000-000000000001"

VERIFY = """
import json, sys, time
import referee

keys = None
for line in sys.stdin:
    path, receipts = json.loads(line)
    texts = open(path, "rb").read().splitlines()
    kept = open(receipts).read() if receipts else ""
    if receipts:
        from referee.verification.forks import compare
        from referee.proofs.receipts import read_keys, read_receipts
        keys, *notes = json.loads(kept)
    count, begun = 0, time.process_time()
    for n, text in enumerate(texts):
        record = json.loads(text)
        assert referee.verify(record).ok
        count += len(record["entries"])
        if receipts:
            assert all(held.ok for held in compare(record, read_receipts(notes[n]), read_keys(keys)))
    print(count / (time.process_time() - begun), flush=True)
"""


def record(ruleset: str, seats: int, number: int, most: int) -> dict[str, Any]:
    """Return a record of a random game with its log."""
    seed = sha256(b"%d" % number).digest()
    below = referee.Seeded.from_seed(seed, ["choices"]).pick
    chance = referee.Noted(referee.game_key(seed, [""] * seats))
    log: list[dict[str, Any]] = []
    head = bytes(32)

    def write(kind: str, private: dict[str, Any] | None = None, **public: Any) -> None:
        nonlocal head
        seq = len(log) + 1
        at = f"2026-01-02T{seq // 3600 % 24:02}:{seq // 60 % 60:02}:{seq % 60:02}.000000Z"
        by = {"by": "player"} if "seat" in public else {}
        said: Any = {"seq": seq, "type": kind, "at": at, **by, **public}
        made = referee.records.make_entry(head, seed, said, private or {}, salt="00" * 16)
        head = made.hash
        shown = {"private": made.private} if made.private else {}
        log.append({**made.public, "hash": head.hex(), **shown})

    state, transfers = referee.deal(ruleset, seats, {}, chance)
    terms = {"ruleset": ruleset, "ruleset_version": state.ruleset.VERSION, "options": dict(state.options)}
    promised = {"commitment": referee.commitment(seed), "visibility": "private", "pace": None}
    write("created", seats=seats, **terms, **promised)
    people = [{"id": f"player-{seat}", "name": "Anna"} for seat in range(seats)]
    for seat, player in enumerate(people):
        write("joined", seat=seat, player=player, bot=None, entropy="")
    public, private = referee.records.account(state, None, transfers)
    write("started", private, **public)
    moves = []
    while state.result is None and len(moves) < most:
        seat = state.to_act[below(len(state.to_act))]
        listed = referee.legal_moves(state, seat)
        move = listed[below(len(listed))]
        public, private = referee.records.account(
            state, move, referee.advance(state, seat, move, chance), seat
        )
        write("moved", private, seat=seat, player=people[seat], **public)
        moves.append({"seat": seat, "move": move})
    ended = None
    if state.result is None:
        ended = {"type": "resigned", "seat": state.to_act[0]}
        write("resigned", seat=ended["seat"], player=people[ended["seat"]])
        referee.table.conclude(state, referee.resign(state, ended["seat"], reason="resigned"))
    write("finished", result=state.result, seed=seed.hex())
    record = referee.write_record(state, seed, [""] * seats, moves)
    return {**record, "chance": chance.outcomes, "ended": ended, "entries": log}


def records(ruleset: str, seats: int) -> list[dict[str, Any]]:
    """Return records with at least this many entries in total."""
    found: list[dict[str, Any]] = []
    while sum(len(each["entries"]) for each in found) < ENTRIES:
        found.append(record(ruleset, seats, len(found), ENTRIES))
    return found


def receipts(found: list[dict[str, Any]]) -> list[str]:
    """Return the server's key, and the receipts for each record: of every tenth entry and of the last."""
    private = Ed25519PrivateKey.from_private_bytes(bytes(32))
    key = Key(NAME, private.public_key().public_bytes_raw())
    lines = [key.vkey + "\n"]
    for each in found:
        log = each["entries"]
        notes = []
        for size in (*range(EVERY, len(log), EVERY), len(log)):
            text = checkpoint(f"{NAME}/{GAME}", size, bytes.fromhex(log[size - 1]["hash"]))
            notes.append(signed_note(text, key, private.sign(text.encode())))
        lines.append("".join(notes))
    return lines


def written(folder: Path, name: str, found: list[dict[str, Any]]) -> Path:
    """Write the records to a file, one per line, and return its path."""
    path = folder / name
    path.write_text("".join(json.dumps(each) + "\n" for each in found))
    return path


def one_core(folder: Path, old: str, rounds: int) -> None:
    """Measure verification on one core, and print a table."""
    here = Path(__file__).parents[1]
    before = folder / "before"
    before.mkdir()
    packed = subprocess.run(["git", "-C", here, "archive", old, "referee"], check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", before], input=packed.stdout, check=True)
    sides = {name: Side(before if name == "old" else here, VERIFY) for name in ("old", "now", "receipts")}
    print(f"entries a second of one core ({rounds} rounds, medians)\n")
    print(f"| game | {old} | now | ratio | with receipts |")
    print("| --- | --- | --- | --- | --- |")
    for ruleset, seats in TABLES:
        played = records(ruleset, seats)
        path = str(written(folder, ruleset, played))
        kept = folder / f"{ruleset}-receipts"
        kept.write_text(json.dumps(receipts(played)))
        taken: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(rounds):
            taken["old"].append(sides["old"].ask([path, None]))
            taken["now"].append(sides["now"].ask([path, None]))
            taken["receipts"].append(sides["receipts"].ask([path, str(kept)]))
        was, now, held = (statistics.median(speeds) for speeds in taken.values())
        print(f"| {ruleset} | {was:,.0f} | {now:,.0f} | {now / was:.2f} | {held:,.0f} |")
    for side in sides.values():
        side.close()


def archive(path: Path, games: int, moves: int) -> int:
    """Write an archive of this many games; return its number of entries."""
    distinct = [record(*SHORT, number, moves) for number in range(min(games, DISTINCT))]
    lines = [json.dumps(each, separators=(",", ":")).encode() for each in distinct]
    with path.open("wb") as file:
        for number in range(games):
            file.write(b'{"game":"game-%d","record":%s}\n' % (number, lines[number % len(lines)]))
    return sum(len(distinct[number % len(distinct)]["entries"]) for number in range(games))


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[str]:
    """Run a Dask scheduler and this many workers with one thread each; yield the scheduler's address."""
    file = folder / f"scheduler-{workers}.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    words = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
    started = [subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_scheduler", *words], **quiet)]  # type: ignore[call-overload]
    try:
        while not file.exists() or not file.read_text():
            time.sleep(0.05)
        address = json.loads(file.read_text())["address"]
        for number in range(workers):
            local = ("--local-directory", str(folder / f"worker-{workers}-{number}"))
            more = (address, "--no-nanny", "--nthreads", "1", "--no-dashboard", *local)
            started.append(
                subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", *more], **quiet)  # type: ignore[call-overload]
            )
        from distributed import Client

        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=60)
        yield address
    finally:
        for process in reversed(started):  # a worker without its scheduler keeps waiting, even after SIGTERM
            process.kill()
            process.wait()


def many(folder: Path, games: int, moves: int) -> None:
    """Measure `referee verify` on an archive, and print a table."""
    path = folder / "games.ndjson"
    entries = archive(path, games, moves)
    print(
        f"\n`referee verify` of an archive: {games:,} games ({min(games, DISTINCT):,} different ones),",
        end="",
    )
    print(f" {entries:,} entries, {path.stat().st_size / 2**20:,.0f} MiB\n")
    print("| how | seconds | games a second | entries a second | compared with one |")
    print("| --- | --- | --- | --- | --- |")

    def timed(how: str, beside: float | None, *words: str) -> float:
        begun = time.perf_counter()
        command = [sys.executable, "-c", "from referee.cli import main; main()", "verify", *words, str(path)]
        done = subprocess.run(command, capture_output=True, text=True)
        spent = time.perf_counter() - begun
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"{games} records" in done.stdout, done.stdout
        ratio = f"{beside / spent:.2f}" if beside else ""
        print(
            f"| {how} | {spent:.1f} | {games / spent:,.0f} | {entries / spent:,.0f} | {ratio} |", flush=True
        )
        return spent

    alone = timed("one process", None, "--jobs", "1")
    timed("two processes", alone, "--jobs", "2")
    first = None
    for workers in (1, 2):
        with cluster(folder, workers) as address:
            spent = timed(f"Dask, {workers} worker{'s' * (workers > 1)}", first, "--scheduler", address)
        first = first or spent


def main() -> None:
    """Measure, and print all tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--moves", type=int, default=6, help="of each game of the archive, at most")
    parser.add_argument("--rounds", type=int, default=5, help="of one core; 0: the archive alone")
    parser.add_argument("--old", default="19dc87b")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="card-referee-bench-") as name:
        if given.rounds:
            one_core(Path(name), given.old, given.rounds)
        many(Path(name), given.games, given.moves)


if __name__ == "__main__":
    main()
