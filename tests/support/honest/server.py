"""An honest server, and the moves and endings that it writes."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import referee
import referee.bots
import referee.clocks
import referee.positions
import referee.proofs
import referee.records
import referee.table
from referee.log.consent import Votes
from referee.log.pace import Increments
from tests.support.packages import RELEASED

HOUR = timedelta(hours=1)
BEGIN = datetime(2026, 3, 5, 12, tzinfo=UTC)  # a Thursday: the weekend is near
PACES: tuple[dict[str, Any] | None, ...] = (
    None,
    {"per_move": "PT24H", "on_timeout": "resign"},
    {"per_move": "PT24H", "on_timeout": "random_move", "reserve": "PT9H", "vacation_days": 5},
    {"per_move": "PT8H", "on_timeout": "random_move", "reserve": "PT30H", "quiet_weekends": True},
    {"per_move": "PT12H", "on_timeout": "random_move", "reserve": "PT4H30M", "increment": "PT45M"},
    {"per_move": "P1DT6H", "on_timeout": "bot", "vacation_days": 3},
    {
        "per_move": "PT20H",
        "on_timeout": "random_move",
        "reserve": "PT2H",
        "increment": "PT10M",
        "quiet_weekends": True,
        "weekends": "-03:30",
        "vacation_days": 9,
    },
    {
        "per_move": "PT10H",
        "on_timeout": "random_move",
        "reserve": "PT5H",
        "increment": "PT50M",
        "reserve_cap": "PT5H30M",
        "out_after": 2,
    },
    {"per_move": "PT6H", "on_timeout": "random_move", "out_after": 1},
    {
        "per_move": "PT16H",
        "on_timeout": "random_move",
        "quiet_weekends": True,
        "weekends": "+01:00",
        "vacation_days": 2,
        "out_after": 1,
        "stand_in": "random",
    },
)
NO_PACE = {"warn_before": None, "reserve": None, "quiet_weekends": False, "vacation_days": 0}
OPTIONS: dict[str, dict[str, Any]] = {
    "dog_cards": {"turn_limit": 20, "youngest": 1},
    "landlord": {"hands": 2},
    "mau_mau": {"ace_wild": True, "must_play": False},
    "palace": {"move_limit": 30, "out_of_turn": False},
    "pedro": {"target": 20, "defenders_score": True},
    "pies": {"move_limit": 25, "blocking": "table"},
    "truco": {"target": 3, "doublings": 2},
}
BARRIERS = ("started", "timed_out", "resigned")


class Made(NamedTuple):
    """A move that counts: its entry, its seat, and the position, its number of outcomes before it."""

    seq: int
    seat: int
    move: dict[str, Any]
    before: Any
    drawn: int
    outcomes: int


def uuid(word: str) -> str:
    digits = sha256(word.encode()).hexdigest()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32]))


def private_key(word: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(sha256(f"key of {word}".encode()).digest())


class Server:
    """An honest server that writes the log of one game."""

    def __init__(self, number: int, ruleset: str | None = None, most: int = 40) -> None:
        self.choose = random.Random(number)
        games = [game for game in referee.newest() if game.ID in RELEASED]  # a new one changes no number
        self.rules = referee.find(ruleset) if ruleset else games[number % len(games)]
        self.seats = self.choose.choice(self.rules.SEATS)
        given = OPTIONS.get(self.rules.ID, {}) if self.choose.random() < 0.5 else {}
        if self.rules.ID == "bisca" and self.seats == 4:
            given = {"partners": self.choose.random() < 0.5, "target": 2}
        self.options = referee.positions.read_options(self.rules, self.seats, given)[1]
        self.most = most
        self.number = number
        self.seed = sha256(b"honest %d" % number).digest()
        self.at = BEGIN + timedelta(minutes=self.choose.randrange(6000), microseconds=number)
        pace = self.choose.choice(PACES)
        self.pace = None if pace is None else {**NO_PACE, **pace}
        self.entries: list[dict[str, Any]] = []
        self.moves: list[Made] = []
        self.held: list[dict[str, Any] | None] = [None] * self.seats
        self.keys: dict[int, Ed25519PrivateKey] = {}
        self.all_keys: dict[str, Ed25519PrivateKey] = {}  # by public key
        self.entropy = [""] * self.seats
        self.clocks = [referee.clocks.Clock()] * self.seats
        self.increments = Increments()
        self.votes = Votes()
        self.late: dict[int, int] = {}
        self.forced: dict[int, dict[str, int]] = {}
        self.barrier = 0
        self.state: Any = None
        self.ended: dict[str, Any] | None = None
        self.commits = self.over = False
        self.test_clock: str | None = None
        self.key = b""
        self.chance = referee.Noted(b"")

    def write(
        self,
        kind: str,
        members: dict[str, Any],
        private: dict[str, Any] | None = None,
        action: dict[str, Any] | None = None,
    ) -> int:
        """Write an entry; a seat with a key signs its `action`."""
        seq, seat = len(self.entries) + 1, members.get("seat")
        head = bytes.fromhex(self.entries[-1]["hash"]) if self.entries else bytes(32)
        public = {"seq": seq, "type": kind, "at": referee.clocks.timestamp(self.at), **members}
        if action is not None and seat in self.keys and members.get("by") == "player":
            commitment = self.entries[0]["commitment"]
            message = referee.proofs.bytes_to_sign(
                commitment, head.hex(), {"type": kind, "seat": seat, **action}
            )
            signed = self.keys[seat].sign(message).hex()
            own = (private or {}).get(str(seat), {})
            (own if "move" in own else public)["signature"] = signed
        shares = referee.records.with_salts(self.seed, seq, private) if private else {}
        made = referee.records.make_entry(head, self.seed, public, shares)
        entry = {**made.public, **({"private": shares} if shares else {}), "hash": made.hash.hex()}
        entry = json.loads(json.dumps(entry))
        self.entries.append(entry)
        if self.pace is not None:
            self.increments.read(seq, entry)
        self.votes.read(entry)
        if kind in BARRIERS:
            self.barrier = seq
        return seq

    def who(self, seat: int, by: str | None = None) -> dict[str, Any]:
        held = self.held[seat] or {}
        who = {"seat": seat, "player": held.get("player")}
        if held.get("bot"):
            who["bot"] = held["bot"]
        likely = "player" if seat in self.keys else self.choose.choice(("player", "player", "app"))
        return {**who, "by": by or likely}

    def newcomer(self, word: str) -> dict[str, Any]:
        return {"player": {"id": uuid(word), "name": f"Zoë {word}"}, "bot": None}

    def join(self, seat: int, running: bool = False, who: dict[str, Any] | None = None) -> None:
        """Let somebody take a seat."""
        choose = self.choose
        word = f"{self.number}/{seat}/{len(self.entries)}"
        bot = {"player": None, "bot": choose.choice(("random", "random", "cautious"))}
        if self.number % 4:  # the cautious bot takes most of the time of all who play or verify
            bot["bot"] = "random"
        has_player = bool(self.players) or seat < self.seats - 1
        self.held[seat] = who or (bot if has_player and choose.random() < 0.2 else self.newcomer(word))
        held: dict[str, Any] = {**self.held[seat]}  # type: ignore[dict-item]
        if running:
            held["replaced"] = True
        given = choose.choice(("", "abc", "Zoë", "x" * 64)) if not running else ""
        if held["player"] and choose.random() < 0.3:
            self.keys[seat] = private_key(word)
            held["public_key"] = self.keys[seat].public_key().public_bytes_raw().hex()
            self.all_keys[held["public_key"]] = self.keys[seat]
        if self.commits and not running:
            if held["player"]:
                self.entropy[seat] = f"secret {word}"
                held["commitment"] = sha256(self.entropy[seat].encode()).hexdigest()
            else:
                self.entropy[seat] = ""
            given = ""
        elif not running:
            self.entropy[seat] = given
        self.clocks[seat] = replace(self.clocks[seat], bot=held["bot"])
        clocks = self.turns() if running else {}
        by = "player" if "public_key" in held else choose.choice(("player", "app"))
        by = "clock" if "dropped" in held else by
        self.write("joined", {"seat": seat, **held, "by": by, "entropy": given, **clocks})

    @property
    def players(self) -> list[int]:
        return [seat for seat, held in enumerate(self.held) if held and held["player"]]

    @property
    def timing(self) -> Any:
        return None if self.pace is None else referee.clocks.Pace.of(self.pace)

    def turns(self, moved: int | None = None, afresh: bool = False, **how: Any) -> dict[str, Any]:
        waiting = [] if self.state.result is not None else self.state.to_act
        return referee.clocks.turn_over(self.clocks, waiting, self.timing, self.at, moved, afresh, **how)

    def wait(self) -> None:
        """Let some time pass: sometimes until a clock has run out, never beyond a running one by chance."""
        self.at += timedelta(
            seconds=self.choose.choice((1, 60, 900, 3600, 20000)), microseconds=self.choose.randrange(9)
        )
        ends = [clock.deadline for clock in self.clocks if clock.deadline]
        if ends and self.choose.random() < 0.12:
            self.at = max(self.at, min(ends) + timedelta(seconds=self.choose.choice((0, 0, 5, 100000))))
        self.settle()

    def move(self, seat: int, move: dict[str, Any] | None = None, **marks: Any) -> None:
        choose, by = self.choose, None
        held: dict[str, Any] = self.held[seat] or {}
        if move is None and held.get("bot"):
            below = referee.bots.bot_numbers(self.key, len(self.entries) + 1)
            move, by = referee.bot_move(held["bot"], self.state, seat, below), "bot"
        elif move is None:
            moves = referee.legal_moves(self.state, seat)
            move = moves[choose.randrange(len(moves))]
            if choose.random() < 0.1:
                marks, by = {"order": True}, "order"
        before = (referee.clone(self.state), self.chance.drawn, len(self.chance.outcomes))
        transfers = referee.advance(self.state, seat, move, self.chance)
        clocks = self.turns(seat, forced=bool(marks.get("random")))
        public, private = referee.records.account(self.state, move, transfers, seat)
        members = {**self.who(seat, marks.pop("by", by)), **marks, **clocks, **public}
        seq = self.write("moved", members, private, {"move": dict(move)})
        self.moves.append(Made(seq, seat, json.loads(json.dumps(move)), *before))
        self.finish()

    def settle(self) -> None:
        """Name the seats whose time is over, and do with them what the pace says."""
        ends = {n: clock.deadline for n, clock in enumerate(self.clocks) if clock.deadline}
        late = sorted((end, seat) for seat, end in ends.items() if end <= self.at)
        if self.over or not late:
            return
        named = [seat for _, seat in late]
        if self.pace and self.pace["on_timeout"] == "resign":
            self.give_up("timed_out", *named)
            return
        for seat in named:
            self.late[seat] = self.write("timed_out", self.who(seat, "clock"))
        for seat in named:
            end = self.clocks[seat].deadline
            if not self.over and end is not None and end <= self.at and seat in self.state.to_act:
                seq = len(self.entries) + 1
                assert self.pace is not None
                move = referee.table.forced_move(self.state, seat, self.key, seq, self.pace["on_timeout"])
                self.forced[seq] = {"seat": seat, "timed_out": self.late[seat]}
                self.move(seat, move, random=True, by="clock")
        for seat in named:
            self._drop(seat)

    def _drop(self, seat: int) -> None:
        """Take a seat out of the game if it has missed too many turns."""
        pace = self.pace or {}
        if self.over or self.votes.late[seat] < pace.get("out_after", 99):
            return
        if "stand_in" in pace:
            self.replace(seat, {"player": None, "bot": pace["stand_in"]}, "clock", dropped=True)
        else:
            self.give_up("dropped", seat)

    def replace(self, seat: int, following: dict[str, Any], by: str, **marks: bool) -> None:
        """Give a seat to somebody else."""
        who = self.who(seat, by)
        facts = referee.clocks.end_turn(self.clocks, seat, self.timing, self.at)
        self.write("left", {**who, "replaced": True, **marks, **facts})
        self.keys.pop(seat, None)
        dropped = {"dropped": True} if "dropped" in marks else {}
        self.join(seat, running=True, who={**following, **dropped})

    def give_up(self, kind: str, *seats: int) -> None:
        for seat in seats:
            by = None if kind == "resigned" else "clock"
            self.write(kind, self.who(seat, by), action={} if kind == "resigned" else None)
        self.ended = {"type": kind, "seat": seats[0], **({"seats": [*seats]} if len(seats) > 1 else {})}
        referee.table.conclude(self.state, referee.resign(self.state, *seats, reason=kind))
        self.finish()

    def finish(self) -> None:
        if self.state.result is not None and not self.over:
            self.over = True
            self.write("finished", {"result": self.state.result, "seed": self.seed.hex()})

    def decide(self, kind: str, result: dict[str, Any], **ruling: Any) -> None:
        """End the game by a draw or a ruling."""
        self.write(kind, ruling)
        self.ended = {"type": kind, **ruling.get("ruling", {})}
        referee.table.conclude(self.state, result)
        self.finish()

    def cancel(self, **marks: Any) -> None:
        self.over, self.ended = True, {"type": "cancelled"}
        self.write("cancelled", marks)

    def record(self) -> dict[str, Any]:
        """Return the record of the game."""
        listed = [
            {
                "seat": made.seat,
                "move": made.move,
                **{name: self.entries[made.seq - 1][name] for name in ("seq", "at", "hash")},
            }
            for made in self.moves
        ]
        finished = (
            self.entries[[entry["type"] for entry in self.entries].index("finished")]
            if self.state is not None and self.state.result
            else None
        )
        whole = {
            "format": "card-referee/1",
            "ruleset": self.rules.ID,
            "version": self.rules.VERSION,
            "seats": self.seats,
            "options": self.entries[0]["options"],
            "seed": self.seed.hex(),
            "entropy": self.entropy,
            "moves": listed,
            "result": finished["result"] if finished else None,
            "commitment": self.entries[0]["commitment"],
            "chance": self.chance.outcomes if self.state is not None else [],
            "ended": self.ended,
            "origin": "dealt",
            "imported_by": None,
            "game": uuid(f"game {self.number}"),
            "title": "Final",
            "metadata": {"league": "north"},
            "entries": self.entries,
            **({"test_clock": self.test_clock} if self.test_clock else {}),
        }
        copied: dict[str, Any] = json.loads(json.dumps(whole))
        return copied
