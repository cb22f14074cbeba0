"""Records of short games, as test vectors: log_format.py writes them to docs/reference/log-vectors.json."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import referee
import referee.clocks
import referee.proofs
import referee.records
from referee.table import Event, Fold, Members, PlayerName, Seat, Watched, Who, commands

Entry = dict[str, Any]

SEED = sha256(b"card-referee test vector").digest()
# The options of the games in the vectors. They are frozen: one that is added to a game later is left out.
OPTIONS: dict[str, Entry] = {
    "cats_and_dogs": {"first": None},
    "pedro": {"target": 50, "defenders_score": False},
}
ENTROPY = ["abc", "", "Zoë"]
PLAYERS = [Who(PlayerName(f"player-{seat}", name)) for seat, name in enumerate(("Anna", "Ben", "Zoë", "Dan"))]
BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)  # a Sunday
SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
PACE = {
    "per_move": "PT24H",
    "on_timeout": "random_move",
    "warn_before": None,
    "reserve": "PT4H",
    "quiet_weekends": True,
    "weekends": "+01:00",
    "vacation_days": 2,
    "increment": "PT1H",
    "reserve_cap": "PT4H30M",
}


class Game:
    """A game whose log is written entry by entry, each a second after the last one."""

    def __init__(self, ruleset: str, seats: int, pace: Entry | None = None) -> None:
        self.entries: list[Entry] = []
        self.names: Entry = {}
        self.at = BEGIN
        self.table = Watched(
            ruleset=ruleset,
            ruleset_version=1,
            options=OPTIONS[ruleset],
            seats=[Seat()] * seats,
            seed=SEED,
            updated_at=BEGIN,
            pace=pace,
        )
        self.fold = Fold(self.table)
        self.do(commands.play.Create("public"))
        for seat, entropy in enumerate([*ENTROPY, ""][:seats]):
            self.do(commands.seats.Sit(seat, PLAYERS[seat], entropy))
        self.go_on()

    def do(self, command: commands.Command, by: str = "player") -> int:
        """Write what a command leads to; return the number of its entry."""
        event = commands.decide(self.table, command, self.at, self.fold.recent)
        assert isinstance(event, Event), event
        return self.enter(event, by)

    def enter(self, event: Event, by: str = "player") -> int:
        """Write an event; return the number of its entry."""
        self.at += SECOND
        seq, members = len(self.entries) + 1, {**event.members}
        if "seat" in members:
            members["by"] = referee.proofs.by_itself(event.kind, members) or by
        public: Any = {"seq": seq, "type": event.kind, "at": referee.clocks.timestamp(self.at), **members}
        facts = self.fold.happen(Event(event.kind, self.at, public))
        head = bytes.fromhex(self.entries[-1]["hash"]) if self.entries else bytes(32)
        salt = sha256(b"salt %d" % seq).hexdigest()[: 2 * referee.records.SALT_BYTES]
        said: Any = {**public, **facts.public}
        made = referee.records.make_entry(head, SEED, said, facts.private, salt)
        self.names |= {str(seq): made.name} if made.name else {}
        self.entries.append(
            {**made.public, **({"private": made.private} if made.private else {}), "hash": made.hash.hex()}
        )
        return seq

    def go_on(self) -> None:
        """Write what follows by itself."""
        for event in commands.following(self.table, self.at):
            self.enter(event)

    def move(self, kind: str | None = None) -> int:
        """Make the first legal move of a type for the seat whose turn it is; return its entry."""
        seat = self.table.to_act[0]
        legal = referee.legal_moves(self.table.position, seat)
        return self.do(
            commands.play.Move(seat, next({**each} for each in legal if kind in (None, each["type"])))
        )

    def run_out(self) -> None:
        """Let the time of the seat whose turn it is run out."""
        self.at = self.table.seats[self.table.to_act[0]].deadline or self.at
        for event in commands.pass_time(self.table, self.at, lambda: self.fold.recent):
            self.enter(event)

    def hand_over(self, command: commands.seats.HandOver, by: str = "player") -> None:
        """Give a seat to somebody else."""
        self.do(command, by)
        self.enter(command.then(self.at), by)

    def resign(self, seat: int) -> Entry:
        """Let a seat resign, and return the record of the game."""
        self.do(commands.play.Resign(seat))
        self.go_on()
        table = self.table
        moves = [{"seat": made.seat, "move": made.move} for made in self.fold.moves]
        whole = {
            **referee.write_record(table.position, SEED, [each.entropy for each in table.seats], moves),
            "options": table.options,
            "commitment": referee.commitment(SEED),
            "chance": table.noted.outcomes if table.noted else [],
            "ended": {"type": "resigned", "seat": seat},
            "names": self.names,
            "entries": self.entries,
        }
        copied: Entry = json.loads(json.dumps(whole))
        return copied


def example() -> Entry:
    """Return the record of a short game: three seats, a message, two moves, and a seat that resigns."""
    game = Game("cats_and_dogs", 3)
    game.move()
    game.move()
    game.do(commands.play.Say(0, "Ça va?"))
    return game.resign(0)


def clocks() -> Entry:
    """Return a record with a pace: take-backs, a time-out that is undone, a pause, days off, added time."""
    game = Game("pedro", 4, pace=PACE)
    game.at += 34 * HOUR  # the rest of Sunday does not count: 22 hours, and so nothing of the reserve
    game.move("cut")  # the reserve grows by half an hour, to its cap
    for hours, kind in ((25, "pass"), (1, "pass"), (1, "bid")):
        # The first uses an hour of its reserve, gets it again and loses it; the second grows to the cap,
        # and loses what it grew by; the third was at the cap before, and loses nothing.
        game.at += hours * HOUR
        take_back(game, game.move(kind))
        game.move(kind)
    seat = game.table.to_act[0]
    game.run_out()
    game.do(commands.agreements.UndoTimeout())
    game.do(commands.clocks.AddTime(seat, 6 * HOUR))
    game.do(commands.clocks.TakeVacation(seat, 1))
    for other in range(4):
        game.do(commands.agreements.AgreeToPause(other))
    game.go_on()
    game.at += 100 * HOUR
    game.do(commands.agreements.EndPause(1))
    game.move("pass")
    return game.resign(0)


def take_back(game: Game, of: int) -> None:
    """Let a seat take its move back, as all others agree."""
    seat = game.entries[of - 1]["seat"]
    game.do(commands.agreements.AskTakeBack(seat))
    for other in range(4):
        if other != seat:
            game.do(commands.agreements.AgreeToTakeBack(other))
    taken_back = commands.taken_back(game.table, game.at, game.fold.recent)
    assert taken_back is not None
    game.enter(taken_back)


def handed_over() -> Entry:
    """Return a record in which a seat changes hands three times: agreed, by the app, and missed turns."""
    pace = {**PACE, "reserve": None, "increment": None, "out_after": 1, "stand_in": "random"}
    del pace["reserve_cap"]
    game = Game("cats_and_dogs", 3, pace=pace)
    for other in (0, 2):  # no log proves that a player was missing, so none is
        replacement: Any = {"seat": 1, **PLAYERS[3].to_json()}
        agreed: Members = {**game.table.who(other), "replacement": replacement}
        game.enter(Event("replacement_agreed", game.at, agreed))
    game.hand_over(commands.seats.HandOver(1, PLAYERS[3], "agreed"))
    game.hand_over(commands.seats.HandOver(1, PLAYERS[1]), by="app")
    game.run_out()
    return game.resign(next(number for number, seat in enumerate(game.table.seats) if seat.player))
