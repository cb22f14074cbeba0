"""Checks the terms and times of entropy that seats commit to and reveal late, which nobody asks for."""

from collections.abc import Sequence
from typing import Any

from referee.log.times import duration
from referee.table import COMMIT, OPEN, Event, Seat, Table, seats_to_reveal
from referee.verification.findings import Findings
from referee.verification.following import GRACE

ENTROPY = "entropy"  # a check only of such games
REVEALED = "every seat revealed what it had committed to when it joined, and so nobody knew it before"


class Entropy:
    """Checks terms, and that seats reveal in time, or are named."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._forfeited: set[int] = set()
        self._started = False

    def create(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Check the terms of a deal; return the entry without those that mean nothing."""
        kind, within = entry.get("entropy"), entry.get("reveal_within")
        if kind not in (None, COMMIT):
            self._fail(f"announces a kind of entropy that is not known here: {str(kind)[:20]}")
        if (kind is None) != ("reveal_within" not in entry):
            self._fail("says how long there is to reveal where nothing is revealed, or does not say")
        elif kind is not None:
            try:
                duration(within)
            except ValueError:
                self._fail("does not say how long there is to reveal")
        return {**entry, "reveal_within": None} if ENTROPY in self._findings.failed else entry

    def read(self, table: Table[Seat], event: Event) -> None:
        """Check an entry that somebody could ask for, before it happens."""
        entry, dealing = event.members, table.dealing
        if event.kind == "joined" and table.status != OPEN:
            if entry.get("commitment") is not None or (dealing is not None and entry["entropy"]):
                self._fail("commits to entropy that is never revealed")
            return
        if dealing is None or dealing.reveal_by is None:
            return
        late = event.at > dealing.reveal_by + GRACE
        if event.kind == "revealed" and late:
            self._fail("is revealed after the time for it was over")
        missing = {*seats_to_reveal(table.seats)} - self._forfeited
        if event.kind == "cancelled" and missing and (late or self._forfeited):
            self._fail(f"seat {min(missing)} has not revealed, and is not named for it")

    def forfeit(self, table: Table[Seat], event: Event) -> None:
        """Check a seat that has not revealed in time."""
        seat, dealing = event.members["seat"], table.dealing
        if dealing is None or dealing.reveal_by is None or seat in self._forfeited:
            self._fail("forfeits a seat that has nothing to reveal")
            return
        if seat not in seats_to_reveal(table.seats):
            self._fail("forfeits a seat that has nothing to reveal")
        elif event.at < dealing.reveal_by:
            self._fail("forfeits a seat before the time to reveal is over")
        self._forfeited.add(seat)

    def start(self, table: Table[Seat], given: Sequence[str]) -> None:
        """Check that all have revealed, and that a record names what the seats gave."""
        self._started = True
        self._compare(table, given)
        if table.dealing is not None:
            if missing := seats_to_reveal(table.seats):
                self._fail(f"starts before seat {min(missing)} has revealed its entropy")
            self._findings.confirm(ENTROPY, REVEALED)

    def report(self, table: Table[Seat], given: Sequence[str]) -> None:
        """Compare the entropy of a game that never began."""
        if not self._started:
            self._compare(table, given)

    def _compare(self, table: Table[Seat], given: Sequence[str]) -> None:
        if [seat.entropy for seat in table.seats] != [*given]:
            self._findings.fail("seats", "the record's entropy is not what the seats gave")

    def _fail(self, detail: str) -> None:
        self._findings.fail(ENTROPY, detail)
