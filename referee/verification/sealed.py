"""Checks the seals of private parts: all of them when the seed is public, a seat's own share at any time."""

from typing import Any

from referee.log.chain import seal, share_seal, with_salts
from referee.verification.findings import Findings


class Seals:
    """Checks a log's private parts; `seed` is None while it is secret."""

    def __init__(self, seed: bytes | None, findings: Findings) -> None:
        self._seed = seed
        self._findings = findings

    def read(self, seq: int, entry: dict[str, Any]) -> None:
        """Check the visible shares of an entry's private part."""
        private, sealed, seals = entry.get("private"), entry.get("sealed"), entry.get("seals")
        if private is None and (self._seed is None or (sealed is None and seals is None)):
            return
        try:
            fault = self._fault(seq, private, sealed, seals)
        except (ValueError, TypeError, OverflowError):
            fault = "the private part cannot be read"
        if fault is not None:
            self._findings.fail("sealed", fault)

    def _fault(self, seq: int, private: Any, sealed: Any, seals: Any) -> str | None:
        if sealed is None:
            return "has a private part that was not sealed"
        if type(private) is not dict:
            return "the private part is missing"
        if type(seals) is not dict or not private.keys() <= seals.keys():
            return "has a share that was not sealed for its seat"
        for seat, share in private.items():
            if seals[seat] != share_seal(share):
                return f"the share of seat {seat[:4]} is not the one that was sealed for it"
        if self._seed is None:
            return None
        if seal(self._seed, seq, private) != sealed:
            return "the private part is not the one that was sealed"
        if seals.keys() != private.keys() or with_salts(self._seed, seq, private) != private:
            return "a share has another salt than the seed gives it"
        return None
