"""How a game counts time: its pace, weekends, a seat's reserve and vacation.

Nothing here reads the clock. Every deadline follows from a game's pace and the times in its log, so it can be
computed again from the log.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple, Self, TypeVar

from referee.log.times import DAY, NO_TIME, between, duration, duration_text, later, offset, timestamp

ON_TIMEOUT = ("resign", "random_move", "bot")  # what happens to a late seat
LONGEST_VACATION = 365  # days
MOST_MISSED = 10  # turns in a row, until a seat is out

T = TypeVar("T")


def fact(default: T, *, of_holder: bool = False, shown: str = "") -> T:
    """Declare a field of a seat, with its usual value.

    One `of_holder` gets its usual value back when the seat's player leaves. One that is `shown` appears in a
    game's answer, with this meaning, while it differs.
    """
    return field(default=default, metadata={"of_holder": of_holder, "shown": shown})


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


@dataclass(frozen=True, slots=True)
class Clock:
    """A seat's clock: since when the game waits for the seat, and until when (None: it does not).

    What is left of its reserve and of its days of vacation is None if it has used nothing. A seat with a
    `bot` moves at once and has no deadlines. While the game is `paused`, no seat has a deadline, and `left`
    is the time that it had left at that moment.
    """

    bot: str | None = fact(None, of_holder=True)
    since: datetime | None = fact(None, of_holder=True)
    deadline: datetime | None = fact(None, of_holder=True)
    reserve: timedelta | None = None
    away_until: datetime | None = fact(None, of_holder=True)
    vacation_days: int | None = None
    paused: bool = False
    left: timedelta | None = None

    def present(self, at: datetime) -> datetime:
        """Return when the seat's time begins to count: after its vacation, if it is away."""
        return max(at, self.away_until) if self.away_until else at

    def but(self, **changes: Any) -> Self:
        """Return the seat with changes: faster than `replace`, because each move does it twice."""
        kind: Any = type(self)
        other: Self = object.__new__(kind)
        for name in _names(kind):
            object.__setattr__(other, name, changes[name] if name in changes else getattr(self, name))
        return other

    def vacated(self) -> Self:
        """Return the seat after its player has left, for another one."""
        return self.but(
            **{each.name: each.default for each in fields(self) if each.metadata.get("of_holder")}
        )


NOTHING: Mapping[int, timedelta] = MappingProxyType({})
C = TypeVar("C", bound=Clock)


class Pace(NamedTuple):
    """A game's pace, ready for calculations."""

    per_move: timedelta
    on_timeout: str
    warn_before: timedelta | None = None
    reserve: timedelta = NO_TIME
    quiet_weekends: bool = False
    vacation_days: int = 0
    increment: timedelta = NO_TIME
    reserve_cap: timedelta | None = None
    out_after: int | None = None
    stand_in: str | None = None
    weekends: timedelta = NO_TIME
    """How much later it is where they are quiet than in UTC."""

    @classmethod
    def of(cls, pace: dict[str, Any]) -> Self:
        """Read a pace from its JSON. Raises ValueError if it is not a pace."""
        try:
            warn_before, reserve, increment = map(pace.get, ("warn_before", "reserve", "increment"))
            result = cls(
                per_move=duration(pace["per_move"]),
                on_timeout=pace["on_timeout"],
                warn_before=None if warn_before is None else duration(warn_before),
                reserve=NO_TIME if reserve is None else duration(reserve),
                quiet_weekends=pace.get("quiet_weekends", False),
                vacation_days=pace.get("vacation_days", 0),
                increment=NO_TIME if increment is None else duration(increment),
                reserve_cap=duration(pace["reserve_cap"]) if "reserve_cap" in pace else None,
                out_after=pace.get("out_after"),
                stand_in=pace.get("stand_in"),
                weekends=offset(pace["weekends"]) if "weekends" in pace else NO_TIME,
            )
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"no pace: {error}") from None
        if result.on_timeout not in ON_TIMEOUT or type(result.quiet_weekends) is not bool:
            raise ValueError("no pace")
        if type(result.vacation_days) is not int or not 0 <= result.vacation_days <= LONGEST_VACATION:
            raise ValueError("no pace")
        if result.out_after is not None and not result.can_drop:
            raise ValueError("no pace")
        return result

    @property
    def can_drop(self) -> bool:
        """Whether seats can miss as many turns in a row as `out_after` says."""
        return (
            type(self.out_after) is int and 1 <= self.out_after <= MOST_MISSED and self.on_timeout != "resign"
        )

    def deadline(self, seat: Clock, at: datetime) -> datetime:
        """Return the deadline of a seat whose turn begins: the time for a move, then its reserve."""
        return self.later(seat.present(at), self.per_move + self.reserve_left(seat))

    def later(self, start: datetime, length: timedelta) -> datetime:
        """Return the moment when `length` has been counted since `start`."""
        return later(start, length, self.quiet_weekends, self.weekends)

    def between(self, start: datetime, end: datetime) -> timedelta:
        """Return the time counted from `start` to `end`; none if `end` is not later."""
        return between(start, end, self.quiet_weekends, self.weekends)

    def end(self, seat: C, at: datetime) -> C:
        """Subtract what a finished turn has used of the seat's reserve; return the same seat if nothing."""
        if seat.deadline is None:
            return seat
        left = self.between(seat.present(at), seat.deadline)
        return seat.but(reserve=left) if left < self.reserve_left(seat) else seat

    def earn(self, seat: C) -> C:
        """Add the increment of a move, if any, to a seat's reserve, up to the cap."""
        if not self.increment:
            return seat
        before = self.reserve_left(seat)
        after = before + self.increment
        return seat.but(
            reserve=after if self.reserve_cap is None else max(before, min(after, self.reserve_cap))
        )

    def lose(self, seat: C, increments: timedelta) -> C:
        """Take what moves that no longer count gave to a seat's reserve, or used of it (negative)."""
        return seat.but(reserve=max(self.reserve_left(seat) - increments, NO_TIME))

    def reserve_left(self, seat: Clock) -> timedelta:
        """Return how much of its reserve a seat has."""
        return self.reserve if seat.reserve is None else seat.reserve

    def vacation_left(self, seat: Clock) -> int:
        """Return how many days of vacation a seat has."""
        return self.vacation_days if seat.vacation_days is None else seat.vacation_days

    def warning(self, seat: Clock) -> datetime | None:
        """Return when to warn a seat, or None if its turn is too short for a warning."""
        if seat.deadline is None or seat.since is None or self.warn_before is None:
            return None
        at = seat.deadline - self.warn_before
        return at if at > seat.since else None


def turn_over(
    seats: list[C],
    waiting: Collection[int],
    pace: Pace | None,
    at: datetime,
    moved: int | None = None,
    afresh: bool = False,
    *,
    forced: bool = False,
    returned: Mapping[int, timedelta] = NOTHING,
) -> dict[str, Any]:
    """Set all clocks: a turn begins when the game begins to wait for a seat, or when that seat has moved.

    `waiting` are the seats that the game now waits for; `afresh` begins every turn again. A seat that has
    `moved` in turn gets the increment, unless the move was `forced`. Seats lose what they got by moves that
    no longer count (`returned`). Returns the members for the entry of this moment: `deadlines`
    and `reserve`, by seat.
    """
    facts: dict[str, Any] = {}
    for number, seat in enumerate(seats):
        begins = number in waiting and (seat.since is None or number == moved or afresh)
        goes_on = number in waiting or (seat.since is None and seat.deadline is None)
        if goes_on and not begins and number not in returned:
            continue
        ended = pace.end(seat, at) if pace else seat
        if pace and number == moved and seat.deadline is not None and not forced:
            ended = pace.earn(ended)
        if pace and number in returned:
            ended = pace.lose(ended, returned[number])
        if ended.reserve is not None and ended is not seat:
            facts.setdefault("reserve", {})[str(number)] = duration_text(ended.reserve)
        deadline = pace.deadline(ended, at) if pace and begins and not seat.bot else None
        if deadline is not None:
            _name(facts, number, deadline)
        seats[number] = ended.but(since=at if begins else None, deadline=deadline)
    return facts


class Increments:
    """What the moves of a log changed in the reserves of their seats, for when they no longer count.

    A move in turn earns an increment; a turn that ended with a time-out has used the reserve.
    """

    def __init__(self) -> None:
        self._got: list[tuple[int, int, timedelta]] = []
        self._pace: Pace | None = None
        self._first = NO_TIME  # the reserve of a seat that has used nothing
        self._left: dict[str, timedelta] = {}

    def to_json(self, before: int) -> dict[str, Any]:
        """Return what later entries depend on, without the moves up to entry `before`."""
        got = [
            [seq, seat, duration_text(abs(got)), got < NO_TIME]
            for seq, seat, got in self._got
            if seq > before
        ]
        left = {seat: duration_text(left) for seat, left in self._left.items()}
        return {"got": got, "first": duration_text(self._first), "left": left}

    @classmethod
    def of(cls, data: Mapping[str, Any], pace: dict[str, Any] | None) -> Self:
        """Return what `to_json` returned, in a game with this pace now."""
        increments = cls()
        increments._got = [
            (seq, seat, -duration(got) if lost else duration(got)) for seq, seat, got, lost in data["got"]
        ]
        increments._pace = Pace.of(pace) if pace is not None else None
        increments._first = duration(data["first"])
        increments._left = {seat: duration(left) for seat, left in data["left"].items()}
        return increments

    def read(self, seq: int, entry: Mapping[str, Any]) -> None:
        """Read the next entry."""
        if entry.get("pace") is not None:
            self._pace = Pace.of(entry["pace"])
            self._first = self._pace.reserve
        elif entry["type"] == "moved" and self._pace is not None and (got := self._change(entry)):
            self._got.append((seq, entry["seat"], got))
        elif entry["type"] in ("taken_back", "timeout_undone"):
            self._got = [each for each in self._got if each[0] < entry["of"]]
        if reserve := entry.get("reserve"):
            self._left.update({seat: duration(left) for seat, left in reserve.items()})

    def _change(self, entry: Mapping[str, Any]) -> timedelta:
        assert self._pace is not None
        seat, reserve = str(entry["seat"]), entry.get("reserve", {})
        if seat not in reserve:
            return NO_TIME
        after, cap = duration(reserve[seat]), self._pace.reserve_cap
        change = after - self._left.get(seat, self._first)
        if entry.get("random"):
            return change
        earned = self._pace.increment
        return earned if cap is None or after < cap else min(max(change, NO_TIME), earned)

    def since(self, of: int) -> dict[int, timedelta]:
        """Return what seats got, or lost (less than nothing), by the moves from entry `of` on."""
        increments: dict[int, timedelta] = {}
        for seq, seat, got in self._got:
            if seq >= of:
                increments[seat] = increments.get(seat, NO_TIME) + got
        return increments


def end_turn(seats: list[C], number: int, pace: Pace | None, at: datetime) -> dict[str, Any]:
    """End the turn and the vacation of a seat whose player leaves.

    Returns the members for the entry of this moment: `reserve`, if the turn has used some.
    """
    seat = seats[number]
    ended = pace.end(seat, at) if pace else seat
    seats[number] = ended.but(since=None, deadline=None, away_until=None)
    if ended is seat or ended.reserve is None:
        return {}
    return {"reserve": {str(number): duration_text(ended.reserve)}}


def go_away(seats: list[C], number: int, pace: Pace, at: datetime, days: int) -> dict[str, Any]:
    """Take days of vacation, from now or from the end of the current ones; a deadline is moved too.

    Returns the members for the entry of this moment: `vacation` and `deadlines`.
    """
    seat = seats[number]
    begun = seat.present(at)
    until, left, deadline = begun + days * DAY, pace.vacation_left(seat) - days, seat.deadline
    facts: dict[str, Any] = {"vacation": {"days": days, "until": timestamp(until), "left": left}}
    if deadline is not None:
        deadline = pace.later(until, pace.between(begun, deadline))
        _name(facts, number, deadline)
    seats[number] = seat.but(away_until=until, vacation_days=left, deadline=deadline)
    return facts


def pause(seats: list[C], pace: Pace, at: datetime) -> None:
    """Stop all clocks."""
    for number, seat in enumerate(seats):
        deadline = seat.deadline
        left = None if deadline is None else pace.between(seat.present(at), deadline)
        seats[number] = seat.but(paused=True, left=left, deadline=None)


def resume(seats: list[C], pace: Pace, at: datetime) -> dict[str, Any]:
    """Start all clocks again; return the members for the entry of this moment: `deadlines`."""
    facts: dict[str, Any] = {}
    for number, seat in enumerate(seats):
        deadline = seat.deadline
        if seat.left is not None:
            deadline = pace.later(seat.present(at), seat.left)
            _name(facts, number, deadline)
        seats[number] = seat.but(paused=False, left=None, deadline=deadline)
    return facts


def outlast(seats: list[C], pace: Pace, since: datetime, until: datetime) -> dict[str, Any]:
    """Give every running clock the time of an outage back, as if the game had been paused for it.

    Returns the members for the entry of its end: `deadlines`.
    """
    pause(seats, pace, since)
    return resume(seats, pace, until)


def add_time(seats: list[C], number: int, pace: Pace, length: timedelta) -> dict[str, Any]:
    """Add time to the running turn of a seat; return the members for the entry: `deadlines`."""
    facts: dict[str, Any] = {}
    seat = seats[number]
    if seat.deadline is not None:
        deadline = pace.later(seat.deadline, length)
        _name(facts, number, deadline)
        seats[number] = seat.but(deadline=deadline)
    return facts


def _name(facts: dict[str, Any], number: int, deadline: datetime) -> None:
    """Add a seat's deadline to the members of an entry."""
    facts.setdefault("deadlines", {})[str(number)] = timestamp(deadline)
