"""Moves that no player has chosen, chosen again: those for late seats, and those of bots."""

from collections.abc import Mapping
from typing import Any

from referee.computer.bots import BOT_EFFORT, BOTS, bot_move, bot_numbers
from referee.computer.timeouts import BOT, forced_move
from referee.engine.jsontext import same
from referee.engine.position import Position
from referee.table import Table
from referee.verification.findings import Findings


class Choices:
    """Choices of bots and of the clock, repeated up to a total `effort` if there is one."""

    def __init__(self, effort: int | None, findings: Findings) -> None:
        self._effort = effort
        self._findings = findings

    def forced(self, table: Table[Any], seat: int) -> dict[str, Any] | None:
        """Return the move that has to be made for a late seat now; None if it cannot be repeated here."""
        on_timeout = table.time_control.on_timeout
        if on_timeout == "bot" and not self._has_time_for(BOT):
            self._findings.skip("to let bots choose again for late seats would take too long here", "clocks")
            return None
        return forced_move(table.position, seat, table.key, table.version + 1, on_timeout)

    def check(self, key: bytes, seq: int, entry: Mapping[str, Any], state: Position) -> None:
        """Check the choice of a bot for the move of an entry, in the position before it."""
        name, seat = entry["bot"], entry["seat"]
        if type(name) is not str or name not in BOTS:
            self._findings.skip("a bot has moved that is not known here", "bots")
        elif not self._has_time_for(name):
            self._findings.skip("to let all bots choose again would take too long here", "bots")
        elif seat not in state.to_act or not same(
            entry["move"], bot_move(name, state, seat, bot_numbers(key, seq))
        ):
            self._findings.fail("bots", f"the bot {name} made another move than the one that the seed gives")

    def _has_time_for(self, name: str) -> bool:
        if self._effort is not None:
            self._effort -= BOT_EFFORT[name]
        return self._effort is None or self._effort >= 0
