"""Deadlines, as a log tells of them: who was late, and who was not."""

import re
from typing import Any

from referee.findings import Findings

_time = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z").fullmatch


def moment(text: object) -> tuple[str, str] | None:
    """Read a time in RFC 3339, UTC, as something that sorts; None where it is none."""
    found = _time(text) if type(text) is str else None
    return (found[1], (found[2] or "").ljust(9, "0")) if found else None


class Clocks:
    """The deadlines that a log has set, seat by seat."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._deadlines: dict[str, tuple[str, str]] = {}
        self._late: int | None = None

    def set(self, entry: dict[str, Any]) -> None:
        """Set the deadlines that an entry names."""
        named = entry.get("deadlines")
        for seat, deadline in named.items() if type(named) is dict else ():
            until = moment(deadline)
            if until is None:
                self._findings.fail("clocks", "names a deadline that is no time")
            else:
                self._deadlines[seat] = until

    def see_timeout(self, entry: dict[str, Any]) -> None:
        """Check that the seat's deadline had passed."""
        self._late = entry.get("seat")
        deadline, at = self._deadlines.get(str(self._late)), moment(entry.get("at"))
        if deadline is not None and (at is None or at < deadline):
            self._findings.fail("clocks", f"the time of seat {self._late} was not over")

    def see_move(self, entry: dict[str, Any], seat: int) -> None:
        """Check that a seat moves in time, or that a move is made for it because it did not."""
        deadline, at = self._deadlines.pop(str(seat), None), moment(entry.get("at"))
        late = deadline is not None and at is not None and at >= deadline
        if bool(entry.get("random")) != (self._late == seat and late):
            self._findings.fail("clocks", "who moves in time, and only they, move for themselves")
        self._late = None
