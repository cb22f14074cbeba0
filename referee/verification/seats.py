"""Checks who holds the seats that an entry names."""

from collections.abc import Mapping
from typing import Any

from referee.log.entries import ENTRY_TYPES
from referee.table import RUNNING, Seat, Table
from referee.verification.findings import Findings


class Seats:
    """The seats that are `taken`; in a log that was written from a record, `may_be_nobody` holds them."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self.taken: set[int] = set()
        self.may_be_nobody = False

    def read(self, table: Table[Seat], entry: Mapping[str, Any]) -> bool:
        """Check an entry before it happens; return whether the table has the seats that it names."""
        kind, seat = entry["type"], entry.get("seat")
        if kind == "started" and len(self.taken) < len(table.seats):
            self._fail("starts while seats are free")
        if not ENTRY_TYPES[kind].has("seat"):
            return True
        if kind == "said" and seat is None:
            if entry.get("player") is not None:
                self._fail("is said by a player without a seat")
            return True
        about = entry.get("nudge") or entry.get("replacement")
        seats = range(len(table.seats))
        if type(seat) is not int or seat not in seats or (about and about["seat"] not in seats):
            self._fail("names a seat that the table does not have")
            return False
        if kind in ("joined", "left") and ("replaced" in entry) != (table.status == RUNNING):
            self._fail("a seat is handed over while the game runs, and only then")
        if kind == "joined":
            self._join(entry)
        elif not self._holds(table.seats[seat], entry) or seat not in self.taken:
            self._fail(f"names another player than the one who holds seat {seat}")
        if kind == "left":
            self.taken.discard(seat)
        if kind == "nudged":
            self._check_nudge(table, entry)
        return True

    def _join(self, entry: Mapping[str, Any]) -> None:
        player, bot = entry["player"], entry["bot"]
        if entry["seat"] in self.taken:
            self._fail("joins a seat that is not free")
        self.taken.add(entry["seat"])
        named = bot is None and bool(player["id"]) if player else bool(bot)
        if not (named or (player is bot is None and self.may_be_nobody)):
            self._fail("is taken by nobody, or by a player and a bot")

    def _check_nudge(self, table: Table[Seat], entry: Mapping[str, Any]) -> None:
        nudge = entry["nudge"]
        nudged = nudge["seat"]
        if nudged == entry["seat"] or not self._holds(table.seats[nudged], nudge):
            self._fail("nudges somebody who does not hold that seat")
        elif table.state is not None and nudged not in table.to_act:
            self._fail("nudges somebody for whom the game does not wait")

    @staticmethod
    def _holds(seat: Seat, named: Mapping[str, Any]) -> bool:
        player = seat.player and {"id": seat.player.id}
        return (player, seat.bot) == (named.get("player"), named.get("bot"))

    def _fail(self, detail: str) -> None:
        self._findings.fail("seats", detail)
