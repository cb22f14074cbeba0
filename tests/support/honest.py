"""Records of games with every feature of a log, as an honest server writes them: random, but repeatable.

`honest(number)` plays a game in which players join, reveal, move, talk, take moves back, pause, go away, run
out of time, hand seats over and give up, with bots, orders, keys, reserves, and all that an operator may do.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import referee
from tests.chain import CHAIN, signature

HOUR = timedelta(hours=1)
BEGIN = datetime(2026, 3, 5, 12, tzinfo=UTC)  # a Thursday: the weekend is near
PACES: tuple[dict[str, Any] | None, ...] = (
    None,
    {"per_move": "PT24H", "on_timeout": "resign"},
    {"per_move": "PT24H", "on_timeout": "random_move", "reserve": "PT9H", "vacation_days": 5},
    {"per_move": "PT8H", "on_timeout": "random_move", "reserve": "PT30H", "quiet_weekends": True},
    {"per_move": "PT12H", "on_timeout": "random_move", "reserve": "PT4H30M", "increment": "PT45M"},
    {"per_move": "P1DT6H", "on_timeout": "bot", "own_hours": "PT16H", "vacation_days": 3},
    {
        "per_move": "PT20H",
        "on_timeout": "random_move",
        "reserve": "PT2H",
        "increment": "PT10M",
        "own_hours": "PT12H",
        "quiet_weekends": True,
        "vacation_days": 9,
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
BARRIERS = ("started", "imported", "timed_out", "resigned")


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
        games = referee.newest()
        self.rules = referee.find(ruleset) if ruleset else games[number % len(games)]
        self.seats = self.choose.choice(self.rules.SEATS)
        given = OPTIONS.get(self.rules.ID, {}) if self.choose.random() < 0.5 else {}
        if self.rules.ID == "bisca" and self.seats == 4:
            given = {"partners": self.choose.random() < 0.5, "target": 2}
        self.options = referee.read_options(self.rules, self.seats, given)[1]
        self.imported_by: dict[str, str] | None = None
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
        self.clocks = [referee.Clock()] * self.seats
        self.increments = referee.Increments()
        self.votes = referee.Votes()
        self.late: dict[int, int] = {}
        self.forced: dict[int, dict[str, int]] = {}
        self.barrier = 0
        self.state: Any = None
        self.ended: dict[str, Any] | None = None
        self.randomness: dict[str, Any] | None = None
        self.over = False

    # --- writing ---

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
        public = {"seq": seq, "type": kind, "at": referee.timestamp(self.at), **members}
        if action is not None and seat in self.keys and members.get("by") == "player":
            commitment = self.entries[0]["commitment"]
            message = referee.bytes_to_sign(commitment, head.hex(), {"type": kind, "seat": seat, **action})
            signed = self.keys[seat].sign(message).hex()
            own = (private or {}).get(str(seat), {})
            (own if "move" in own else public)["signature"] = signed
        shares = referee.with_salts(self.seed, seq, private) if private else {}
        made = referee.make_entry(head, self.seed, public, shares)
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

    @property
    def players(self) -> list[int]:
        return [seat for seat, held in enumerate(self.held) if held and held["player"]]

    @property
    def timing(self) -> Any:
        return None if self.pace is None else referee.Pace.of(self.pace)

    def delay(self, seat: int, begun: datetime, length: timedelta) -> timedelta:
        most = self.timing.own_hours
        return self.choose.choice((0, 0, 1, 2)) * most / 2 if most else timedelta()

    def turns(self, moved: int | None = None, afresh: bool = False, **how: Any) -> dict[str, Any]:
        waiting = [] if self.state.result is not None else self.state.to_act
        return referee.turn_over(
            self.clocks, waiting, self.timing, self.at, moved, afresh, delays=self.delay, **how
        )

    def wait(self) -> None:
        """Let some time pass: sometimes until a clock has run out, never beyond a running one by chance."""
        self.at += timedelta(
            seconds=self.choose.choice((1, 60, 900, 3600, 20000)), microseconds=self.choose.randrange(9)
        )
        ends = [clock.deadline for clock in self.clocks if clock.deadline]
        if ends and self.choose.random() < 0.12:
            self.at = max(self.at, min(ends) + timedelta(seconds=self.choose.choice((0, 0, 5, 100000))))
        self.settle()

    # --- before the deal ---

    def create(self) -> None:
        choose = self.choose
        terms: dict[str, Any] = {
            "ruleset": self.rules.ID,
            "ruleset_version": self.rules.VERSION,
            "options": self.options,
            "seats": self.seats,
            "visibility": choose.choice(("public", "unlisted", "private")),
            "pace": self.pace,
            "commitment": referee.commitment(self.seed),
            "log": referee.LOG,
        }
        self.commits, self.beacon = choose.random() < 0.25, choose.random() < 0.15
        if self.commits:
            terms |= {"entropy": "commit", "reveal_within": "PT2H"}
        if self.beacon:
            terms["beacon"] = CHAIN.to_json()
        self.test_clock = uuid(f"clock {self.number}") if choose.random() < 0.15 else None
        if self.test_clock:
            terms["test_clock"] = self.test_clock
        self.write("created", terms)
        if choose.random() < 0.2:
            self.write("said", {"seat": None, "player": None, "by": "app", "text": "Welcome"})

    def join(self, seat: int, running: bool = False, who: dict[str, Any] | None = None) -> None:
        choose = self.choose
        word = f"{self.number}/{seat}/{len(self.entries)}"
        bot = {"player": None, "bot": choose.choice(("random", "random", "cautious"))}
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
        self.write("joined", {"seat": seat, **held, "by": by, "entropy": given, **clocks})

    def gather(self) -> None:
        order = self.choose.sample(range(self.seats), self.seats)
        for seat in order:
            self.at += timedelta(minutes=self.choose.randrange(5))
            self.join(seat)
            if self.choose.random() < 0.1 and seat != order[-1]:
                self.write("left", self.who(seat))
                self.held[seat], self.entropy[seat] = None, ""
                self.keys.pop(seat, None)
                self.join(seat)
        if self.commits:
            self.reveal()

    def reveal(self) -> None:
        seats = self.choose.sample(self.players, len(self.players))
        late = seats[self.choose.randrange(len(seats)) :] if self.choose.random() < 0.15 else []
        for seat in seats:
            if seat not in late:
                self.at += timedelta(minutes=self.choose.randrange(1, 9))
                self.write("revealed", {**self.who(seat), "entropy": self.entropy[seat]})
        if late:
            self.at += 2 * HOUR
            for seat in late:
                self.entropy[seat] = ""
            for seat in sorted(late):
                self.write("forfeited", self.who(seat, "clock"))
            self.cancel()

    def start(self) -> None:
        drawn: dict[str, Any] = {}
        if self.beacon:
            number = CHAIN.round_after(self.at)
            self.at = CHAIN.time_of(number) + timedelta(seconds=1)
            drawn = {"randomness": {"round": number, "signature": signature(number)}}
            self.randomness = drawn["randomness"]
        given = referee.randomness(self.randomness["signature"]) if self.randomness else b""
        self.key = referee.game_key(self.seed, self.entropy, given)
        self.chance = referee.Noted(self.key)
        self.state, dealt = referee.deal(self.rules.ID, self.seats, self.options, self.chance)
        clocks = self.turns()
        public, private = referee.account(self.state, None, dealt)
        self.write("started", {**clocks, **drawn, **public}, private)

    # --- at the table ---

    def move(self, seat: int, move: dict[str, Any] | None = None, **marks: Any) -> None:
        choose, by = self.choose, None
        held: dict[str, Any] = self.held[seat] or {}
        if move is None and held.get("bot"):
            below = referee.bot_numbers(self.key, len(self.entries) + 1)
            move, by = referee.bot_move(held["bot"], self.state, seat, below), "bot"
        elif move is None:
            moves = referee.legal_moves(self.state, seat)
            move = moves[choose.randrange(len(moves))]
            if choose.random() < 0.1:
                marks, by = {"order": True}, "order"
        before = (referee.clone(self.state), self.chance.drawn, len(self.chance.outcomes))
        transfers = referee.advance(self.state, seat, move, self.chance)
        clocks = self.turns(seat, forced=bool(marks.get("random")))
        public, private = referee.account(self.state, move, transfers, seat)
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
                move = referee.forced_move(self.state, seat, self.key, seq, self.pace["on_timeout"])
                self.forced[seq] = {"seat": seat, "timed_out": self.late[seat]}
                self.move(seat, move, random=True, by="clock")

    def give_up(self, kind: str, *seats: int) -> None:
        for seat in seats:
            by = "clock" if kind == "timed_out" else None
            self.write(kind, self.who(seat, by), action={} if kind == "resigned" else None)
        self.ended = {"type": kind, "seat": seats[0], **({"seats": [*seats]} if len(seats) > 1 else {})}
        referee.conclude(self.state, referee.resign(self.state, *seats, reason=kind))
        self.finish()

    def looks(self) -> dict[str, Any]:
        if self.choose.random() < 0.5:
            return {}
        times = sorted(self.at - timedelta(minutes=self.choose.randrange(500)) for _ in range(3))
        what, by = ("cards", "moves", "token"), ("app", "auditor")
        seats: Sequence[int | None] = (None, 0)
        found = [
            {"what": what[n], "by": self.choose.choice(by), "seat": self.choose.choice(seats)}
            for n in range(3)
        ]
        return {
            "looks": [{**look, "at": referee.timestamp(at)} for look, at in zip(found, times, strict=True)]
        }

    def finish(self) -> None:
        if self.state.result is not None and not self.over:
            self.over = True
            self.write("finished", {"result": self.state.result, "seed": self.seed.hex(), **self.looks()})

    def cancel(self) -> None:
        self.over, self.ended = True, {"type": "cancelled"}
        self.write("cancelled", self.looks())

    # --- what players may do beside moving ---

    def talk(self) -> None:
        if self.players:
            self.write("said", {**self.who(self.choose.choice(self.players)), "text": "Ça va? — ok"})

    def nudge(self) -> None:
        waited = [seat for seat in self.state.to_act if seat in self.players]
        if waited and len(self.players) > 1:
            seat = self.choose.choice([each for each in self.players if each != waited[0]])
            held: dict[str, Any] = self.held[waited[0]] or {}
            self.write("nudged", {**self.who(seat), "nudge": {"seat": waited[0], "player": held["player"]}})

    def possible(self, of: int) -> bool:
        """Return whether the moves from this entry on may be taken back."""
        since = [made for made in self.moves if made.seq >= of]
        if of < self.barrier or not since:
            return False
        state = referee.clone(since[0].before)
        chance = referee.Seeded(self.key, since[0].drawn)
        return all(referee.reveals(state, made.seat, made.move, chance) is None for made in since)

    def go_back(self, of: int) -> dict[str, Any]:
        made = next(each for each in self.moves if each.seq == of)
        self.moves = [each for each in self.moves if each.seq < of]
        self.state = made.before
        assert self.chance.drawn == made.drawn
        returned = self.increments.since(of) if self.pace is not None else {}
        return self.turns(afresh=True, returned=returned)

    def take_back(self) -> None:
        own = [made for made in self.moves if made.seat in self.players]
        if not own:
            return
        seat = self.choose.choice(own).seat
        of = [made.seq for made in own if made.seat == seat][-1]
        if not self.possible(of):
            return
        self.write("take_back_requested", {**self.who(seat), "of": of}, action={})
        for other in self.players:
            if other == seat:
                continue
            if self.choose.random() < 0.15:
                self.write("take_back_refused", {**self.who(other), "of": of}, action={})
                return
            self.at += timedelta(seconds=1)
            self.write("take_back_agreed", {**self.who(other), "of": of}, action={})
        clocks = self.go_back(of)
        self.write("taken_back", {**self.who(seat), "of": of, **clocks})

    def undo(self) -> None:
        last = self.moves[-1].seq if self.moves else 0
        if last in self.forced and self.possible(last):
            clocks = self.go_back(last)
            self.write("timeout_undone", {"of": last, "undone": self.forced[last], **clocks})

    def vacation(self) -> None:
        if self.pace is None or not self.players:
            return
        seat = self.choose.choice(self.players)
        if self.timing.vacation_left(self.clocks[seat]):
            facts = referee.go_away(self.clocks, seat, self.timing, self.at, 1, self.delay)
            self.write("vacation_taken", {**self.who(seat), **facts}, action={"days": 1})

    def pause(self) -> None:
        if self.pace is None or not self.players:
            return
        for seat in self.players:
            self.write("pause_agreed", self.who(seat), action={})
        referee.pause(self.clocks, self.timing, self.at)
        self.write("paused", {})
        self.at += self.choose.randrange(90) * HOUR
        self.talk()
        end = self.choose.random()
        if end < 0.06:
            self.give_up("resigned", self.choose.choice(self.players))
        elif end < 0.1:
            self.cancel()
        else:
            facts = referee.resume(self.clocks, self.timing, self.at, self.delay)
            self.write("resumed", {**self.who(self.choose.choice(self.players)), **facts}, action={})

    def operate(self) -> None:
        if self.pace is None:
            return
        running = [seat for seat, clock in enumerate(self.clocks) if clock.deadline]
        kind = self.choose.choice(("returned", "added", "pace"))
        if kind == "returned" and running:
            since, self.at = self.at, self.at + self.choose.randrange(1, 40) * HOUR
            facts = referee.outlast(self.clocks, self.timing, since, self.at, self.delay)
            self.write("time_returned", {"since": referee.timestamp(since), **facts})
        elif kind == "added" and running:
            seat = self.choose.choice(running)
            facts = referee.add_time(self.clocks, seat, self.timing, 7 * HOUR, self.delay)
            self.write("time_added", {"added": {"seat": seat, "time": "PT7H"}, **facts})
        elif kind == "pace":
            other = [pace for pace in PACES if pace]
            referee.change_pace(self.clocks, self.timing)
            self.pace = {**NO_PACE, **self.choose.choice(other)}
            self.write("pace_changed", {"pace": self.pace})

    def hand_over(self) -> None:
        seat = self.choose.randrange(self.seats)
        others = [each for each in self.players if each != seat]
        agreed = bool(others) and self.choose.random() < 0.6
        bot = {"player": None, "bot": "random"}
        following = (
            bot if others and self.choose.random() < 0.3 else self.newcomer(f"new {len(self.entries)}")
        )
        for other in others if agreed else ():
            chosen = {"seat": seat, **following}
            player = following["player"]
            named = {**chosen, "player": player and player["id"]}
            self.write(
                "replacement_agreed",
                {**self.who(other), "replacement": chosen},
                action={"replacement": named},
            )
        how = {"agreed": True} if agreed else {}
        by = self.choose.choice(("player", "app")) if agreed else "app"
        who = self.who(seat, by)
        facts = referee.end_turn(self.clocks, seat, self.timing, self.at)
        self.write("left", {**who, "replaced": True, **how, **facts})
        self.keys.pop(seat, None)
        self.join(seat, running=True, who=following)

    def bring_in(self) -> None:
        """Continue on another server, without clocks and keys; its app gives the seats to players again."""
        if self.imported_by is not None:
            return
        self.imported_by = {"id": uuid("an app"), "name": "Another app"}
        self.write("imported", {"imported_by": self.imported_by})
        self.pace = None
        self.keys.clear()
        self.clocks = [replace(clock, deadline=None, since=None) for clock in self.clocks]
        self.held = [{"player": None, "bot": held["bot"] if held else None} for held in self.held]
        for seat, held in enumerate(self.held):
            if held and not held["bot"]:
                self.write("left", {**self.who(seat, "app"), "replaced": True})
                self.join(seat, running=True, who=self.newcomer(f"there {seat}"))

    def play(self) -> None:
        """Play until the game is over or has gone on for long enough."""
        acts: dict[Callable[[], None], float] = {
            self.talk: 0.05,
            self.nudge: 0.04,
            self.take_back: 0.12,
            self.undo: 0.3,
            self.vacation: 0.06,
            self.pause: 0.04,
            self.operate: 0.06,
            self.hand_over: 0.05,
            self.bring_in: 0.003,
        }
        while not self.over and len(self.moves) < self.most:
            self.wait()
            for act, often in acts.items():
                if not self.over and self.choose.random() < often:
                    act()
            if not self.over:
                self.move(self.choose.choice(self.state.to_act))
        if not self.over:
            self.wait()
        if not self.over:
            end = self.choose.random()
            if end < 0.3 or not self.players:
                self.cancel()
            else:
                self.give_up("resigned", self.choose.choice(self.players))
        if self.players and self.choose.random() < 0.2:
            self.talk()

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
            "origin": "imported" if self.imported_by else "dealt",
            "imported_by": self.imported_by,
            "game": uuid(f"game {self.number}"),
            "title": "Final",
            "metadata": {"league": "north"},
            "entries": self.entries,
            **({"test_clock": self.test_clock} if self.test_clock else {}),
            **({"randomness": self.randomness} if self.randomness else {}),
        }
        copied: dict[str, Any] = json.loads(json.dumps(whole))
        return copied


def played(number: int, ruleset: str | None = None, most: int = 40) -> Server:
    """Play a game; return its server, which has the keys of all players."""
    server = Server(number, ruleset, most)
    server.create()
    server.gather()
    if not server.over:
        server.start()
        server.finish()
        server.play()
    return server


def honest(number: int, ruleset: str | None = None, most: int = 40) -> dict[str, Any]:
    """Return the record of a game."""
    return played(number, ruleset, most).record()
