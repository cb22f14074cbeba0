"""Everything about a game that its log determines."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Generic, TypeVar

from referee.computer.bots import asked_instead
from referee.engine.chance import Noted, Seeded, game_key
from referee.engine.position import Position
from referee.engine.registry import versions
from referee.log.members import Members
from referee.log.pace import Pace, turn_over
from referee.log.parts import Json, Result
from referee.table.dealing import Dealing
from referee.table.seats import Seat

OPEN, RUNNING, FINISHED, CANCELLED = "open", "running", "finished", "cancelled"

# Covariant: whoever reads or changes a table knows its seats as seats.
S = TypeVar("S", bound=Seat, covariant=True)

_timing = lru_cache(1000)(lambda terms: Pace.of(dict(terms)))
_key = lru_cache(1000)(game_key)  # every move needs its game's key


@dataclass(slots=True, kw_only=True)
class Table(Generic[S]):
    """A table: its terms, its seats, and the position, which is None before the deal."""

    ruleset: str
    ruleset_version: int
    options: Json
    seats: list[S]
    seed: bytes
    updated_at: datetime
    """The time of the newest entry."""
    pace: Json | None = None
    status: str = OPEN
    version: int = 0
    state: Position | None = None
    drawn: int = 0
    """How many outcomes of chance were drawn."""
    result: Result | None = None
    dealing: Dealing | None = None
    """What determines the deal in addition to the seed and the entropy given when joining."""
    out: tuple[int, ...] = ()
    """The seats with which the game has ended now, before its last entry says so."""

    @property
    def position(self) -> Position:
        """The position, once the cards are dealt."""
        assert self.state is not None, "the cards are not dealt"
        return self.state

    @property
    def installed(self) -> bool:
        """Whether the rules of the game are installed here."""
        return self.ruleset_version in versions(self.ruleset)

    @property
    def to_act(self) -> list[int]:
        """The seats that the game waits for."""
        if not self.installed:
            return [n for n, seat in enumerate(self.seats) if seat.since] if self.status == RUNNING else []
        return self.position.to_act if self.status == RUNNING and self.position.result is None else []

    @property
    def full(self) -> bool:
        """Whether every seat is taken."""
        return all(seat.taken for seat in self.seats)

    @property
    def paused(self) -> bool:
        """Whether its clocks are stopped by agreement."""
        return self.status == RUNNING and any(seat.paused for seat in self.seats)

    @property
    def over(self) -> bool:
        """Whether the game has ended, so that its log is complete."""
        return self.status in (FINISHED, CANCELLED)

    @property
    def timing(self) -> Pace | None:
        """The pace; None in a game without deadlines."""
        return _timing(tuple(self.pace.items())) if self.pace else None

    @property
    def time_control(self) -> Pace:
        """The pace of a game with deadlines."""
        timing = self.timing
        assert timing is not None, "the game has no deadlines"
        return timing

    @property
    def key(self) -> bytes:
        """The key that determines all chance of the game, after the deal."""
        return _key(self.seed, tuple(seat.entropy for seat in self.seats))

    @property
    def chance(self) -> Seeded:
        """The chance of the game from its position on."""
        return Seeded(self.key, self.drawn)

    def who(self, seat: int) -> Members:
        """Return a seat and its holder in their form in entries."""
        player, bot = self.seats[seat].who
        who: Members = {"seat": seat, "player": player and player.to_json()}
        return {**who, "bot": bot} if bot else who

    def left_to_partner(self, seat: int) -> bool:
        """Return whether a bot waits at a seat because a player of its team may answer for both."""
        if self.state is None or not self.installed:
            return False
        return any(self.seats[mate].player for mate in asked_instead(self.state, seat))

    @property
    def waiting_bot(self) -> int | None:
        """The first seat with a bot that the game waits for."""
        if self.status != RUNNING or self.paused:
            return None
        bots = [seat for seat in self.to_act if self.seats[seat].bot]
        return next((seat for seat in bots if not self.left_to_partner(seat)), None)

    @property
    def reveals(self) -> bool:
        """Whether the deal waits for seats to reveal their entropy in time."""
        return self.dealing is not None and self.dealing.waits

    @property
    def clock_runs(self) -> bool:
        """Whether a time is running out: that of a turn, or that in which entropy is revealed."""
        return self.reveals or any(seat.deadline is not None for seat in self.seats)

    def overdue(self, at: datetime) -> list[int]:
        """Return the seats whose deadlines have passed, the earliest deadline first."""
        late = sorted((seat.deadline, n) for n, seat in enumerate(self.seats) if seat.deadline)
        return [number for deadline, number in late if deadline <= at]

    def reveal_overdue(self, at: datetime) -> bool:
        """Return whether the time to reveal is over and a seat has not revealed its entropy."""
        by = self.dealing.reveal_by if self.dealing else None
        return by is not None and by <= at

    def change(self, seat: int, **changes: object) -> None:
        """Change what is known of a seat."""
        self.seats[seat] = self.seats[seat].but(**changes)

    def go_on_dealing(self) -> None:
        """Go on to the next step of the deal, if every seat is taken."""
        if self.full and self.dealing is not None:
            self.dealing = self.dealing.go_on(self.seats, self.updated_at)

    def turn_over(
        self, moved: int | None, *, afresh: bool, forced: bool, returned: Mapping[int, timedelta]
    ) -> Json:
        """Set all clocks for those that the table waits for now; return what an entry says of them."""
        waiting, pace = self.to_act, self.timing
        return turn_over(
            self.seats, waiting, pace, self.updated_at, moved, afresh, forced=forced, returned=returned
        )

    def forget_agreements(self) -> None:
        """End agreements to a pause or to an end, because something has happened at the table."""
        for number, seat in enumerate(self.seats):
            if seat.pause_agreed or seat.ending_agreed:
                self.change(number, pause_agreed=False, ending_agreed=None)


@dataclass(slots=True, kw_only=True)
class Watched(Table[S]):
    """A table whose outcomes of chance are noted, from the deal on."""

    noted: Noted | None = None

    @property
    def chance(self) -> Seeded:
        """The chance of the game from the deal on."""
        if self.noted is None:
            self.noted = Noted(self.key)
        return self.noted
