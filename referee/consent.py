"""Take-backs, as a log tells of them: asked for by the seat that moved, and agreed to by all the others."""

from collections.abc import Collection
from typing import Any, NamedTuple

from referee.findings import Findings


class Request(NamedTuple):
    """A request under way: to take back the move of entry `of`, by which seat, and who has agreed."""

    of: int
    seat: int
    agreed: set[int]


class Consent:
    """The requests of a log, one at a time: whatever happens at the table but talk ends one."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._moves: list[tuple[int, int]] = []  # those that stand: the seq of the entry, the seat
        self._barrier = 0  # the last entry that no take-back may go behind
        self._request: Request | None = None

    def see(self, seq: int, entry: dict[str, Any], players: Collection[int]) -> None:
        """Check the next entry; `players` are the seats that a player holds."""
        kind, seat = entry["type"], entry.get("seat")
        if kind == "said":
            if "take_back" in entry:
                self._see_talk(entry["take_back"], seat)
            return
        if kind == "moved":
            self._moves.append((seq, seat if type(seat) is int else -1))
        elif kind == "taken_back":
            self._see_taken_back(entry.get("of"), seat, players)
        elif kind not in ("joined", "left"):
            self._barrier = seq
        self._request = None

    def _see_talk(self, mark: object, seat: object) -> None:
        of = mark.get("of") if type(mark) is dict else None
        if type(mark) is not dict or type(seat) is not int or type(of) is not int:
            self._findings.fail("consent", "nobody can tell which move is to be taken back, or who says so")
        elif mark == {"of": of, "asks": True}:
            own = [made for made, mover in self._moves if mover == seat]
            if not own or own[-1] != of:
                self._findings.fail("consent", f"entry {of} is not the last move of seat {seat}")
            self._request = Request(of, seat, {seat})
        elif type(mark.get("agrees")) is not bool or mark.keys() != {"of", "agrees"}:
            self._findings.fail("consent", "is neither a request nor an answer to one")
        elif self._request is None or self._request.of != of:
            self._findings.fail("consent", f"nobody asks to take back the move of entry {of}")
        elif mark["agrees"]:
            self._request.agreed.add(seat)
        else:
            self._request = None

    def _see_taken_back(self, of: object, seat: object, players: Collection[int]) -> None:
        request = self._request
        if request is None or (request.of, request.seat) != (of, seat):
            self._findings.fail("consent", f"seat {seat} has not asked to take back the move of entry {of}")
        elif not set(players) <= request.agreed:
            missing = ", ".join(map(str, sorted(set(players) - request.agreed)))
            self._findings.fail("consent", f"takes back a move without the consent of seat {missing}")
        elif request.of < self._barrier:
            self._findings.fail("consent", "takes back a move although a seat has run out of time since")
        if type(of) is int:
            self._moves = [made for made in self._moves if made[0] < of]
