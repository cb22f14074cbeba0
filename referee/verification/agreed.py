"""Checks what happens because all have agreed."""

from collections.abc import Collection

from referee.log.members import Members
from referee.table import Recent, Seat, Table, commands
from referee.table.commands.agreements import CANCELLATION, DRAW
from referee.verification.findings import Findings


class Agreements:
    """Checks agreements to a pause, an end or a take-back."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def end(self, table: Table[Seat], kind: str) -> None:
        """Check that all players have agreed to a pause or an end."""
        players = {number: seat for number, seat in enumerate(table.seats) if seat.player}
        if kind == "paused":
            self._require("pauses", [n for n, seat in players.items() if not seat.pause_agreed])
            return
        ending = DRAW if kind == "drawn" else CANCELLATION
        if not players:
            self._fail("says that the players agree, and there is none")
        self._require("ends the game", [n for n, seat in players.items() if seat.ending_agreed != ending])

    def request(self, recent: Recent, entry: Members) -> None:
        """Check that a seat asks for its last move, or answers what is asked."""
        of, seat, asked = entry["of"], entry["seat"], recent.consent.request
        if entry["type"] == "take_back_requested":
            if recent.last_move(seat) != of:
                self._fail(f"entry {of} is not the last move of seat {seat}")
        elif asked is None or asked.of != of:
            self._fail(f"nobody asks to take back the move of entry {of}")

    def take_back(self, table: Table[Seat], recent: Recent, entry: Members) -> bool:
        """Check that a move is taken back as all have agreed; return whether it can be."""
        asked, of = recent.consent.request, entry["of"]
        if asked is None or (asked.of, asked.seat) != (of, entry["seat"]):
            self._fail(f"seat {entry['seat']} has not asked to take back the move of entry {of}")
            return False
        if commands.taken_back(table, table.updated_at, recent) is None:
            missing = [n for n, seat in enumerate(table.seats) if seat.player and n not in asked.agreed]
            self._require("takes back a move", missing)
        if of < recent.consent.barrier:
            self._fail("takes back a move although a seat has run out of time since")
            return False
        if recent.seen(of) is not None:
            self._findings.fail("order", f"takes back a move although {recent.shown}")
            return False
        return any(of == seq for seq, _ in recent.consent.moves)

    def _require(self, does: str, missing: Collection[int]) -> None:
        if missing:
            self._fail(f"{does} without the consent of seat {', '.join(map(str, missing))}")

    def _fail(self, detail: str) -> None:
        self._findings.fail("consent", detail)
