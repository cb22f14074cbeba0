"""Whole records with their logs, as the service writes them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import referee
import referee.positions
import referee.proofs
import referee.records
from referee.clocks import timestamp
from referee.table import Event, Fold, PlayerName, Seat, Watched, Who, commands

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


def salt(seq: int) -> str:
    """Return the salt of what was spoken; here it is the same in each run."""
    return sha256(b"salt %d" % seq).hexdigest()[:32]


class Log:
    """A game that is written entry by entry, each a second after the last one."""

    def __init__(self, ruleset: str, seed: bytes, options: dict[str, Any], seats: int, pace: Any) -> None:
        rules = referee.find(ruleset)
        self.table = Watched(
            ruleset=ruleset,
            ruleset_version=rules.VERSION,
            options=referee.positions.read_options(rules, seats, options)[1],
            seats=[Seat()] * seats,
            seed=seed,
            updated_at=BEGIN,
            pace=pace,
        )
        self.fold = Fold(self.table)
        self.at, self.head = BEGIN, bytes(32)
        self.entries: list[dict[str, Any]] = []
        self.names: dict[str, Any] = {}

    def do(self, command: commands.Command) -> None:
        event = commands.decide(self.table, command, self.at, self.fold.recent)
        assert isinstance(event, Event), event
        self.enter(event)

    def enter(self, event: Event) -> None:
        self.at += timedelta(seconds=1)
        seq, members = len(self.entries) + 1, {**event.members}
        if "seat" in members:
            members.setdefault("by", referee.proofs.by_itself(event.kind, members) or "player")
        public: Any = {"seq": seq, "type": event.kind, "at": timestamp(self.at), **members}
        facts = self.fold.happen(Event(event.kind, self.at, public))
        said: Any = {**public, **facts.public}
        entry = referee.records.make_entry(self.head, self.table.seed, said, facts.private, salt=salt(seq))
        self.head = entry.hash
        self.names |= {str(seq): entry.name} if entry.name else {}
        private = {"private": entry.private} if entry.private else {}
        self.entries.append({**entry.public, "hash": entry.hash.hex(), **private})

    def go_on(self) -> None:
        for event in commands.following(self.table, self.at):
            self.enter(event)

    def begin(self, entropy: Sequence[str]) -> None:
        """Let players sit down, and deal."""
        self.do(commands.play.Create("public"))
        for seat, given in enumerate(entropy):
            self.do(commands.seats.Sit(seat, Who(PlayerName(f"player-{seat}", f"Anna {seat}")), given))
        self.go_on()

    def record(self, ended: dict[str, Any] | None = None) -> dict[str, Any]:
        table = self.table
        moves = [{"seat": made.seat, "move": made.move} for made in self.fold.moves]
        entropy = [seat.entropy for seat in table.seats]
        return {
            **referee.write_record(table.position, table.seed, entropy, moves),
            "commitment": referee.commitment(table.seed),
            "chance": table.noted.outcomes if table.noted else [],
            "ended": ended,
            "names": self.names,
            "entries": self.entries,
        }


def logged(
    ruleset: str, seats: int, number: int = 1, most: int = 10_000, end: str | None = None, **options: Any
):
    """Return a record of a random game with its log, ended by `end` (a type of entry) after `most` moves."""
    log = Log(ruleset, game_seed(number), options, seats, PACE if end == "timed_out" else None)
    table = log.table
    log.begin(ENTROPY[:seats])
    log.enter(Event("said", log.at, {**table.who(0), "text": "Good luck — ça va?"}))
    below = referee.Seeded.from_seed(game_seed(number), ["choices"]).pick
    while table.position.result is None and len(log.fold.moves) < most:
        seat = table.to_act[below(len(table.to_act))]
        moves = referee.legal_moves(table.position, seat)
        log.do(commands.play.Move(seat, {**moves[below(len(moves))]}))
    ended = None
    if end is not None and table.position.result is None:
        seat = table.to_act[0]
        ended = {"type": end} if end == "cancelled" else {"type": end, "seat": seat}
        if end == "timed_out":
            log.at = table.seats[seat].deadline or log.at
            log.enter(Event(end, log.at, table.who(seat)))
        else:
            log.do(commands.play.Cancel() if end == "cancelled" else commands.play.Resign(seat))
    log.go_on()
    return log.record(ended)
