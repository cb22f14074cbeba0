"""Checks that nobody could choose the deal.

Seats may have to commit to their entropy when they join, and reveal it once all seats are taken. The class
checks this, entry by entry.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from referee.log.record import Record
from referee.log.times import duration, read_time
from referee.table.dealing import COMMIT, entropy_commitment
from referee.verification.findings import Findings

Entry = Mapping[str, Any]
GRACE = timedelta(seconds=1)  # longest time between reading a clock and writing
ENTROPY = "entropy"  # a check only for such games
REVEALED = "every seat revealed what it had committed to when it joined, and so nobody knew it before"


class Dealing:
    """Checks everything that determines a deal; call `read` with every entry until the game has started.

    In games without commitments, it only compares the entropy with the record's.
    """

    def __init__(self, record: Record, findings: Findings) -> None:
        self._record = record
        self._findings = findings
        self._commits = False
        self._within = timedelta()
        self._entropy: dict[int, str] = {}
        self._commitments: dict[int, str] = {}
        self._seats_to_reveal: set[int] = set()
        self._full = False
        self._reveal_by: datetime | None = None
        self._started = False

    def create(self, entry: Entry) -> None:
        """Process the terms."""
        if (kind := entry.get("entropy")) is not None:
            self._commits = kind == COMMIT
            if not self._commits:
                self._fail(ENTROPY, f"announces a kind of entropy that is not known here: {str(kind)[:20]}")
        if self._commits != ("reveal_within" in entry):
            self._fail(ENTROPY, "says how long there is to reveal where nothing is revealed, or does not say")
        elif self._commits:
            try:
                self._within = duration(entry["reveal_within"])
            except ValueError:
                self._fail(ENTROPY, "does not say how long there is to reveal")

    def join(self, seat: int, entry: Entry, running: bool) -> None:
        """Process a seat that is taken; in a `running` game, this adds nothing to the deal."""
        commitment, given = entry.get("commitment"), entry.get("entropy") or ""
        if running or not self._commits or entry.get("bot") is not None:
            if commitment is not None:
                self._fail(ENTROPY, "commits to entropy that is never revealed")
            if self._commits and given:
                self._fail(ENTROPY, "gives entropy where seats commit to it, or a bot has none")
        elif given or type(commitment) is not str:
            self._fail(ENTROPY, "does not commit to its entropy, but gives it, or none")
        elif commitment in self._commitments.values():
            self._fail(ENTROPY, "commits to the entropy of another seat")
        if running:
            return
        self._entropy[seat] = given if type(given) is str else ""
        if type(commitment) is str and self._commits:
            self._commitments[seat] = commitment
        if len(self._entropy) == self._record.seats:
            self._fill(read_time(entry.get("at")))

    def _fill(self, at: datetime | None) -> None:
        self._full = True
        self._seats_to_reveal = {*self._commitments}
        if self._seats_to_reveal:
            self._reveal_by = at and at + self._within

    def leave(self, seat: int) -> None:
        """Process a seat that is left before the start."""
        if self._full and self._commits:
            self._fail(ENTROPY, "leaves when all seats are taken: they are settled")
        self._full = False
        self._entropy.pop(seat, None)
        self._commitments.pop(seat, None)

    def reveal(self, seat: int | None, entry: Entry) -> None:
        """Process a seat that reveals its entropy."""
        given, at = entry.get("entropy"), read_time(entry.get("at"))
        if not self._full or seat not in self._seats_to_reveal:
            self._fail(ENTROPY, "reveals what is not, or not yet, to be revealed")
            return
        if type(given) is not str or entropy_commitment(given) != self._commitments[seat]:
            self._fail(ENTROPY, "reveals something else than was committed to")
            return
        if at and self._reveal_by and at > self._reveal_by + GRACE:
            self._fail(ENTROPY, "is revealed after the time for it was over")
        self._entropy[seat] = given
        self._seats_to_reveal.remove(seat)

    def forfeit(self, seat: int | None, entry: Entry) -> None:
        """Process a forfeited seat."""
        at = read_time(entry.get("at"))
        if not self._full or seat not in self._seats_to_reveal:
            self._fail(ENTROPY, "forfeits a seat that has nothing to reveal")
            return
        if at and self._reveal_by and at < self._reveal_by:
            self._fail(ENTROPY, "forfeits a seat before the time to reveal is over")
        self._seats_to_reveal.remove(seat)

    def cancel(self, entry: Entry, forfeited: bool) -> None:
        """Process a cancellation; after the time to reveal, all seats that did not reveal must be named."""
        at = read_time(entry.get("at"))
        late = at is not None and self._reveal_by is not None and at > self._reveal_by + GRACE
        if self._seats_to_reveal and (forfeited or late):
            self._fail(
                ENTROPY, f"seat {min(self._seats_to_reveal)} has not revealed, and is not named for it"
            )

    def start(self, entry: Entry) -> None:
        """Process the deal, and compare what determines it with the record."""
        self._started = True
        self._compare_entropy()
        if self._commits:
            if self._seats_to_reveal:
                self._fail(
                    ENTROPY, f"starts before seat {min(self._seats_to_reveal)} has revealed its entropy"
                )
            self._findings.confirm(ENTROPY, REVEALED)

    def _compare_entropy(self) -> None:
        given = [self._entropy.get(seat, "") for seat in range(self._record.seats)]
        if given != self._record.entropy:
            self._fail("seats", "the record's entropy is not what the seats gave")

    def report(self, logged: bool) -> None:
        """Report the entropy of a game that never began."""
        if logged and not self._started:
            self._compare_entropy()

    def _fail(self, name: str, detail: str) -> None:
        self._findings.fail(name, detail)
