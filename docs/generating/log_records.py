"""Records of short games, as test vectors: log_format.py writes them to docs/reference/log-vectors.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import referee
import referee.clocks
import referee.positions
import referee.proofs
import referee.records
import referee.table
from referee.log.pace import Increments

Entry = dict[str, Any]

SEED = sha256(b"card-referee test vector").digest()
# The options of the games in the vectors. They are frozen: one that is added to a game later is left out.
OPTIONS: dict[str, Entry] = {
    "cats_and_dogs": {"first": None},
    "pedro": {"target": 50, "defenders_score": False},
}
ENTROPY = ["abc", "", "Zoë"]
PLAYERS = [{"id": f"player-{seat}", "name": name} for seat, name in enumerate(("Anna", "Ben", "Zoë", "Dan"))]
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
    """A game whose log is written entry by entry."""

    def __init__(self, ruleset: str, seats: int, pace: Entry | None = None) -> None:
        self.entries: list[Entry] = []
        self.moves: list[tuple[int, Entry, Any]] = []  # entry, seat and move, position before it
        self.entropy = [*ENTROPY, ""][:seats]
        self.at, self.pace, self.ruleset = BEGIN, pace, ruleset
        self.held: list[Entry] = [{"player": player, "bot": None} for player in PLAYERS[:seats]]
        self.clocks, self.increments = [referee.clocks.Clock()] * seats, Increments()
        self.chance = referee.Noted(b"")
        self.state: Any = None
        known = {
            "ruleset": ruleset,
            "ruleset_version": 1,
            "options": OPTIONS[ruleset],
            "seats": seats,
            "visibility": "public",
            "pace": pace,
        }
        self.write("created", **known, commitment=referee.commitment(SEED))
        for seat, held in enumerate(self.held):
            self.write("joined", seat=seat, **held, by="player", entropy=self.entropy[seat])

    @property
    def timing(self) -> Any:
        """The pace as the clocks understand it."""
        return self.pace and referee.clocks.Pace.of(self.pace)

    def write(self, kind: str, private: Mapping[str, Any] | None = None, **members: Any) -> int:
        """Write the next entry, a second after the last one; return its number."""
        self.at += SECOND
        seq = len(self.entries) + 1
        head = bytes.fromhex(self.entries[-1]["hash"]) if self.entries else bytes(32)
        public = {"seq": seq, "type": kind, "at": referee.clocks.timestamp(self.at), **members}
        shares = referee.records.with_salts(SEED, seq, dict(private or {}))
        made = referee.records.make_entry(head, SEED, public, shares)
        self.entries.append(
            {**made.public, **({"private": shares} if shares else {}), "hash": made.hash.hex()}
        )
        if self.pace:
            self.increments.read(seq, self.entries[-1])
        return seq

    def who(self, seat: int, by: str = "player") -> Entry:
        """Return who acts for a seat."""
        bot = {"bot": self.held[seat]["bot"]} if self.held[seat]["bot"] else {}
        return {"seat": seat, "player": self.held[seat]["player"], **bot, "by": by}

    def turns(self, moved: int | None = None, **how: Any) -> Entry:
        """Set all clocks for the next entry; return what it says of them."""
        waiting = [] if self.state.result else self.state.to_act
        return referee.clocks.turn_over(self.clocks, waiting, self.timing, self.at + SECOND, moved, **how)

    def start(self) -> None:
        """Deal the cards."""
        self.key = referee.game_key(SEED, self.entropy)
        self.chance = referee.Noted(self.key)
        self.state, transfers = referee.deal(self.ruleset, len(self.held), {}, self.chance)
        public, private = referee.records.account(self.state, None, transfers)
        self.write("started", private, **self.turns(), **public)

    def move(self, kind: str | None = None, forced: bool = False) -> int:
        """Make the first legal move of a type for the seat whose turn it is; return its entry."""
        seat = self.state.to_act[0]
        legal = referee.legal_moves(self.state, seat)
        move = next(dict(each) for each in legal if kind in (None, each["type"]))
        marks = {"random": True} if forced else {}
        if forced:
            seq = len(self.entries) + 1
            move = dict(referee.table.forced_move(self.state, seat, self.key, seq, "random_move"))
        before = referee.clone(self.state)
        transfers = referee.advance(self.state, seat, move, self.chance)
        public, private = referee.records.account(self.state, move, transfers, seat)
        who = self.who(seat, "clock" if forced else "bot" if self.held[seat]["bot"] else "player")
        seq = self.write("moved", private, **who, **marks, **self.turns(seat, forced=forced), **public)
        self.moves.append((seq, {"seat": seat, "move": move}, before))
        return seq

    def go_back(self, kind: str, of: int, **members: Any) -> None:
        """Return to the position before the move of an entry."""
        self.state = next(before for seq, _, before in self.moves if seq == of)
        self.moves = [each for each in self.moves if each[0] < of]
        clocks = self.turns(afresh=True, returned=self.increments.since(of))
        self.write(kind, of=of, **members, **clocks)

    def hand_over(self, seat: int, following: Entry, **how: Any) -> None:
        """Give a seat to somebody else."""
        left = referee.clocks.end_turn(self.clocks, seat, self.timing, self.at + SECOND)
        by = how.pop("by", "player")
        who = {**self.who(seat, by), "bot": self.held[seat]["bot"]}
        self.write("left", **who, replaced=True, **how, **left)
        self.held[seat] = following
        self.clocks[seat] = replace(self.clocks[seat], bot=following["bot"])
        dropped = {"dropped": True} if "dropped" in how else {}
        marks = {"by": by, "replaced": True, **dropped}
        self.write("joined", seat=seat, **following, **marks, entropy="", **self.turns())

    def resign(self, seat: int) -> Entry:
        """Let a seat resign, and return the record of the game."""
        self.write("resigned", **self.who(seat))
        referee.table.conclude(self.state, referee.resign(self.state, seat))
        self.write("finished", result=self.state.result, seed=SEED.hex())
        whole = {
            **referee.write_record(self.state, SEED, self.entropy, [made for _, made, _ in self.moves]),
            "options": OPTIONS[self.ruleset],
            "commitment": referee.commitment(SEED),
            "chance": self.chance.outcomes,
            "ended": {"type": "resigned", "seat": seat},
            "entries": self.entries,
        }
        copied: Entry = json.loads(json.dumps(whole))
        return copied


def example() -> Entry:
    """Return the record of a short game: three seats, a message, two moves, and a seat that resigns."""
    game = Game("cats_and_dogs", 3)
    game.start()
    game.move()
    game.move()
    game.write("said", **game.who(0), text="Ça va?")
    return game.resign(0)


def clocks() -> Entry:
    """Return a record with a pace: take-backs, a time-out that is undone, a pause, days off, added time."""
    game = Game("pedro", 4, pace=PACE)
    game.start()
    game.at += 34 * HOUR  # the rest of Sunday does not count: 22 hours, and so nothing of the reserve
    game.move("cut")  # the reserve grows by half an hour, to its cap
    for hours, kind in ((25, "pass"), (1, "pass"), (1, "bid")):
        # The first uses an hour of its reserve, gets it again and loses it; the second grows to the cap,
        # and loses what it grew by; the third was at the cap before, and loses nothing.
        game.at += hours * HOUR
        take_back(game, game.move(kind))
        game.move(kind)
    seat = game.state.to_act[0]
    game.at = game.clocks[seat].deadline or game.at
    late = game.write("timed_out", **game.who(seat, "clock"))
    forced = game.move(forced=True)
    game.go_back("timeout_undone", forced, undone={"seat": seat, "timed_out": late})
    more = referee.clocks.add_time(game.clocks, seat, game.timing, 6 * HOUR)
    game.write("time_added", added={"seat": seat, "time": "PT6H"}, **more)
    days = referee.clocks.go_away(game.clocks, seat, game.timing, game.at + SECOND, 1)
    game.write("vacation_taken", **game.who(seat), **days)
    for other in range(4):
        game.write("pause_agreed", **game.who(other))
    referee.clocks.pause(game.clocks, game.timing, game.at + SECOND)
    game.write("paused")
    game.at += 100 * HOUR
    game.write("resumed", **game.who(1), **referee.clocks.resume(game.clocks, game.timing, game.at + SECOND))
    game.move("pass")
    return game.resign(0)


def take_back(game: Game, of: int) -> None:
    """Let a seat take its move back, as all others agree."""
    seat = game.entries[of - 1]["seat"]
    game.write("take_back_requested", **game.who(seat), of=of)
    for other in range(4):
        if other != seat:
            game.write("take_back_agreed", **game.who(other), of=of)
    game.go_back("taken_back", of, **game.who(seat))


def handed_over() -> Entry:
    """Return a record in which a seat changes hands three times: agreed, by the app, and missed turns."""
    pace = {**PACE, "reserve": None, "increment": None, "out_after": 1, "stand_in": "random"}
    del pace["reserve_cap"]
    game = Game("cats_and_dogs", 3, pace=pace)
    game.start()
    following = {"player": PLAYERS[3], "bot": None}
    for other in (0, 2):
        game.write("replacement_agreed", **game.who(other), replacement={"seat": 1, **following})
    game.hand_over(1, following, agreed=True)
    game.hand_over(1, {"player": PLAYERS[1], "bot": None}, by="app")
    seat = game.state.to_act[0]
    game.at = game.clocks[seat].deadline or game.at
    game.write("timed_out", **game.who(seat, "clock"))
    game.move(forced=True)
    game.hand_over(seat, {"player": None, "bot": "random"}, by="clock", dropped=True)
    return game.resign(next(each for each, held in enumerate(game.held) if held["player"]))
