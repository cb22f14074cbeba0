"""Checks moves that no player has chosen: those for late seats, and those of bots."""

from collections.abc import Mapping
from typing import Any

from referee.computer.bots import BOT_EFFORT, BOTS, bot_move, bot_numbers
from referee.computer.timeouts import BOT, forced_move
from referee.engine.jsontext import same
from referee.engine.play import legal_moves
from referee.verification.findings import Findings


class Automatic:
    """The check of a log's automatic moves."""

    def __init__(self, key: bytes, effort: int | None, findings: Findings) -> None:
        """`key` is the game's; with an `effort`, the choices of bots are repeated up to this total effort."""
        self._key = key
        self._effort = effort
        self._findings = findings
        self.on_timeout = "random_move"

    def read(self, seq: int, entry: Mapping[str, Any], seat: int, move: Any, state: Any) -> None:
        """Check the move of an entry, in the position before it."""
        if entry.get("random"):
            self._read_forced(seq, seat, move, state)
        elif entry.get("bot") is not None:
            self._read_bot(entry["bot"], seq, seat, move, state)

    def _read_forced(self, seq: int, seat: int, move: Any, state: Any) -> None:
        if self.on_timeout == "bot" and not self._has_time_for(BOT):
            self._findings.skip("to let bots choose again for late seats would take too long here", "clocks")
        elif not legal_moves(state, seat) or not same(
            move, forced_move(state, seat, self._key, seq, self.on_timeout)
        ):
            fault = "another move was made for the seat than the one that the seed gives"
            self._findings.fail("clocks", fault)

    def _read_bot(self, name: object, seq: int, seat: int, move: Any, state: Any) -> None:
        if type(name) is not str or name not in BOTS:
            self._findings.skip("a bot has moved that is not known here", "bots")
        elif not self._has_time_for(name):
            self._findings.skip("to let all bots choose again would take too long here", "bots")
        elif seat not in state.to_act or not same(
            move, bot_move(name, state, seat, bot_numbers(self._key, seq))
        ):
            self._findings.fail("bots", f"the bot {name} made another move than the one that the seed gives")

    def _has_time_for(self, name: str) -> bool:
        if self._effort is not None:
            self._effort -= BOT_EFFORT[name]
        return self._effort is None or self._effort >= 0
