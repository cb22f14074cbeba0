"""Whole records with their logs, as the service writes them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import referee
import referee.records
import referee.table
from referee.clocks import Clock, Pace, timestamp, turn_over
from referee.engine.chance import Noted

ENTROPY = ("abc", "", "Zoë", "x" * 64, "e", "f", "g", "h", "i", "j", "k", "l", "m", "n")
BEGIN = datetime(2026, 1, 2, 3, tzinfo=UTC)
PACE = {
    "per_move": "PT72H",
    "on_timeout": "resign",
    "warn_before": None,
    "reserve": None,
    "quiet_weekends": False,
    "vacation_days": 0,
}


def game_seed(number: int) -> bytes:
    return sha256(b"seed %d" % number).digest()


def logged(
    ruleset: str, seats: int, number: int = 1, most: int = 10_000, end: str | None = None, **options: Any
):
    """Return a record of a random game with its log, ended by `end` (a type of entry) after `most` moves."""
    seed, entropy = game_seed(number), list(ENTROPY[:seats])
    pace = PACE if end == "timed_out" else None
    clocks = [Clock()] * seats
    entries: list[dict[str, Any]] = []
    head, at = bytes(32), BEGIN

    def write(kind: str, private: dict[str, Any] | None = None, **public: Any) -> None:
        nonlocal head, at
        at += timedelta(seconds=1)
        seq = len(entries) + 1
        private = referee.records.with_salts(seed, seq, private) if private else {}
        public = {"seq": seq, "type": kind, "at": timestamp(at), **public}
        entry = referee.records.make_entry(head, seed, public, private)
        head = entry.hash
        entries.append({**entry.public, "hash": head.hex(), **({"private": private} if private else {})})

    def who(seat: int, by: str = "player") -> dict[str, Any]:
        return {"seat": seat, "player": {"id": f"player-{seat}", "name": f"Anna {seat}"}, "by": by}

    def turns(moved: int | None = None) -> dict[str, Any]:
        waiting = [] if state.result else state.to_act
        return turn_over(clocks, waiting, pace and Pace.of(pace), at + timedelta(seconds=1), moved)

    chance = Noted(referee.game_key(seed, entropy))
    state, dealt = referee.deal(ruleset, seats, options, chance)
    terms = {
        "ruleset": ruleset,
        "ruleset_version": state.ruleset.VERSION,
        "seats": seats,
        "options": dict(state.options),
    }
    write("created", **terms, commitment=referee.commitment(seed), visibility="public", pace=pace)
    for seat in range(seats):
        write("joined", **who(seat), bot=None, entropy=entropy[seat])
    public, private = referee.records.account(state, None, dealt)
    write("started", private, **public, **turns())
    write("said", **who(0), text="Good luck — ça va?")
    moves = []
    for seat, move, transfers in _walk(state, chance, number):
        public, private = referee.records.account(state, move, transfers, seat)
        write("moved", private, **who(seat), **public, **turns(seat))
        moves.append({"seat": seat, "move": move})
        if len(moves) == most:
            break
    ended = None
    if end is not None and state.result is None:
        ended = {"type": end} if end == "cancelled" else {"type": end, "seat": state.to_act[0]}
        if end == "cancelled":
            write(end)
        else:
            at = clocks[ended["seat"]].deadline or at
            write(end, **who(ended["seat"], "clock" if end == "timed_out" else "player"))
            referee.table.conclude(state, referee.resign(state, ended["seat"], reason=end))
    if state.result is not None:
        write("finished", result=state.result, seed=seed.hex())
    return {
        **referee.write_record(state, seed, entropy, moves),
        "commitment": referee.commitment(seed),
        "chance": chance.outcomes,
        "ended": ended,
        "entries": entries,
    }


def _walk(state: Any, chance: Noted, number: int) -> Iterator[tuple[int, dict[str, Any], Any]]:
    """Yield the moves of a random game, each with its transfers."""
    below = referee.Seeded.from_seed(game_seed(number), ["choices"]).pick
    while state.result is None:
        seat = state.to_act[below(len(state.to_act))]
        moves = referee.legal_moves(state, seat)
        move = moves[below(len(moves))]
        yield seat, move, referee.advance(state, seat, move, chance)
