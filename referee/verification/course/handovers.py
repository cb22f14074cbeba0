"""Seats that change hands during the game: by the app, or because all other seats have agreed."""

from collections.abc import Collection
from typing import Any

from referee.log.consent import Newcomer, Votes, newcomer
from referee.log.numbers import FIRST
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
        self.rules = FIRST

    def read(self, entry: dict[str, Any], players: Collection[int]) -> None:
        """Check the next entry, of a known type; `players` are the seats that a player holds before it."""
        kind, seat = entry["type"], entry.get("seat")
        if self._free is not None:
            self._check_taken(entry)
        if kind == "left" and "replaced" in entry and type(seat) is int:
            self._free = seat
            self._leave(entry, seat, {*players} - {seat})
        elif kind == "left" and "agreed" in entry:
            self._findings.fail("consent", "says that others agreed, and nobody has to before the start")
        self._votes.read(entry)

    def _check_taken(self, entry: dict[str, Any]) -> None:
        if entry["type"] != "joined" or entry.get("seat") != self._free:
            self._findings.fail("consent", f"seat {self._free} was left, and nobody has taken it at once")
        elif self._due is not None and newcomer(entry) != self._due:
            self._findings.fail("consent", "takes over a seat that the others have given to somebody else")
        self._free = self._due = None

    def report(self) -> None:
        """Report a seat that nobody has taken when the game is over; a running log may end in between."""
        if self._free is not None:
            self._findings.fail("consent", f"seat {self._free} was left, and nobody has taken it")

    def _leave(self, entry: dict[str, Any], seat: int, others: set[int]) -> None:
        if "agreed" in entry:
            votes = self._votes.about(seat)
            named = {votes.get(other) for other in others}
            if len(named) == 1 and None not in named:
                (self._due,) = named
            else:
                self._findings.fail("consent", f"seat {seat} is handed over, and not all others have agreed")
        elif self.rules.says_who_hands_over and entry.get("by") != "app":
            self._findings.fail("consent", f"does not say who has decided that seat {seat} changes hands")
