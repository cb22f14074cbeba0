"""The players of seats, according to the entries of a log."""

from typing import Any

from referee.verification.findings import Findings


class Seats:
    """The seats of a game. `holders` has the holder of each taken seat; `players` are players' seats."""

    def __init__(self, number: int, findings: Findings) -> None:
        self._number = number
        self._findings = findings
        self.holders: dict[int, tuple[Any, Any]] = {}
        self.players: list[int] = []
        self.may_be_nobody = False  # in a log that was written from a record without one
        self.read: tuple[str, ...] = ()  # the members of the last entry that are those of an earlier one

    @property
    def full(self) -> bool:
        """Whether every seat is taken."""
        return len(self.holders) == self._number

    def join(self, entry: dict[str, Any]) -> int | None:
        """Process a seat that is taken; return it, or None if that is impossible."""
        seat = self._named(entry)
        if seat is None or seat in self.holders:
            self._findings.fail("seats", "joins a seat that is not free")
            return None
        self.holders[seat] = (entry.get("player"), entry.get("bot"))
        if not self._is_somebody(entry):
            self._findings.fail("seats", "is taken by nobody, or by a player and a bot")
        if entry.get("player"):
            self.players.append(seat)
        return seat

    def _is_somebody(self, entry: dict[str, Any]) -> bool:
        player, bot = entry.get("player"), entry.get("bot")
        if player is None:
            return bool(bot) or self.may_be_nobody
        return bot is None and type(player) is dict and bool(player.get("id") and player.get("name"))

    def leave(self, entry: dict[str, Any]) -> int | None:
        """Process a seat that is left; return it, or None if nobody had it."""
        seat = self._named(entry)
        held = None if seat is None else self.holders.pop(seat, None)
        if held is None:
            self._findings.fail("seats", "leaves a seat that nobody held")
            return None
        if seat in self.players:
            self.players.remove(seat)
        if _who(*held) != _who(entry.get("player"), entry.get("bot")):
            self._findings.fail("seats", "names another player than the one who held the seat")
        return seat

    def has(self, named: object) -> bool:
        """Return whether an object names a seat of the table."""
        return type(named) is dict and self._named(named) is not None

    def check_nudge(self, entry: dict[str, Any], waiting: list[int] | None) -> None:
        """Check that another seat is nudged, by its player's name, and one of those `waiting`, if known."""
        nudge: Any = entry.get("nudge")
        seat = self._named(nudge) if type(nudge) is dict else None
        held = None if seat is None else self.holders.get(seat)
        if not held or seat == entry.get("seat") or _who(*held) != _who(nudge.get("player"), None):
            self._findings.fail("seats", "nudges somebody who does not hold that seat")
        elif waiting is not None and seat not in waiting:
            self._findings.fail("seats", "nudges somebody for whom the game does not wait")

    def held(self, entry: dict[str, Any]) -> int | None:
        """Return the entry's seat, which must belong to the player that the entry names."""
        seat = entry.get("seat")
        named = (entry.get("player"), entry.get("bot"))
        if type(seat) is not int or not 0 <= seat < self._number:
            self._findings.fail("seats", "names a seat that the table does not have")
            return None
        held = self.holders.get(seat)
        if held == named:
            self.read = ("player",)
        elif held is None or _who(*held) != _who(*named):
            self._findings.fail("seats", f"names another player than the one who holds seat {seat}")
        return seat

    def _named(self, entry: dict[str, Any]) -> int | None:
        seat = entry.get("seat")
        return seat if type(seat) is int and 0 <= seat < self._number else None


def _who(player: Any, bot: Any) -> tuple[Any, Any]:
    """Return a player's id and name, and the name of a bot; one of them is None."""
    return (player.get("id"), player.get("name")) if type(player) is dict else player, bot
