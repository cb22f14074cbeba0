"""A game in hand: its terms, its position, and the entries that this transaction adds to its log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID

import referee
from api.core.callers import Expected
from api.core.errors import RulesetNotInstalled, StaleVersion
from api.core.labels import Labels
from api.core.times import timestamp
from api.game.dealing import Dealing, seats_to_reveal
from api.game.seat import Seat, note_new_hand
from api.notify.people.hours import NO_HOURS, Hours
from api.store.game.looks import Look
from api.store.game.seating import Turn

OPEN, RUNNING, FINISHED, CANCELLED = "open", "running", "finished", "cancelled"
FIRST_HASH = bytes(32)

# The signature of the seat's key for an entry; empty if the seat has no key.
Signed = Mapping[str, str]
UNSIGNED: Signed = MappingProxyType({})

_key = lru_cache(1000)(referee.game_key)  # every move needs its game's key


class Series(NamedTuple):
    """A game's place in a series, whose id is that of its first game; `games` None: any number."""

    id: UUID
    number: int
    games: int | None

    def to_json(self) -> dict[str, Any]:
        """Return it as it is shown."""
        return {"id": str(self.id), "number": self.number, "games": self.games}


@dataclass(slots=True)
class Game:
    """A loaded game; `state` is the referee's position, None before the start."""

    id: UUID
    app_id: UUID
    ruleset: str
    ruleset_version: int
    options: dict[str, Any]
    visibility: str
    pace: dict[str, Any] | None
    seats: list[Seat]
    seed: bytes
    created_at: datetime
    updated_at: datetime
    status: str = OPEN
    version: int = 0
    head: bytes = FIRST_HASH
    drawn: int = 0
    state: Any = None
    result: dict[str, Any] | None = None
    imported_by: dict[str, str] | None = None
    """The app that brought the game in from elsewhere; None for a game that was dealt here."""
    forked_from: dict[str, Any] | None = None
    """The game (its id, if known) and the version from which a fork goes on."""
    title: str | None = None
    labels: Labels = Labels()
    seats_private: bool = False
    """Only players act for their seats, and no app key on their behalf."""
    distinct_players: bool = False
    """No player holds two seats."""
    rematch_of: UUID | None = None
    rematch: UUID | None = None
    series: Series | None = None
    by: str | None = None
    """Who acts: the player, or the app on its behalf; None if it is not known."""
    test_clock: UUID | None = None
    """The clock that the game's time comes from; None: the server's."""
    dealing: Dealing | None = None
    """What determines the deal in addition to the seed and the entropy given when joining."""
    entries: list[referee.Entry] = field(default_factory=list)
    """What was appended and is not yet saved."""
    looks: Sequence[Look] = ()
    """Who has looked at private cards, for the end of the game."""
    hours: Mapping[str, Hours] = field(default_factory=dict)
    """Its players' own hours, which may move deadlines."""
    turns: list[Turn] = field(default_factory=list)
    """The turns as they are saved."""
    moved: set[int] = field(default_factory=set)
    """The seats that have moved since."""

    @property
    def rules(self) -> referee.Ruleset[Any]:
        """The rules that this game began with. Raises RulesetNotInstalled."""
        if not self.installed:
            raise RulesetNotInstalled(self.ruleset, self.ruleset_version)
        return referee.find(self.ruleset, self.ruleset_version)

    @property
    def installed(self) -> bool:
        """Whether this server has the rules of the game."""
        return self.ruleset_version in referee.versions(self.ruleset)

    @property
    def to_act(self) -> list[int]:
        """The seats that the game waits for."""
        if not self.installed:
            return [n for n, seat in enumerate(self.seats) if seat.since] if self.status == RUNNING else []
        return self.state.to_act if self.status == RUNNING and self.state.result is None else []

    @property
    def full(self) -> bool:
        """Whether every seat is taken."""
        return all(seat.taken for seat in self.seats)

    @property
    def paused(self) -> bool:
        """Whether its clocks are stopped by agreement."""
        return self.status == RUNNING and self.seats[0].paused

    def is_open(self, seat: int) -> bool:
        """Return whether a seat may still be taken."""
        current = self.seats[seat]
        return self.status == OPEN and not (current.taken or current.name)

    @property
    def has_open_seat(self) -> bool:
        """Whether a seat may still be taken."""
        return any(self.is_open(seat) for seat in range(len(self.seats)))

    def change(self, seat: int, **changes: Any) -> None:
        """Change what is known of a seat."""
        self.seats[seat] = replace(self.seats[seat], **changes)

    @property
    def origin(self) -> dict[str, Any]:
        """The origin of the game, which every answer about it names."""
        if self.forked_from:
            return {"origin": "forked", "imported_by": None, "forked_from": self.forked_from}
        origin = "imported" if self.imported_by else "dealt"
        tested = {"test_clock": str(self.test_clock)} if self.test_clock else {}
        return {"origin": origin, "imported_by": self.imported_by, **tested}

    def cross_border(self) -> None:
        """Continue a game that began elsewhere, without its players and deadlines."""
        self.pace = None
        gone: dict[str, Any] = {"player": None, "deadline": None, "name": None, "paused": False, "left": None}
        self.seats = [replace(seat, **gone) for seat in self.seats]

    # --- entries ------------------------------------------------------------------------------------

    def write(
        self, kind: str, at: datetime, public: dict[str, Any], private: dict[str, Any] | None = None
    ) -> referee.Entry:
        """Append one entry: the version goes up by one. Times never go back."""
        self.updated_at = max(at, self.updated_at)
        self.version += 1
        form = {"seq": self.version, "type": kind, "at": timestamp(self.updated_at)}
        by = referee.by_itself(kind, public) or self.by
        if by is not None and referee.ENTRY_TYPES[kind].has("by"):
            form["by"] = by
        form |= public
        shares = referee.with_salts(self.seed, self.version, private) if private else {}
        entry = referee.make_entry(self.head, self.seed, form, shares)
        self.head = entry.hash
        self.entries.append(entry)
        if not referee.ENTRY_TYPES[kind].aside:
            self.forget_agreements()
        return entry

    def forget_agreements(self) -> None:
        """End agreements to a pause or to an end, because something has happened at the table."""
        for number, seat in enumerate(self.seats):
            if seat.pause_agreed or seat.ending_agreed:
                self.change(number, pause_agreed=False, ending_agreed=None)

    def create(self, **more: Any) -> None:
        """Commit to the seed and announce the terms, and `more`, before the first player joins."""
        terms = {
            "ruleset": self.ruleset,
            "ruleset_version": self.ruleset_version,
            "options": self.options,
            "seats": len(self.seats),
            "visibility": self.visibility,
            "pace": self.pace,
            "commitment": referee.commitment(self.seed),
            "log": referee.LOG,
        }
        self.write("created", self.created_at, {**terms, **more})

    def join(self, at: datetime, seat: int) -> None:
        """Record who has taken a seat."""
        taken = self.seats[seat]
        entropy = {"entropy": taken.entropy, "commitment": taken.commitment, "public_key": taken.public_key}
        known = {name: value for name, value in entropy.items() if value is not None}
        self.write("joined", at, {"seat": seat, **taken.who.to_json(), **known})

    def start_if_full(self, at: datetime) -> None:
        """Deal, if every seat is taken and everything that determines the deal is there."""
        if not self.full:
            return
        randomness: dict[str, Any] = {}
        if self.dealing is not None:
            self.dealing = self.dealing.go_on(self.seats, self.updated_at)
            if self.dealing.waits:
                return
            randomness = {"randomness": drawn} if (drawn := self.dealing.randomness) else {}
        transfers = self.deal()
        clocks = self.turn_over(at)
        public, private = referee.account(self.state, None, transfers)
        self.write("started", at, {**clocks, **randomness, **public}, private)

    def reveal(self, at: datetime, seat: int, entropy: str) -> referee.Entry:
        """Record a seat's revealed entropy; after the last one, the cards are dealt."""
        self.change(seat, entropy=entropy)
        entry = self.write("revealed", at, {**self.who(seat), "entropy": entropy})
        self.start_if_full(at)
        return entry

    def forfeit(self, at: datetime) -> None:
        """Cancel the game because seats have not revealed their entropy in time, and name them."""
        for seat in seats_to_reveal(self.seats):
            self.write("forfeited", at, self.who(seat))
        self.call_off(at)

    def play(
        self, at: datetime, seat: int, move: dict[str, Any], signed: Signed = UNSIGNED, **marks: Any
    ) -> referee.Entry:
        """Make a legal move, and end the game if the move does; `marks` are added to its entry.

        If a part of the move is secret, so is its signature, because moves could be tried with it.
        """
        transfers = self.advance(seat, move)
        note_new_hand(self.seats, self.state, transfers)
        self.moved.add(seat)
        clocks = self.turn_over(at, seat, forced=bool(marks.get("random")))
        public, private = referee.account(self.state, move, transfers, seat)
        own = private.get(str(seat), {})
        if signed and "move" in own:
            own["signature"], signed = signed["signature"], {"by": signed["by"]}
        entry = self.write("moved", at, {**self.who(seat), **marks, **clocks, **public, **signed}, private)
        self.finish_if_over(at)
        return entry

    def give_up(
        self, at: datetime, kind: str, *seats: int, reason: str | None = None, signed: Signed = UNSIGNED
    ) -> referee.Entry:
        """End the game because a seat resigns (`resigned`) or some run out of time (`timed_out`).

        The result's reason is the same, unless an older record gives another one. Return the first entry.
        """
        first, *_ = [self.write(kind, at, {**self.who(seat), **signed}) for seat in seats]
        referee.conclude(self.state, referee.resign(self.state, *seats, reason=reason or kind))
        self.turn_over(at)
        self.finish_if_over(at)
        return first

    def take_back(
        self, at: datetime, seat: int, of: int, past: Game, returned: Mapping[int, timedelta]
    ) -> referee.Entry:
        """Take back the move of entry `of`; `past` is the game before it. Every turn begins again.

        The increments of the moves that are taken back are `returned`.
        """
        self.state, self.drawn = past.state, past.drawn
        clocks = self.turn_over(at, afresh=True, returned=returned)
        return self.write("taken_back", at, {**self.who(seat), "of": of, **clocks})

    def undo_timeout(
        self, at: datetime, of: int, undone: dict[str, int], past: Game, returned: Mapping[int, timedelta]
    ) -> referee.Entry:
        """Undo the time-out after which the move of entry `of` was made; `past` is the game before it.

        Every turn begins again, and the late seat gets the reserve back that its turn had used (`returned`).
        """
        self.state, self.drawn = past.state, past.drawn
        clocks = self.turn_over(at, afresh=True, returned=returned)
        return self.write("timeout_undone", at, {"of": of, "undone": undone, **clocks})

    def finish_if_over(self, at: datetime) -> None:
        """Write `finished`, with the result, and the seed with which everything can now be checked."""
        if self.state.result is not None:
            self.status, self.result = FINISHED, self.state.result
            outcome = {"result": self.result, "seed": self.seed.hex()}
            self.write("finished", at, {**outcome, **self.looked_at(at)})

    def decide(self, at: datetime, kind: str, result: dict[str, Any], **public: Any) -> referee.Entry:
        """End the game with a result that no move has led to; return the first entry."""
        entry = self.write(kind, at, public)
        referee.conclude(self.state, result)
        self.turn_over(at)
        self.finish_if_over(at)
        return entry

    def call_off(self, at: datetime, **marks: bool) -> referee.Entry:
        """Write `cancelled`: nobody wins."""
        self.status = CANCELLED
        if self.dealing is not None:
            self.dealing = self.dealing.called_off()
        self.turn_over(at)
        return self.write("cancelled", at, {**marks, **self.looked_at(at)})

    def looked_at(self, end: datetime) -> dict[str, Any]:
        """Return the looks at private cards in their form in the last entry; empty if there were none.

        None is later than the `end` of the game, although the clock of another server may be ahead.
        """
        looks = [look._replace(at=min(look.at, end)).to_json() for look in self.looks]
        return {"looks": looks} if looks else {}

    def who(self, seat: int) -> dict[str, Any]:
        """Return a seat and its player for an entry."""
        player, bot = self.seats[seat].who
        who = {"seat": seat, "player": player and player.to_json()}
        return {**who, "bot": bot} if bot else who

    def return_time(self, since: datetime, until: datetime) -> referee.Entry:
        """Give every running clock the time of an outage back, at its end."""
        assert self.timing is not None
        clocks = referee.outlast(self.seats, self.timing, since, until, self.delay)
        return self.write("time_returned", until, {"since": timestamp(since), **clocks})

    # --- the position -------------------------------------------------------------------------------

    def deal(self) -> list[referee.Moved]:
        """Set the position after the deal, without an entry."""
        self.drawn = 0
        chance = self._chance()
        self.state, transfers = referee.deal(
            self.rules.ID, len(self.seats), self.options, chance, version=self.ruleset_version
        )
        self.drawn, self.status = chance.drawn, RUNNING
        return transfers

    def advance(self, seat: int, move: dict[str, Any]) -> list[referee.Moved]:
        """Make a legal move, without an entry."""
        chance = self._chance()
        transfers = referee.advance(self.state, seat, move, chance)
        self.drawn = chance.drawn
        return transfers

    @property
    def key(self) -> bytes:
        """The key that determines all chance of the game, after the deal."""
        signature = self.dealing.signature if self.dealing else None
        randomness = referee.randomness(signature) if signature else b""
        return _key(self.seed, tuple(seat.entropy for seat in self.seats), randomness)

    def _chance(self) -> referee.Seeded:
        return referee.Seeded(self.key, self.drawn)

    def turn_over(
        self,
        at: datetime,
        moved: int | None = None,
        afresh: bool = False,
        *,
        forced: bool = False,
        returned: Mapping[int, timedelta] = MappingProxyType({}),
    ) -> dict[str, Any]:
        """Set the clocks: a turn begins when the game begins to wait for a seat, or after the seat's move.

        `afresh` begins every turn again; a `forced` move earns no increment. Returns the members for the next
        entry: deadlines, delays and reserves.
        """
        at = self.updated_at = max(at, self.updated_at)
        clocks = self.seats, self.to_act, self.timing, at
        return referee.turn_over(*clocks, moved, afresh, forced=forced, delays=self.delay, returned=returned)

    def end_turn(self, seat: int, at: datetime) -> dict[str, Any]:
        """End the turn of a seat that is handed over; return the clock members for its `left` entry."""
        at = self.updated_at = max(at, self.updated_at)
        return referee.end_turn(self.seats, seat, self.timing, at)

    def delay(self, seat: int, begun: datetime, length: timedelta) -> timedelta:
        """Return the delay of a seat's deadline by its player's hours and the table's weekends."""
        player, pace = self.seats[seat].player, self.timing
        if player is None or pace is None or not pace.own_hours:
            return timedelta()
        hours = self.hours.get(player.id, NO_HOURS if pace.weekends else None)
        return hours.delay(pace, begun, length) if hours else timedelta()

    @property
    def over(self) -> bool:
        """Whether the game has ended, so that its log is complete."""
        return self.status in (FINISHED, CANCELLED)

    @property
    def timing(self) -> referee.Pace | None:
        """The pace; None in a game without deadlines."""
        return referee.Pace.of(self.pace) if self.pace else None


def require_version(game: Game, expected: Expected) -> None:
    """Raise StaleVersion unless the caller expects the newest version, or any."""
    if expected is not None and not expected & {game.version, game.head.hex()}:
        raise StaleVersion(game.version)
