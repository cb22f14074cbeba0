"""A game in hand: its row, its position, and the entries that this transaction adds to its log."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import referee
from api.core.context import Context, timestamp
from api.core.errors import NotFound, StaleVersion
from api.core.json import loads, stored
from api.outbox import notifications
from api.store import credentials
from api.store import games as store
from api.store.games import GameRow, NewEntry, Turn

OPEN, RUNNING, FINISHED, CANCELLED = "open", "running", "finished", "cancelled"
FIRST_HASH = bytes(32)
GUESTS_STAY = timedelta(hours=1)  # after the game that they came for, or their seat in it, to look at it


@dataclass(slots=True)
class Game:
    """A game with its seats: `{"player": {"id", "name"} | None, "bot", "entropy", "since", "deadline"}` each.

    `since` and `deadline` are times as text, None where the game does not wait for the seat. What else a
    seat may have: `reserve`, `away_until`, `vacation_days` (see `referee.Pace`), `orders` (see `standing`),
    `name` (of a player of another service, in an imported game).
    `state` is the referee's position, None before the start.
    """

    id: UUID
    app_id: UUID
    ruleset: str
    ruleset_version: int
    options: dict[str, Any]
    visibility: str
    pace: dict[str, Any] | None
    status: str
    version: int
    seats: list[dict[str, Any]]
    seed: bytes
    head: bytes
    drawn: int
    state: Any
    result: dict[str, Any] | None
    created_at: datetime
    updated_at: datetime
    imported_by: dict[str, str] | None = None
    """The app that brought the game in from elsewhere; None for a game that was dealt here."""
    entries: list[referee.Entry] = field(default_factory=list)
    """What was appended and is not yet saved."""
    turns: list[Turn] = field(default_factory=list)
    """The turns as they are saved."""
    moved: set[int] = field(default_factory=set)
    """The seats that have moved since."""

    @property
    def rules(self) -> referee.Ruleset[Any]:
        """The rules that this game began with."""
        return referee.find(self.ruleset, self.ruleset_version)

    @property
    def to_act(self) -> list[int]:
        """The seats that the game waits for."""
        return self.state.to_act if self.status == RUNNING and self.state.result is None else []

    def is_open(self, seat: int) -> bool:
        """Return whether somebody may still sit down on a seat."""
        taken = self.seats[seat]
        return self.status == OPEN and not (taken["player"] or taken["bot"] or taken.get("name"))

    @property
    def origin(self) -> dict[str, Any]:
        """Where the game came from, as every answer that shows it says."""
        return {"origin": "imported" if self.imported_by else "dealt", "imported_by": self.imported_by}

    def cross_border(self) -> None:
        """Go on here with a game that began elsewhere: without its players, and without its deadlines."""
        self.pace = None
        for seat in self.seats:
            seat.update(player=None, deadline=None)
            seat.pop("name", None)

    def name_strangers(self, known: Collection[str]) -> None:
        """Leave of every player only the name, but for those with these ids."""
        for seat in self.seats:
            if seat["player"] and seat["player"]["id"] not in known:
                seat.update(name=seat["player"]["name"], player=None)

    # --- entries ------------------------------------------------------------------------------------

    def write(
        self, kind: str, at: datetime, public: dict[str, Any], private: dict[str, Any] | None = None
    ) -> referee.Entry:
        """Append one entry: the version goes up by one. Times never go back."""
        self.updated_at = max(at, self.updated_at)
        self.version += 1
        form = {"seq": self.version, "type": kind, "at": timestamp(self.updated_at), **public}
        entry = referee.make_entry(self.head, self.seed, form, private or {})
        self.head = entry.hash
        self.entries.append(entry)
        return entry

    def join(self, at: datetime, seat: int) -> None:
        """Note who has taken a seat."""
        taken = self.seats[seat]
        who = {"player": taken["player"], "bot": taken["bot"]}
        self.write("joined", at, {"seat": seat, **who, "entropy": taken["entropy"]})

    def start_if_full(self, at: datetime) -> None:
        """Deal, as soon as every seat is taken."""
        if all(seat["player"] or seat["bot"] for seat in self.seats):
            transfers = self.deal()
            clocks = self.turn_over(at)
            public, private = referee.account(self.state, None, transfers)
            self.write("started", at, {**clocks, **public}, private)

    def play(self, at: datetime, seat: int, move: dict[str, Any], **marks: Any) -> referee.Entry:
        """Make a move that was judged legal, and end the game where it does; `marks` go into its entry."""
        transfers = self.advance(seat, move)
        self.moved.add(seat)
        clocks = self.turn_over(at, seat)
        public, private = referee.account(self.state, move, transfers, seat)
        entry = self.write("moved", at, {**self.who(seat), **marks, **clocks, **public}, private)
        self.finish_if_over(at)
        return entry

    def give_up(self, at: datetime, kind: str, *seats: int, reason: str | None = None) -> referee.Entry:
        """End the game because a seat gives up (`resigned`) or some are out of time (`timed_out`).

        The result's reason is the same, unless an older record gives another one. Return the first entry.
        """
        first, *_ = [self.write(kind, at, self.who(seat)) for seat in seats]
        referee.conclude(self.state, referee.resign(self.state, *seats, reason=reason or kind))
        self.turn_over(at)
        self.finish_if_over(at)
        return first

    def take_back(self, at: datetime, seat: int, of: int, past: Game) -> referee.Entry:
        """Take the move of entry `of` back: `past` is the game before it. Every turn begins anew."""
        self.state, self.drawn = past.state, past.drawn
        clocks = self.turn_over(at, afresh=True)
        return self.write("taken_back", at, {**self.who(seat), "of": of, **clocks})

    def finish_if_over(self, at: datetime) -> None:
        """Write `finished`, with the result and the seed that everything can now be checked by."""
        if self.state.result is not None:
            self.status, self.result = FINISHED, self.state.result
            self.write("finished", at, {"result": self.result, "seed": self.seed.hex()})

    def who(self, seat: int) -> dict[str, Any]:
        """Name a seat, and who sits there, for an entry."""
        taken = self.seats[seat]
        who = {"seat": seat, "player": taken["player"]}
        return {**who, "bot": taken["bot"]} if taken["bot"] else who

    # --- the position -------------------------------------------------------------------------------

    def deal(self) -> list[referee.Transfer]:
        """Begin, or begin again: the position after the deal, without an entry."""
        self.drawn = 0
        chance = self._chance()
        self.state, transfers = referee.deal(
            self.ruleset, len(self.seats), self.options, chance, version=self.ruleset_version
        )
        self.drawn, self.status = chance.drawn, RUNNING
        return transfers

    def advance(self, seat: int, move: dict[str, Any]) -> list[referee.Transfer]:
        """Make a legal move, without an entry."""
        chance = self._chance()
        transfers = referee.advance(self.state, seat, move, chance)
        self.drawn = chance.drawn
        return transfers

    def _chance(self) -> referee.Seeded:
        return referee.Seeded.from_seed(self.seed, [seat["entropy"] for seat in self.seats], self.drawn)

    def turn_over(self, at: datetime, moved: int | None = None, afresh: bool = False) -> dict[str, Any]:
        """Set the clocks: a turn begins when the game begins to wait for a seat, or when that has moved.

        `afresh` begins every turn anew.
        Returns what the entry that is about to be written has to say of it: deadlines and reserves.
        """
        at = self.updated_at = max(at, self.updated_at)
        return referee.turn_over(self.seats, self.to_act, self.timing, at, moved, afresh)

    @property
    def timing(self) -> referee.Pace | None:
        """How time is counted; None in a game without deadlines."""
        return referee.Pace.of(self.pace) if self.pace else None

    def overdue(self, now: datetime) -> list[int]:
        """Return the seats whose deadlines have passed, the one whose deadline passed first before others."""
        if self.pace is None:
            return []
        until = timestamp(now)
        late = [(seat["deadline"], number) for number, seat in enumerate(self.seats) if seat["deadline"]]
        return [number for deadline, number in sorted(late) if deadline <= until]

    def clocks(self) -> list[Turn]:
        """Return every seat's turn."""
        pace = self.timing
        return [
            Turn(number, seat["since"], seat["deadline"], pace.warning(seat) if pace else None)
            for number, seat in enumerate(self.seats)
        ]

    def turn(self, seat: int) -> notifications.Turn:
        """Return what is told of a seat's turn."""
        taken = self.seats[seat]
        player = taken["player"]
        return notifications.Turn(self.id, self.version, seat, player and player["id"], taken["deadline"])

    # --- rows ---------------------------------------------------------------------------------------

    @classmethod
    def of(cls, row: GameRow) -> Game:
        """Take a game from its row."""
        rules = referee.find(row.ruleset, row.ruleset_version)
        game = cls(
            id=row.id,
            app_id=row.app_id,
            ruleset=row.ruleset,
            ruleset_version=row.ruleset_version,
            options=loads(row.options),
            visibility=row.visibility,
            pace=loads(row.pace) if row.pace else None,
            status=row.status,
            version=row.version,
            seats=loads(row.seats),
            seed=bytes(row.seed),
            head=bytes(row.head),
            drawn=row.drawn,
            state=referee.restore(rules, loads(row.position)) if row.position else None,
            result=loads(row.result) if row.result else None,
            created_at=row.created_at,
            updated_at=row.updated_at,
            imported_by=loads(row.imported_by) if row.imported_by else None,
        )
        game.turns = game.clocks()
        return game

    def row(self) -> GameRow:
        """Return the row to keep this game in."""
        return GameRow(
            id=self.id,
            app_id=self.app_id,
            ruleset=self.ruleset,
            ruleset_version=self.ruleset_version,
            options=stored(self.options),
            visibility=self.visibility,
            pace=stored(self.pace) if self.pace else None,
            status=self.status,
            version=self.version,
            seats=stored(self.seats),
            seed=self.seed,
            head=self.head,
            drawn=self.drawn,
            position=stored(referee.dump(self.state)) if self.state else None,
            result=stored(self.result) if self.result else None,
            created_at=self.created_at,
            updated_at=self.updated_at,
            imported_by=stored(self.imported_by) if self.imported_by else None,
        )


def load(context: Context, game_id: UUID, *, lock: bool = False) -> Game:
    """Read a game. Raises NotFound."""
    row = store.get(context.session, game_id, lock=lock)
    if row is None:
        raise NotFound("There is no such game.")
    return Game.of(row)


def save(context: Context, game: Game) -> None:
    """Write what happened in a game since it was read; the row is locked, or nobody knows of it yet."""
    if not game.entries:
        store.set_seats(context.session, game.id, stored(game.seats))
        return
    entries = [
        NewEntry(
            entry.public["seq"],
            stored(entry.public),
            stored(entry.private) if entry.private else None,
            entry.hash,
        )
        for entry in game.entries
    ]
    turns = game.clocks()
    changed = [turn for turn, saved in zip(turns, game.turns, strict=True) if turn != saved]
    expected = game.version - len(entries)
    has_webhooks = store.advance(context.session, game.row(), expected, changed, entries)
    if has_webhooks is None:
        raise RuntimeError(f"game {game.id} is not at version {expected}: nothing was written")
    if has_webhooks:
        began = [game.turn(turn.seat) for turn in turns if _begins(game, turn)]
        found = notifications.of_entries(game.id, [entry.public for entry in game.entries], began)
        notifications.post(context, game.app_id, game.id, found, game.updated_at)
    if game.status in (FINISHED, CANCELLED):
        end_guests(context, game, *range(len(game.seats)))
    game.entries, game.turns = [], turns
    game.moved.clear()


def _begins(game: Game, turn: Turn) -> bool:
    """Return whether a turn is new: times never go back, so one may begin when the seat's last one did."""
    new = turn.seat in game.moved or turn.since != game.turns[turn.seat].since
    return turn.since is not None and new


def end_guests(context: Context, game: Game, *numbers: int) -> None:
    """Let the tokens of guests who came for this game alone, and hold these seats, expire soon."""
    seats = [game.seats[number] for number in numbers]
    guests = [UUID(seat["player"]["id"]) for seat in seats if seat.get("guest") and seat["player"]]
    if guests:
        until = max(context.now(), game.updated_at) + GUESTS_STAY
        credentials.expire_tokens(context.session, guests, until)


def require_version(game: Game, if_match: frozenset[int] | None) -> None:
    """Raise StaleVersion unless the caller knows the newest version, or left it open (None)."""
    if if_match is not None and game.version not in if_match:
        raise StaleVersion(game.version)
