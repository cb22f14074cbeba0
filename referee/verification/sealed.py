"""Checks the seals of private parts: all of them when the seed is public, a seat's own share at any time.

Names and texts can be erased. Then their hashes stand alone, and the check tells how many are missing.
"""

from collections.abc import Collection
from typing import Any

from referee.log.chain import SALT, seal, share_seal, with_salts
from referee.log.entries import ENTRY_TYPES
from referee.log.words import ALL, is_erased, newcomer_of
from referee.verification.findings import Findings

SAID = {True: ("text",), False: ("move",)}  # what everybody is shown of a message, and of another entry


class Seals:
    """Checks a log's private parts; `seed` is None while it is secret.

    `names` are those of newcomers, by the number of the entry; None if they are not told. `texts` are the
    moves that have a text.
    """

    def __init__(self, seed: bytes | None, names: Any, texts: Collection[str], findings: Findings) -> None:
        self._seed, self._spoken = seed, texts
        self._names: dict[str, Any] | None = {**names} if type(names) is dict else None
        self._findings = findings
        self._people: set[str] = set()
        self._texts = 0

    def tell(self, seq: int, name: object) -> None:
        """Take the name of the newcomer in an entry, if the record does not have it."""
        self._names = {**(self._names or {}), str(seq): name}

    def read(self, seq: int, entry: dict[str, Any]) -> None:
        """Check the visible shares of an entry's private part, and the name of a newcomer."""
        private, sealed, seals = entry.get("private"), entry.get("sealed"), entry.get("seals")
        try:
            fault = self._fault_of_name(str(seq), entry)
            if not (private is sealed is seals is None):
                fault = fault or self._fault(seq, entry, private, sealed, seals)
        except (AttributeError, ValueError, TypeError, OverflowError):
            fault = "the private part cannot be read"
        if fault is not None:
            self._findings.fail("sealed", fault)

    def _fault(self, seq: int, entry: dict[str, Any], private: Any, sealed: Any, seals: Any) -> str | None:
        if sealed is None:
            return "has a private part that was not sealed"
        erased = is_erased(entry, private or {})
        self._texts += erased
        if private is None and not erased:
            return None if self._seed is None else "the private part is missing"
        shares: dict[str, Any] = {} if private is None else private
        if type(seals) is not dict or not shares.keys() <= seals.keys():
            return "has a share that was not sealed for its seat"
        for seat, share in shares.items():
            if seals[seat] != share_seal(share):
                return f"the share of seat {seat[:4]} is not the one that was sealed for it"
        if ALL in seals and not self._has_text(entry):
            return "seals a text, and has none"
        if ALL in shares and shares[ALL].keys().isdisjoint(SAID[entry.get("type") == "said"]):
            return "the share of everybody has no text"
        if ALL in shares and SALT not in shares[ALL]:
            return "a text has no salt"
        if self._seed is None:
            return None
        if not erased and seal(self._seed, seq, shares) != sealed:
            return "the private part is not the one that was sealed"
        if seals.keys() != shares.keys() | ({ALL} if erased else set()):
            return "the private part is missing"
        return (
            None
            if with_salts(self._seed, seq, shares) == shares
            else "a share has another salt than the seed gives it"
        )

    def _has_text(self, entry: dict[str, Any]) -> bool:
        """Return whether an entry has a text: nothing else of it can be erased, such as the signature."""
        kind, move = entry.get("type"), entry.get("move")
        return kind == "said" or (kind == "moved" and type(move) is dict and move.get("type") in self._spoken)

    def _fault_of_name(self, seq: str, entry: dict[str, Any]) -> str | None:
        """Return what is wrong with the name of a newcomer."""
        kind, named = entry.get("type"), (self._names or {}).pop(seq, None)
        declared = ENTRY_TYPES.get(kind) if type(kind) is str else None
        player: Any = newcomer_of(entry) if declared is not None and declared.names else None
        hashed = player.get("commitment") if type(player) is dict else None
        if (hashed is None) != (player is None):
            return "does not have the hash of the newcomer's name"
        if player is None or "replacement" in entry:
            other = entry.get("player")
            if type(other) is dict and "commitment" in other:
                return "has the hash of a name, and it is nobody who comes"
        if named is None:
            if hashed is not None and self._names is not None:
                self._people.add(str(player.get("id")))
            return None
        return (
            None if share_seal(named) == hashed else "the name of the newcomer is not the one that was hashed"
        )

    def report(self, logged: bool) -> str:
        """Return what was erased, in words; report names that no entry of the log has."""
        if self._names and logged:
            self._findings.fail(
                "members", f"`names` has a name that is not of its log: {next(iter(self._names))[:20]}"
            )
        people, texts = len(self._people), self._texts
        parts = ["names of one person" if people == 1 else f"names of {people} people"] if people else []
        parts += ["one text" if texts == 1 else f"{texts} texts"] if texts else []
        return f"{' and '.join(parts)} erased" if parts else ""
