"""Checks the links between entries: numbers, times and the chain of hashes."""

from datetime import datetime
from hashlib import sha256
from typing import Any

from referee.log.chain import FIRST, canonical_if_whole, chain
from referee.log.times import read_time
from referee.verification.findings import Findings

SECONDS, DIGITS = len("2026-01-02T03:04:05"), 9


class Links:
    """The links checked so far; `head` is the hash of the last entry, and `at` its time if it has one."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._latest = ""
        self.head = FIRST
        self.at: datetime | None = None

    def read(self, number: int, entry: dict[str, Any]) -> None:
        """Check the entry that is due at this number."""
        seq, at = entry.get("seq"), str(entry.get("at"))
        if type(seq) is not int or seq != number:
            self._findings.fail("sequence", f"numbered {str(seq)[:20]} where {number} is due")
        self.at = read_time(at)
        if self.at is None:
            self._findings.fail("times", "has no time in RFC 3339, UTC")
        else:
            latest = self._latest
            if at < latest if len(at) == len(latest) else _padded(at) < _padded(latest):
                self._findings.fail("times", f"{at} is before the entry before it")
            self._latest = at
        public = entry.copy()  # reduced to the public form
        public.pop("hash", None)
        public.pop("private", None)
        named = entry.get("hash")
        if (text := canonical_if_whole(public)) is not None:
            head = sha256(self.head + text).digest()
            if head.hex() == named:
                self.head = head
                return
        try:
            self.head = chain(self.head, public)
        except (ValueError, TypeError):
            self._findings.fail("chain", "has no canonical form")
        if named != self.head.hex():
            self._findings.fail("chain", "the hash does not fit this entry and the hash before it")


def _padded(time: str) -> str:
    """Return a time with a fraction of nine digits; "" is no time."""
    return time[:SECONDS] + time[SECONDS + 1 : -1].ljust(DIGITS, "0")
