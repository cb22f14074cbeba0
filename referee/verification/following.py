"""Checks what has to follow other entries: after time-outs, and where seats change hands."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from referee.log.consent import Newcomer, newcomer
from referee.log.members import Members
from referee.table import Event, Recent, Seat, Table, commands
from referee.verification.choices import Choices
from referee.verification.findings import Findings
from referee.verification.unseen import Unseen

GRACE = timedelta(seconds=1)  # the longest time between reading the clock and writing an entry
NOTHING: Iterator[Event] = iter(())
NEVER = datetime.max.replace(tzinfo=UTC)
LATE = "who moves in time, and only they, move for themselves"
OTHER_MOVE = "another move was made for the seat than the one that the seed gives"


class Following:
    """What has to follow; `copied`: the log was written from a record, in which less is said."""

    def __init__(self, choices: Choices, findings: Findings) -> None:
        self._choices = choices
        self._findings = findings
        self.copied = False
        self._late: dict[int, datetime] = {}  # the seats whose time was over when the first was named
        self._clearly: set[int] = set()  # those whose time was over even before the clock was read
        self._named: list[int] = []
        self._due = NOTHING
        self._moved = False  # a move was made for one of them
        self._entry: Members = {}  # the entry that is read
        # A seat that was left, and who is to have it, if others have decided that.
        self._left: tuple[int, Newcomer | None] | None = None

    def read(self, table: Table[Seat], recent: Recent, event: Event) -> bool:
        """Check the next entry before it happens; return whether it is what has to follow here."""
        self._entry = event.members
        if event.kind == "timed_out":
            if not self._named:
                self._begin(table, event.at)
            if not self.copied:
                self._name(event.members["seat"], resigns=table.time_control.on_timeout == "resign")
            return True
        if self._named:
            self._end_of_names(table, recent, event.at)
        follows = self._follows(table, event)
        return self._change_hands(table, recent, event) or follows

    # --- late seats ---

    def _begin(self, table: Table[Seat], at: datetime) -> None:
        self._late = {seat: table.seats[seat].deadline or NEVER for seat in table.overdue(at)}
        self._clearly = set() if isinstance(table, Unseen) else {*table.overdue(at - GRACE)}
        self._due, self._moved = NOTHING, False

    def _name(self, seat: int, *, resigns: bool) -> None:
        if seat in self._named:
            self._fail(f"seat {seat} is named twice")
        elif seat not in self._late:
            self._fail(f"the time of seat {seat} was not over")
        else:
            turn = self._late[seat], seat
            if not resigns and any((self._late.get(each, NEVER), each) > turn for each in self._named):
                self._fail(f"seat {seat} is named after others whose time was over later")
        self._named.append(seat)

    def _end_of_names(self, table: Table[Seat], recent: Recent, at: datetime) -> None:
        if forgotten := self._clearly - {*self._named}:
            self._fail(f"the time of seat {min(forgotten)} was over too")
        late, self._named = self._named, []
        self._due = commands.after_time(table, late, table.updated_at, lambda: recent, self._choose)

    def _choose(self, table: Table[Seat], seat: int) -> Any:
        """Return the move that has to be made, or where nobody can say that, the one that was made."""
        move = None if isinstance(table, Unseen) else self._choices.forced(table, seat)
        return self._entry.get("move") if move is None else move

    def _follows(self, table: Table[Seat], event: Event) -> bool:
        entry: Any = event.members
        for due in self._due:
            if due.kind == "finished":  # talk may come before it
                break
            seat = due.members["seat"]
            is_due = (event.kind, entry.get("seat")) == (due.kind, seat)
            if is_due and ("random" in entry) == ("random" in due.members):
                self._moved = self._moved or due.kind == "moved"
                self._compare(due, entry)
                return True
            if due.kind != "moved" or not self._moved or not isinstance(table, Unseen):
                self._miss(due, entry)
                break
            table.change(seat, deadline=None)  # the move before has ended its turn
        self._due = NOTHING
        if "random" in entry:
            self._fail(LATE)
        elif not self.copied and (event.kind == "dropped" or (event.kind == "left" and "dropped" in entry)):
            self._fail(f"seat {entry['seat']} has not missed as many turns as the pace says", "consent")
        return False

    def _miss(self, due: Event, entry: Members) -> None:
        seat = due.members["seat"]
        if due.kind != "moved":
            self._fail(f"seat {seat} has missed too many turns, and is not out", "consent")
        elif "random" in entry:
            self._fail(f"a move is made for seat {entry['seat']} before others whose time was over earlier")
        else:
            self._fail(f"no move was made for seat {seat}, whose time was over")

    def _compare(self, due: Event, entry: Members) -> None:
        if due.kind == "moved" and due.members["move"] != entry["move"]:
            self._fail(OTHER_MOVE)
        elif due.kind == "joined" and (newcomer(entry) != newcomer(due.members) or "dropped" not in entry):
            self._fail("takes over a seat that the pace gives to somebody else", "consent")
        elif due.kind == "left" and ("dropped" not in entry or "agreed" in entry):
            self._fail("does not do what the pace says of seats that are out", "consent")

    # --- hand-overs ---

    def _change_hands(self, table: Table[Seat], recent: Recent, event: Event) -> bool:
        """Check who decides that a seat changes hands, and that it does so at once."""
        kind, entry = event.kind, event.members
        if self._left is not None:
            (seat, due), self._left = self._left, None
            if kind != "joined" or entry["seat"] != seat:
                self._fail(f"seat {seat} was left, and nobody has taken it at once", "consent")
            elif due is not None and newcomer(entry) != due:
                self._fail("takes over a seat that the others have given to somebody else", "consent")
            elif "dropped" in entry:
                self._fail("does not say whether the seat was out, as the entry before it", "consent")
            return kind == "joined"
        if kind != "left" or "dropped" in entry:
            return False
        seat = entry["seat"]
        if "replaced" not in entry:
            if "agreed" in entry:
                self._fail("says that others agreed, and nobody has to before the start", "consent")
            return False
        others = [n for n, each in enumerate(table.seats) if each.player and n != seat]
        agreed = recent.votes.unanimous(seat, others)
        if "agreed" in entry and agreed is None:
            self._fail(f"seat {seat} is handed over, and not all others have agreed", "consent")
        elif "agreed" not in entry and entry.get("by") != "app":
            self._fail(f"does not say who has decided that seat {seat} changes hands", "consent")
        self._left = seat, agreed if "agreed" in entry else None
        return False

    def forget(self) -> None:
        """Expect nothing more, because the position is not known any more."""
        self._due, self._named = NOTHING, []

    def report(self) -> None:
        """Report a seat that nobody has taken, or that is not out, at the end of a whole log."""
        if self._left is not None:
            self._fail(f"seat {self._left[0]} was left, and nobody has taken it", "consent")
        due = next(self._due, None)
        if due is not None and due.kind in ("dropped", "left", "joined"):
            self._fail(f"seat {due.members['seat']} has missed too many turns, and is not out", "consent")

    def _fail(self, detail: str, check: str = "clocks") -> None:
        self._findings.fail(check, detail)
