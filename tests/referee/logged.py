"""Whole records with their logs, as the service writes them."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import referee
import referee.records
import referee.table
from referee.engine.chance import Noted

ENTROPY = ("abc", "", "Zoë", "x" * 64, "e", "f", "g", "h", "i", "j", "k", "l", "m", "n")


def game_seed(number: int) -> bytes:
    return sha256(b"seed %d" % number).digest()


def logged(
    ruleset: str, seats: int, number: int = 1, most: int = 10_000, end: str | None = None, **options: Any
):
    """Return a record of a random game with its log, ended by `end` (a type of entry) after `most` moves."""
    seed, entropy = game_seed(number), list(ENTROPY[:seats])
    pace = {"per_move": "PT72H", "on_timeout": "resign", "warn_before": None} if end == "timed_out" else None
    entries: list[dict[str, Any]] = []
    head = bytes(32)

    def time(n: int) -> str:
        return f"2026-01-02T03:{n // 60 % 60:02}:{n % 60:02}.000000Z"

    def write(kind: str, private: dict[str, Any] | None = None, **public: Any) -> None:
        nonlocal head
        n = len(entries) + 1
        at = time(n)
        entry = referee.records.make_entry(
            head, seed, {"seq": n, "type": kind, "at": at, **public}, private or {}
        )
        head = entry.hash
        entries.append({**entry.public, "hash": head.hex(), **({"private": private} if private else {})})

    players = [{"id": f"player-{seat}", "name": f"Anna {seat}"} for seat in range(seats)]
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
        write("joined", seat=seat, player=players[seat], entropy=entropy[seat])
    public, private = referee.records.account(state, None, dealt)
    write("started", private, **public)
    write("said", seat=0, player=players[0], text="Good luck — ça va?")
    moves = []
    walk = _walk(state, chance, number)
    for seat, move, transfers in walk:
        public, private = referee.records.account(state, move, transfers, seat)
        if end == "timed_out" and len(moves) + 1 == most:
            public["deadlines"] = {str(waiting): time(len(entries) + 2) for waiting in state.to_act}
        write("moved", private, seat=seat, player=players[seat], **public)
        moves.append({"seat": seat, "move": move})
        if len(moves) == most:
            break
    ended = None
    if end is not None and state.result is None:
        ended = {"type": end} if end == "cancelled" else {"type": end, "seat": state.to_act[0]}
        if end == "cancelled":
            write(end)
        else:
            write(end, seat=ended["seat"], player=players[ended["seat"]])
            referee.table.conclude(state, referee.resign(state, ended["seat"]))
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
