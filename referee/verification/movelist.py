"""Compares the moves of a record with those of its log."""

from typing import Any

from referee.engine.jsontext import same
from referee.log.entries import GOING_BACK
from referee.log.known import unknown_in_moves
from referee.log.words import Moves, full_move
from referee.verification.findings import Findings

SAID_BESIDE = ("seq", "at", "hash")  # what a record may say about a move in addition to its seat


class MoveList:
    """The moves of a log without those taken back, which a record must list."""

    def __init__(self, moves: list[Any], fields: Moves) -> None:
        """Read the moves of a record; `fields` are those of all moves of its ruleset."""
        self._moves, self._fields = moves, fields
        self._made: list[int] = []  # the seq of each move made
        self._wrong: dict[int, int] = {}  # seq of a move that differs from the list → its number

    def read(self, seq: int, entry: dict[str, Any]) -> None:
        """Read the next entry: compare a move, and what the record says about it."""
        if entry["type"] == "moved":
            self._compare(seq, entry)
        elif entry["type"] in GOING_BACK and type(entry.get("of")) is int:
            while self._made and self._made[-1] >= entry["of"]:
                self._wrong.pop(self._made.pop(), None)

    def _compare(self, seq: int, entry: dict[str, Any]) -> None:
        seat, shares = entry.get("seat"), entry.get("private")
        move = full_move({"move": None, **entry}, shares if type(shares) is dict else {}, self._fields)
        n = len(self._made)
        listed: Any = self._moves[n] if n < len(self._moves) else None
        due = {"seat": seat, "move": move}
        for name in SAID_BESIDE if type(listed) is dict else ():
            if name in listed:
                due[name] = entry.get(name)
        if not same(listed, due):
            self._wrong[seq] = n + 1
        self._made.append(seq)

    def end(self, findings: Findings) -> None:
        """Report the first difference, and what nothing checks."""
        if self._wrong and (unknown := unknown_in_moves(self._moves)) is not None:
            findings.fail("members", unknown)
        end = findings.seq
        for seq, number in self._wrong.items():
            findings.seq = seq
            findings.fail("moves", f"move {number} of the record is not the one made here")
        findings.seq = end
        if len(self._made) < len(self._moves):
            findings.fail("moves", "the record lists more moves than were made")
