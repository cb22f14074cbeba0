"""Seats that change hands during the game: by the app, by agreement, or after too many missed turns."""

from collections.abc import Collection
from typing import Any

from referee.log.consent import Newcomer, Votes, newcomer
from referee.verification.findings import Findings


class Handovers:
    """Checks who decided that a seat changes hands, and that it does so at once.

    `rules` are those of the log's number.
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._votes = Votes()
        self._free: int | None = None  # a seat that was left, and has to be taken by the next entry
        self._due: Newcomer | None = None  # who takes it, if the others have agreed
        self._is_copied = False  # the log was written from a record, which names no missed turns
        self._out_after: int | None = None  # missed turns in a row
        self._stand_in: str | None = None
        self._out: list[object] = []  # seats that have missed so many, and may act no more
        self._dropping = False  # the entry before frees the seat of a player who is out
        self._before = ""  # the type of the entry before

    def read(self, entry: dict[str, Any], players: Collection[int]) -> None:
        """Check the next entry, of a known type; `players` are the seats that a player holds before it."""
        kind, seat = entry["type"], entry.get("seat")
        if kind == "moved" and self._free is None and not self._out and not self._dropping:
            self._before = kind
            self._votes.read(entry)
            return
        self._read_pace(entry)
        self._read_out(kind, entry, seat)
        self._before = kind
        if (self._dropping or kind == "joined") and self._dropping != ("dropped" in entry):
            self._findings.fail("consent", "does not say whether the seat was out, as the entry before it")
        self._dropping = kind == "left" and "dropped" in entry
        if self._free is not None:
            self._check_taken(entry)
        if kind == "left" and "replaced" in entry and type(seat) is int:
            self._free = seat
            if "dropped" in entry:
                self._due = (None, self._stand_in)
                if "agreed" in entry:
                    self._findings.fail("consent", "names two reasons why a seat changes hands")
                self._votes.read(entry)
                return
            self._leave(entry, seat, {*players} - {seat})
        elif kind == "left" and "agreed" in entry:
            self._findings.fail("consent", "says that others agreed, and nobody has to before the start")
        self._votes.read(entry)
        if kind == "timed_out" and self._out_after is not None and type(seat) is int:
            self._out += [seat] if self._votes.late[seat] >= self._out_after else []

    def _read_pace(self, entry: dict[str, Any]) -> None:
        self._is_copied = self._is_copied or (entry["type"] == "created" and "origin" in entry)
        pace = entry.get("pace")
        if type(pace) is dict:
            self._out_after = pace["out_after"] if type(pace.get("out_after")) is int else None
            self._stand_in = pace["stand_in"] if type(pace.get("stand_in")) is str else None

    def _read_out(self, kind: str, entry: dict[str, Any], seat: object) -> None:
        """Check that exactly the seats are out that have missed too many turns."""
        ends = kind == "dropped" and not self._is_copied
        if ends or "dropped" in entry:
            if seat not in self._out and (ends or kind == "left"):
                self._findings.fail("consent", f"seat {seat} has not missed as many turns as the pace says")
            elif ends == (self._stand_in is not None):
                self._findings.fail("consent", "does not do what the pace says of seats that are out")
        elif self._out and not self._may_wait(kind, entry):
            self._findings.fail("consent", f"seat {self._out[0]} has missed too many turns, and is not out")
        if kind in ("dropped", "finished"):
            self._out = []
        if type(seat) is int and kind == "joined":
            self._out = [other for other in self._out if other != seat]
        if kind == "timeout_undone" and type(entry.get("undone")) is dict:
            self._out = [other for other in self._out if other != entry["undone"].get("seat")]

    def _may_wait(self, kind: str, entry: dict[str, Any]) -> bool:
        """Return whether an entry may come before the seats that are out are taken out."""
        if kind == "timed_out":  # of the same moment
            return self._before == kind and entry.get("seat") not in self._out
        return kind == "finished" or (kind == "moved" and bool(entry.get("random")))

    def _check_taken(self, entry: dict[str, Any]) -> None:
        if entry["type"] != "joined" or entry.get("seat") != self._free:
            self._findings.fail("consent", f"seat {self._free} was left, and nobody has taken it at once")
        elif self._due is not None and newcomer(entry) != self._due:
            self._findings.fail("consent", "takes over a seat that the others have given to somebody else")
        self._free = self._due = None

    def report(self) -> None:
        """Report a seat that nobody has taken, or that is not out, when the log is whole.

        That of a running game may end in between.
        """
        if self._free is not None:
            self._findings.fail("consent", f"seat {self._free} was left, and nobody has taken it")
        elif self._out:
            self._findings.fail("consent", f"seat {self._out[0]} has missed too many turns, and is not out")

    def _leave(self, entry: dict[str, Any], seat: int, others: set[int]) -> None:
        if "agreed" in entry:
            votes = self._votes.about(seat)
            named = {votes.get(other) for other in others}
            if len(named) == 1 and None not in named:
                (self._due,) = named
            else:
                self._findings.fail("consent", f"seat {seat} is handed over, and not all others have agreed")
        elif entry.get("by") != "app":
            self._findings.fail("consent", f"does not say who has decided that seat {seat} changes hands")
