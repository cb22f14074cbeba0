"""Measure verification: entries per second of whole records, and memory over one very long log.

Rounds go through all games alternately, so other load on the machine affects them equally. Processor time is
counted, and the median is printed. The long log is created and verified entry by entry, and never stored.

    python -m bench.verify [ROUNDS]
"""

import json
import resource
import statistics
import sys
import time
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from typing import Any

import referee
import referee.records

ENTRIES = 3000  # of each ruleset, in as many records as necessary
LONG = ("dog_cards", 3)
LENGTHS = (5_000, 50_000)


def entries(ruleset: str, seats: int, seed: bytes) -> Iterator[dict[str, Any]]:
    """Yield the log of a random game, as the service writes it and an auditor sees it."""
    head, seq = bytes(32), 0

    def write(kind: str, private: dict[str, Any] | None = None, **public: Any) -> dict[str, Any]:
        nonlocal head, seq
        seq += 1
        at = f"2026-01-02T{seq // 3600 % 24:02}:{seq // 60 % 60:02}:{seq % 60:02}.000000Z"
        by = {"by": "player"} if "seat" in public else {}
        form: Any = {"seq": seq, "type": kind, "at": at, **by, **public}
        made = referee.records.make_entry(head, seed, form, private or {}, salt="00" * 16)
        head = made.hash
        return {**made.public, "hash": head.hex(), **({"private": made.private} if made.private else {})}

    entropy = [""] * seats
    chance = referee.Seeded.from_seed(seed, entropy)
    below = referee.Seeded.from_seed(seed, ["choices"]).pick
    state, transfers = referee.deal(ruleset, seats, {}, chance)
    yield write(
        "created",
        ruleset=ruleset,
        ruleset_version=state.ruleset.VERSION,
        seats=seats,
        options=dict(state.options),
        commitment=referee.commitment(seed),
        visibility="private",
        pace=None,
    )
    for seat in range(seats):
        yield write(
            "joined", seat=seat, player={"id": f"player-{seat}", "name": "Anna"}, bot=None, entropy=""
        )
    public, private = referee.records.account(state, None, transfers)
    yield write("started", private, **public)
    while state.result is None:
        seat = state.to_act[below(len(state.to_act))]
        moves = referee.legal_moves(state, seat)
        move = moves[below(len(moves))]
        public, private = referee.records.account(
            state, move, referee.advance(state, seat, move, chance), seat
        )
        yield write("moved", private, seat=seat, player={"id": f"player-{seat}", "name": "Anna"}, **public)
    yield write("finished", result=state.result, seed=seed.hex())


def head_of(ruleset: str, seats: int, seed: bytes, **more: Any) -> dict[str, Any]:
    """Return the parts of a record other than its log."""
    return {"format": "card-referee/1", "ruleset": ruleset, "seats": seats, "seed": seed.hex(), **more}


def records(ruleset: str, seats: int) -> list[dict[str, Any]]:
    """Return whole records with at least this many entries in total, parsed from JSON."""
    found: list[dict[str, Any]] = []
    count = 0
    while count < ENTRIES:
        seed = sha256(b"%d" % len(found)).digest()
        log = list(islice(entries(ruleset, seats, seed), ENTRIES))
        record = head_of(ruleset, seats, seed, result=log[-1].get("result"), entries=log)
        found.append(json.loads(json.dumps(record)))
        count += len(log)
    return found


def speed(found: list[dict[str, Any]]) -> float:
    """Return entries per second of processor time."""
    count = sum(len(record["entries"]) for record in found)
    begun = time.process_time()
    for record in found:
        assert referee.verify(record).ok
    return count / (time.process_time() - begun)


def peak() -> int:
    """Return the peak memory of this process, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    ruleset, seats = LONG
    seed = sha256(b"long").digest()
    peaks = []
    for length in LENGTHS:  # before anything else needs memory
        verification = referee.Verification(head_of(ruleset, seats, seed))
        for entry in islice(entries(ruleset, seats, seed), length):
            verification.read(entry)
        assert all(check.ok for check in verification.report().checks)
        peaks.append(peak())
    print(f"memory over one log of {ruleset}: ", end="")
    print(", ".join(f"{length} entries {top} KiB" for length, top in zip(LENGTHS, peaks, strict=True)))
    games = {game.ID: records(game.ID, max(s for s in game.SEATS if s <= 4)) for game in referee.newest()}
    taken: dict[str, list[float]] = {name: [] for name in games}
    for _ in range(rounds):
        for name, found in games.items():
            taken[name].append(speed(found))
    for name, speeds in taken.items():
        print(f"{name:15} {statistics.median(speeds):8.0f} entries/s")


if __name__ == "__main__":
    main()
