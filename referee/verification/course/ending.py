"""Endings without a move: seats resign or run out of time, or the game is called off."""

from datetime import datetime
from typing import Any

from referee.engine.verdicts import Malformed
from referee.verification.findings import Findings
from referee.verification.replaying import Replay


class Ending:
    """What entries say about the end of a game with so many `seats`.

    `outcome` is what a record's `ended` must be, or None; the game was created when it had `begun`.
    """

    def __init__(self, seats: int, findings: Findings) -> None:
        self._seats = seats
        self._findings = findings
        self._gave_up: list[int] = []
        self._late: set[int] = set()
        self.outcome: dict[str, Any] | None = None
        self.begun: datetime | None = None

    def decide(self, entry: dict[str, Any]) -> None:
        """Process a draw or a director's ruling."""
        ruling = entry.get("ruling")
        self.outcome = {"type": entry["type"]}
        if entry["type"] == "drawn":
            return
        seats = [ruling.get(name) for name in ("winners", "losers")] if type(ruling) is dict else [None]
        named = [seat for each in seats for seat in (each if type(each) is list else [None])]
        if len({*map(str, named)}) < len(named) or any(
            type(seat) is not int or not 0 <= seat < self._seats for seat in named
        ):
            self._findings.fail("order", "is no ruling about the seats of the table")
            self.outcome = None
        else:
            assert type(ruling) is dict
            self.outcome |= {"winners": ruling["winners"], "losers": ruling["losers"]}

    def cancel(self) -> None:
        """Process a cancellation."""
        self.outcome = {"type": "cancelled"}

    def give_up(self, kind: str, seat: int, late: set[int]) -> None:
        """Process a seat that resigns, or one of several late seats, which lose together at `finished`.

        `late` are the seats that are late at that moment.
        """
        if seat in self._gave_up:
            self._findings.fail("order", f"seat {seat} has run out of time already")
        self._gave_up.append(seat)
        self.outcome = {"type": kind, "seat": self._gave_up[0]}
        if len(self._gave_up) > 1:
            self.outcome["seats"] = self._gave_up
        else:
            self._late = late

    def conclude(self, replay: Replay, timed_out: bool) -> None:
        """End the game that seats gave up."""
        if self.outcome is None or replay.state is None:
            return
        forgotten = self._late - {*self._gave_up}
        if timed_out and forgotten:
            self._findings.fail("clocks", f"the time of seat {min(forgotten)} was over too")
        try:
            replay.end(self.outcome)
        except Malformed as error:
            self._findings.fail("order", error.detail)
