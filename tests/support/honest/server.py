"""An honest server, and the moves and endings that it writes."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import referee
import referee.bots
import referee.clocks
import referee.positions
import referee.proofs
import referee.records
import referee.table
from referee.table import Event, PlayerName, Seat, Watched, Who, commands
from tests.support.packages import RELEASED

BOTS = ("random", "random", "cautious")
ENDS = ("cancelled", "drawn", "adjudicated")
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


def uuid(word: str) -> str:
    digits = sha256(word.encode()).hexdigest()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32]))


def private_key(word: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(sha256(f"key of {word}".encode()).digest())


class Server:
    """An honest server that writes the log of one game; its table says what may happen."""

    def __init__(self, number: int, ruleset: str | None = None, most: int = 40) -> None:
        self.choose = random.Random(number)
        games = [game for game in referee.newest() if game.ID in RELEASED]  # a new one changes no number
        self.rules = referee.find(ruleset) if ruleset else games[number % len(games)]
        self.seats = self.choose.choice(self.rules.SEATS)
        given = OPTIONS.get(self.rules.ID, {}) if self.choose.random() < 0.5 else {}
        if self.rules.ID == "bisca" and self.seats == 4:
            given = {"partners": self.choose.random() < 0.5, "target": 2}
        self.most = most
        self.number = number
        seed = sha256(b"honest %d" % number).digest()
        self.at = BEGIN + timedelta(minutes=self.choose.randrange(6000), microseconds=number)
        pace = self.choose.choice(PACES)
        self.table = Watched(
            ruleset=self.rules.ID,
            ruleset_version=self.rules.VERSION,
            options=referee.positions.read_options(self.rules, self.seats, given)[1],
            seats=[Seat()] * self.seats,
            seed=seed,
            updated_at=self.at,
            pace=None if pace is None else {**NO_PACE, **pace},
        )
        self.fold = referee.table.Fold(self.table)
        self.entries: list[dict[str, Any]] = []
        self.names: dict[str, Any] = {}
        self.keys: dict[int, Ed25519PrivateKey] = {}
        self.all_keys: dict[str, Ed25519PrivateKey] = {}  # by public key
        self.secrets: dict[int, str] = {}  # entropy that seats have committed to
        self.test_clock: str | None = None

    @property
    def state(self) -> Any:
        return self.table.position

    @property
    def players(self) -> list[int]:
        return [number for number, seat in enumerate(self.table.seats) if seat.player]

    @property
    def over(self) -> bool:
        return self.table.over

    # --- the log ---

    def ask(self, command: commands.Command, by: str | None = None) -> bool:
        """Write what follows from a command; return whether the table allows it."""
        event = commands.decide(self.table, command, self.at, self.fold.recent)
        if isinstance(event, referee.Refusal):
            return False
        self.enter(event, by)
        return True

    def enter(self, event: Event, by: str | None = None) -> None:
        """Write an event; a seat with a key signs what it does."""
        kind, seq, seat = event.kind, len(self.entries) + 1, event.members.get("seat")
        members: dict[str, Any] = {**event.members}
        if kind == "joined" or (by and seat is None):
            members["by"] = by
        elif seat is not None:
            likely = "player" if seat in self.keys else self.choose.choice(("player", "player", "app"))
            members["by"] = by or referee.proofs.by_itself(kind, members) or likely
        form = {"seq": seq, "type": kind, "at": referee.clocks.timestamp(self.at), **members}
        entry: Any = form
        facts = self.fold.happen(event._replace(members=entry))
        private: dict[str, Any] = {seat: {**share} for seat, share in facts.private.items()}
        public: Any = {**form, **facts.public}
        head = bytes.fromhex(self.entries[-1]["hash"]) if self.entries else bytes(32)
        action = referee.proofs.signed_action(kind, entry | facts.public | members)
        if action is not None and seat in self.keys and members["by"] == "player":
            message = referee.proofs.bytes_to_sign(self.entries[0]["commitment"], head.hex(), action)
            shares = (private.get(name, {}) for name in (str(seat), referee.records.ALL))
            place = next((share for share in shares if "move" in share), public)
            place["signature"] = self.keys[seat].sign(message).hex()
        salt = sha256(b"salt %d" % seq).hexdigest()[:32]
        made = referee.records.make_entry(head, self.table.seed, public, private, salt)
        self.names |= {str(seq): {**made.name}} if made.name else {}
        shown = {"private": made.private} if made.private else {}
        whole = {**made.public, **shown, "hash": made.hash.hex()}
        self.entries.append(json.loads(json.dumps(whole)))
        if kind in ("left", "key_retired") and seat is not None:
            self.keys.pop(seat, None)

    def write(self, kind: str, **members: Any) -> None:
        """Write what a table does not decide."""
        said: Any = members
        self.enter(Event(kind, self.at, said))

    def go_on(self) -> None:
        """Write what follows by itself."""
        for event in commands.following(self.table, self.at):
            self.enter(event)

    # --- people ---

    def who(self, seat: int) -> dict[str, Any]:
        return {**self.table.who(seat)}

    def newcomer(self, word: str) -> Who:
        return Who(PlayerName(uuid(word), f"Zoë {word}"))

    def key(self, word: str, seat: int, who: Who) -> dict[str, str]:
        """Give some players a key; return what `joined` says of it."""
        if not who.player or self.choose.random() >= 0.3:
            return {}
        self.keys[seat] = private_key(word)
        public = self.keys[seat].public_key().public_bytes_raw().hex()
        self.all_keys[public] = self.keys[seat]
        return {"public_key": public}

    def word(self, seat: int) -> str:
        return f"{self.number}/{seat}/{len(self.entries)}"

    def sit(self, seat: int) -> None:
        """Let somebody take a seat before the deal."""
        choose, word = self.choose, self.word(seat)
        bot = choose.choice(BOTS)
        if self.number % 4:  # the cautious bot takes most of the time of all who play or verify
            bot = "random"
        has_player = bool(self.players) or seat < self.seats - 1
        who = Who(bot=bot) if has_player and choose.random() < 0.2 else self.newcomer(word)
        given = choose.choice(("", "abc", "Zoë", "x" * 64))
        key = self.key(word, seat, who).get("public_key")
        commitment = None
        if self.table.dealing is not None:
            given = ""
            if who.player:
                self.secrets[seat] = f"secret {word}"
                commitment = referee.table.entropy_commitment(self.secrets[seat])
        by = "player" if key else choose.choice(("player", "app"))
        assert self.ask(commands.seats.Sit(seat, who, given, commitment, key), by)

    # --- the game ---

    def wait(self) -> None:
        """Let some time pass: sometimes until a clock has run out, never beyond a running one by chance."""
        self.at += timedelta(
            seconds=self.choose.choice((1, 60, 900, 3600, 20000)), microseconds=self.choose.randrange(9)
        )
        ends = [seat.deadline for seat in self.table.seats if seat.deadline]
        if ends and self.choose.random() < 0.12:
            self.at = max(self.at, min(ends) + timedelta(seconds=self.choose.choice((0, 0, 5, 100000))))
        self.settle()

    def settle(self) -> None:
        """Write what happens because time is over."""
        for event in commands.pass_time(self.table, self.at, lambda: self.fold.recent):
            if event.kind == "joined":
                self.take_over(event)
            else:
                self.enter(event)

    def move(self, seat: int) -> None:
        choose, bot, order = self.choose, self.table.seats[seat].bot, False
        if bot:
            below = referee.bots.bot_numbers(self.table.key, len(self.entries) + 1)
            move = referee.bot_move(bot, self.state, seat, below)
        else:
            moves = referee.legal_moves(self.state, seat)
            move = moves[choose.randrange(len(moves))]
            order = choose.random() < 0.1
        assert self.ask(commands.play.Move(seat, {**move}, order))
        self.go_on()

    def take_over(self, event: Event) -> None:
        """Write who takes over a seat that was left."""
        joined = event.members
        seat, who = joined["seat"], Who.of(joined)
        self.choose.choice(BOTS)  # as in `sit`, so that games of a number stay what they were
        key: Any = self.key(self.word(seat), seat, who)
        by = "player" if key else self.choose.choice(("player", "app"))
        self.enter(event._replace(members={**joined, **key}), "clock" if "dropped" in joined else by)

    def hand_over(self, command: commands.seats.HandOver, by: str) -> None:
        """Give a seat to somebody else."""
        if self.ask(command, by):
            self.take_over(command.then(self.at))

    def record(self) -> dict[str, Any]:
        """Return the record of the game."""
        listed = [
            {
                "seat": made.seat,
                "move": made.move,
                **{name: self.entries[made.seq - 1][name] for name in ("seq", "at", "hash")},
            }
            for made in self.fold.moves
        ]
        table = self.table
        whole = {
            "format": "card-referee/1",
            "ruleset": table.ruleset,
            "version": table.ruleset_version,
            "seats": self.seats,
            "options": self.entries[0]["options"],
            "seed": table.seed.hex(),
            "entropy": [seat.entropy for seat in table.seats],
            "moves": listed,
            "result": table.result,
            "commitment": self.entries[0]["commitment"],
            "chance": table.noted.outcomes if table.noted else [],
            "ended": self._ended(),
            "origin": "dealt",
            "imported_by": None,
            "game": uuid(f"game {self.number}"),
            "title": "Final",
            "metadata": {"league": "north"},
            "names": self.names,
            "entries": self.entries,
            **({"test_clock": self.test_clock} if self.test_clock else {}),
        }
        copied: dict[str, Any] = json.loads(json.dumps(whole))
        return copied

    def _ended(self) -> dict[str, Any] | None:
        """Return how the game has ended without a move."""
        if seats := [*self.table.out]:
            kind = self.state.result["reason"]
            return {"type": kind, "seat": seats[0], **({"seats": seats} if len(seats) > 1 else {})}
        end = next((entry for entry in self.entries if entry["type"] in ENDS), None)
        return end and {"type": end["type"], **end.get("ruling", {})}
