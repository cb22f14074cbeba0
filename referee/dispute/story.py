"""Notes on a log in addition to its moves: how deadlines came about, and who agreed to take-backs."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from referee.dispute.words import count, isolated, length, listed, moment, name
from referee.log.entries import ENTRY_TYPES, GOING_BACK
from referee.log.pace import Clock, Increments, Pace, pause
from referee.log.times import NO_TIME, duration, read_time, timestamp

Entry = dict[str, Any]
LATE = {
    "resign": "gave up",
    "random_move": "passed if it could, else a legal move chosen by the game’s seed was made for it",
    "bot": "passed if it could, else the cautious bot moved for it",
}
RUNNING_ON = ("resumed", "time_returned", "time_added")  # deadlines continue after them
FAULTS = (AttributeError, KeyError, IndexError, OverflowError, TypeError, ValueError)


def pace_in_words(terms: Any) -> str:
    """Return a game's pace as sentences."""
    if terms is None:
        return "There were no deadlines."
    try:
        pace = Pace.of(terms)
    except ValueError:
        return "The pace cannot be counted with."
    said = [f"Each move had {length(pace.per_move)}; a seat whose time was over {LATE[pace.on_timeout]}."]
    if pace.increment:
        said.append(f"Each move in time earned {length(pace.increment)} for the reserve.")
    if pace.reserve:
        said.append(f"Each seat had {length(pace.reserve)} in reserve.")
    if pace.quiet_weekends:
        said.append(f"Saturdays and Sundays (UTC{terms.get('weekends', '')}) did not count.")
    if pace.vacation_days:
        said.append(f"Each seat could take {count(pace.vacation_days, 'day')} off.")
    return " ".join(said)


class Story:
    """Reads a log's entries in order and describes their effects on clocks and take-backs."""

    def __init__(self, seats: int) -> None:
        self._names = [""] * seats
        self._pace: Pace | None = None
        self._seats = [Clock()] * seats
        self._increments = Increments()
        self._returned: Mapping[int, timedelta] = {}  # what seats got by moves that the entry takes back
        self._asked: tuple[Any, Any] | None = None  # the entry of the move to be taken back, the seat
        self._agreed: list[Any] = []

    def tell(self, entry: Entry, names: list[str]) -> list[str]:
        """Return the notes on the next entry, as HTML; `names` are those of the seats then."""
        self._names = names
        try:
            return [*self._of_the_entry(entry), *self._of_the_clocks(entry)]
        except FAULTS:
            return ["<strong>What this entry says of time or consent cannot be understood.</strong>"]

    # --- take-backs ---

    def _of_the_entry(self, entry: Entry) -> Iterator[str]:
        kind, who = entry.get("type"), self._name(entry.get("seat"))
        if entry.get("by") == "app" and type(entry.get("seat")) is int:
            yield f"The app did this for {who}."
        if kind == "moved" and entry.get("random"):
            yield f"The time of {who} was over: which legal move was made follows from the game’s seed."
        elif kind == "moved" and entry.get("order"):
            yield f"{who} had ordered this move in advance."
        elif kind == "timed_out":
            yield f"The deadline of {who} was {self._until(entry['seat'])}."
        elif kind == "take_back_requested":
            self._asked, self._agreed = (entry.get("of"), entry.get("seat")), []
        elif kind == "take_back_agreed":
            self._agreed.append(entry.get("seat"))
        elif kind == "taken_back":
            yield self._taken_back(entry)
        elif kind == "left" and entry.get("replaced"):
            yield self._handed_over(entry)
        if kind == "take_back_refused" or not ENTRY_TYPES[str(kind)].aside:
            self._asked = None

    def _taken_back(self, entry: Entry) -> str:
        of = isolated(str(entry.get("of")))
        if self._asked != (entry.get("of"), entry.get("seat")):
            return f"<strong>Nobody had asked to take back the move of entry {of}.</strong>"
        agreed = listed([self._name(seat) for seat in self._agreed]) or "no other seat"
        return (
            f"The game went back to before entry {of}, which {self._name(entry.get('seat'))} had asked for "
            f"and {agreed} agreed to."
        )

    def _handed_over(self, entry: Entry) -> str:
        if entry.get("agreed"):
            return "The other seats had agreed that somebody else take over the seat."
        if entry.get("by") == "app":
            return "<strong>The app handed the seat over; the other seats were not asked.</strong>"
        return "The log does not say who had decided that somebody else take over the seat."

    # --- clocks ---

    def _of_the_clocks(self, entry: Entry) -> Iterator[str]:
        kind, seat = entry.get("type"), entry.get("seat")
        if kind == "created" and entry.get("pace") is not None:
            self._pace = Pace.of(entry["pace"])
        elif kind == "left" and type(seat) is int:
            self._set(seat, away_until=None)
        at = read_time(entry.get("at"))
        if self._pace is None or at is None:
            return
        if "vacation" in entry:
            yield self._days_off(entry, entry["seat"])
            return
        if kind == "paused":
            pause(self._seats, self._pace, at)
        self._returned = self._increments.since(entry["of"]) if kind in GOING_BACK else {}
        self._increments.read(entry["seq"], entry)
        yield from self._reserves(self._pace, entry)
        if kind == "time_returned":
            pause(self._seats, self._pace, read_time(entry["since"]) or at)
        for number, deadline in (entry.get("deadlines") or {}).items():
            tell = self._longer if kind in RUNNING_ON else self._deadline
            yield tell(self._pace, int(number), entry, deadline, at)

    def _reserves(self, pace: Pace, entry: Entry) -> Iterator[str]:
        earns = entry.get("type") == "moved" and not entry.get("random")
        for number, left in (entry.get("reserve") or {}).items():
            returned = self._returned.get(int(number), NO_TIME)
            used = pace.reserve_left(self._seats[int(number)]) - returned - duration(left)
            self._set(int(number), reserve=duration(left))
            if earns and number == str(entry.get("seat")) and pace.increment:
                used += pace.increment
                yield f"{self._name(int(number))} earned {length(pace.increment)} by the move."
            if returned:
                what = "lost" if returned > NO_TIME else "got back"
                how_much = f"{length(abs(returned))} of the reserve"
                yield f"{self._name(int(number))} {what} {how_much} with the move."
            if used <= NO_TIME:
                continue
            yield (
                f"{self._name(int(number))} took {length(used)} longer than a move has: "
                f"{length(duration(left))} of the reserve remained."
            )

    def _longer(self, pace: Pace, number: int, entry: Entry, deadline: Any, at: datetime) -> str:
        """Explain a deadline that is later because a clock stood still, or got more time."""
        clock = self._seats[number]
        if entry["type"] == "time_added":
            more = duration(entry["added"]["time"])
            due = pace.later(clock.deadline, more) if clock.deadline else None
            why = f"{length(more)} more"
        else:
            due = None if clock.left is None else pace.later(clock.present(at), clock.left)
            stood = "at the pause" if entry["type"] == "resumed" else f"at {moment(entry['since'])}"
            why = f"the {length(clock.left or NO_TIME)} that were left {stood}, {_begun(clock, at)}"
        self._set(number, deadline=read_time(deadline), left=None)
        return self._until_then(pace, number, deadline, due, why)

    def _deadline(self, pace: Pace, number: int, entry: Entry, deadline: Any, at: datetime) -> str:
        clock = self._seats[number]
        due = pace.deadline(clock, at)
        self._set(number, deadline=read_time(deadline))
        reserve = pace.reserve_left(clock)
        parts = [f"{length(pace.per_move)} for the move", f"{length(reserve)} in reserve" if reserve else ""]
        why = f"{listed([part for part in parts if part])}, {_begun(clock, at)}"
        return self._until_then(pace, number, deadline, due, why)

    def _until_then(self, pace: Pace, number: int, deadline: Any, due: datetime | None, why: str) -> str:
        quiet = ", Saturdays and Sundays not counted" if pace.quiet_weekends else ""
        right = timestamp(due) if due else "never"
        wrong = "" if right == deadline else f" <strong>It should have been {moment(right)}.</strong>"
        return f"{self._name(number)} had until {moment(deadline)}: {why}{quiet}.{wrong}"

    def _days_off(self, entry: Entry, seat: int) -> str:
        vacation = entry["vacation"]
        self._set(seat, away_until=read_time(vacation["until"]), vacation_days=vacation["left"])
        days, until = count(vacation["days"], "day"), moment(vacation["until"])
        said = f"{self._name(entry['seat'])} took {days} off, until {until}; {vacation['left']} remained."
        moved = (entry.get("deadlines") or {}).get(str(entry["seat"]))
        if moved is None:
            return said
        self._set(seat, deadline=read_time(moved))
        return f"{said} The deadline moved along, to {moment(moved)}."

    def _until(self, seat: int) -> str:
        deadline = self._seats[seat].deadline
        return moment(timestamp(deadline)) if deadline else "not told"

    def _set(self, seat: int, **changes: Any) -> None:
        self._seats[seat] = replace(self._seats[seat], **changes)

    def _name(self, seat: Any) -> str:
        return name(self._names, seat)


def _begun(clock: Clock, at: datetime) -> str:
    """Return from when on time was counted."""
    away = clock.away_until
    return f"from the end of the days off, {moment(timestamp(away))}" if away and away > at else "from then"
