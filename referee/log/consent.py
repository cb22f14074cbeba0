"""Take-backs and pauses in a log: requested by a seat, and agreed to by all the others."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from referee.log.entries import ENTRY_TYPES


class Request(NamedTuple):
    """An open request to take back the move of entry `of`: the seat that asks, and those that have agreed."""

    of: int
    seat: int
    agreed: set[int]


class Consent:
    """The requests of a log, one at a time; any action at the table ends a request.

    `moves` are those that were not taken back, each as the seq of its entry and its seat; `barrier` is the
    last entry that no take-back may reach beyond; `pause` has the seats that have agreed to a pause since.
    """

    def __init__(self, fail: Callable[[str], None] = lambda detail: None) -> None:
        self.moves: list[tuple[int, int]] = []
        self.barrier = 0
        self.request: Request | None = None
        self.pause: set[int] = set()
        self._fail = fail

    def see(self, seq: int, entry: Mapping[str, Any], players: Collection[int] = ()) -> None:
        """Check the next entry; `players` are the seats that a player holds."""
        kind, seat, of = entry["type"], entry.get("seat"), entry.get("of")
        if ENTRY_TYPES[kind].aside:
            if kind.startswith("take_back_"):
                self._see_talk(kind, of, seat)
            elif kind == "pause_agreed" and type(seat) is int:
                self.pause.add(seat)
            return
        if kind == "paused" and not set(players) <= self.pause:
            missing = ", ".join(map(str, sorted(set(players) - self.pause)))
            self._fail(f"pauses without the consent of seat {missing}")
        self.pause.clear()
        if kind == "moved":
            self.moves.append((seq, seat if type(seat) is int else -1))
        elif kind == "taken_back":
            self._see_taken_back(of, seat, players)
        elif ENTRY_TYPES[kind].final:
            self.barrier = seq
        self.request = None

    def _see_talk(self, kind: str, of: object, seat: object) -> None:
        if type(seat) is not int or type(of) is not int:
            self._fail("nobody can tell which move is to be taken back, or who says so")
        elif kind == "take_back_requested":
            own = [made for made, mover in self.moves if mover == seat]
            if not own or own[-1] != of:
                self._fail(f"entry {of} is not the last move of seat {seat}")
            self.request = Request(of, seat, {seat})
        elif self.request is None or self.request.of != of:
            self._fail(f"nobody asks to take back the move of entry {of}")
        elif kind == "take_back_agreed":
            self.request.agreed.add(seat)
        else:
            self.request = None

    def _see_taken_back(self, of: object, seat: object, players: Collection[int]) -> None:
        request = self.request
        if request is None or (request.of, request.seat) != (of, seat):
            self._fail(f"seat {seat} has not asked to take back the move of entry {of}")
        elif not set(players) <= request.agreed:
            missing = ", ".join(map(str, sorted(set(players) - request.agreed)))
            self._fail(f"takes back a move without the consent of seat {missing}")
        elif request.of < self.barrier:
            self._fail("takes back a move although a seat has run out of time since")
        if type(of) is int:
            self.moves = [made for made in self.moves if made[0] < of]
