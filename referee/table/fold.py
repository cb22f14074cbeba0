"""A table as its log is read: every entry is applied again, by its own members."""

from datetime import datetime
from typing import NamedTuple

from referee.engine.chance import Seeded
from referee.engine.play import advance
from referee.engine.position import clone
from referee.engine.takeback import shown, viewers
from referee.log.entries import GOING_BACK
from referee.log.parts import Json, Name, Shares
from referee.log.words import full_move, put_back
from referee.table.apply import ALONE, apply
from referee.table.events import Earlier, Event, Facts, Given
from referee.table.recent import Recent
from referee.table.seats import Seat
from referee.table.table import Table


class PlayedMove(NamedTuple):
    """A move with the seq of its entry."""

    seq: int
    seat: int
    move: Json


class Checkpoint(NamedTuple):
    """A position after an entry, to which take-backs may go back."""

    seq: int
    position: Earlier


class TakenBackBefore(Exception):
    """An entry takes back a move from before the position where reading began; `of` is the move's entry."""

    def __init__(self, of: int) -> None:
        super().__init__(of)
        self.of = of


class Fold:
    """Reads a log into a table, and what is `recent` there; `moves` are those that count, since it began."""

    def __init__(self, table: Table[Seat], recent: Recent | None = None) -> None:
        """Read on from a table and its recent past, or from an empty table."""
        self.table = table
        self.recent = recent or Recent()
        self.moves: list[PlayedMove] = []
        self._checkpoints: list[Checkpoint] = []
        self.keep()

    def keep(self) -> None:
        """Keep the present position, if there is one, for take-backs, which are replayed from there."""
        table = self.table
        if table.state is None:
            return
        self._checkpoints.append(Checkpoint(table.version, Earlier(clone(table.position), table.drawn)))

    def read(self, public: Json, shares: Shares, name: Name | None = None) -> None:
        """Apply the next entry, with the name of a newcomer. Raises TakenBackBefore."""
        entry = put_back(public, shares, name)
        if entry["type"] == "moved":
            entry = {**entry, "move": full_move(entry, shares, self.table.position.ruleset.MOVES)}
        self.happen(Event(entry["type"], datetime.fromisoformat(entry["at"]), entry))

    def happen(self, event: Event) -> Facts:
        """Let the next entry's event happen, with its type and time; return what the entry records.

        Raises TakenBackBefore.
        """
        kind, entry, seq = event.kind, event.members, self.table.version + 1
        given, drawn = ALONE, self.table.drawn
        if kind in GOING_BACK:
            given = Given(self._before(entry["of"]), self.recent.returned(entry["of"]))
        if kind == "moved":
            self.moves.append(PlayedMove(seq, entry["seat"], entry["move"]))
        facts, shown = self._apply(event, given)
        self.recent.read(seq, {**entry, **facts.public} if "reserve" in facts.public else entry, shown)
        if kind == "started" or self.table.drawn != drawn:  # no take-back reaches beyond chance
            self._checkpoints.clear()
            self.keep()
        return facts

    def _apply(self, event: Event, given: Given) -> tuple[Facts, str | None]:
        """Let an event happen; return what it records, and what a move has shown that was hidden."""
        table = self.table
        if event.kind != "moved":
            return apply(table, event, given), None
        position, drawn = table.position, table.drawn
        seen = viewers(position)
        facts = apply(table, event, given)
        return facts, shown(position, facts.transfers, seen, drew=table.drawn != drawn)

    def _before(self, of: int) -> Earlier | None:
        """Return the position before entry `of`: an earlier one, and the moves after that."""
        while self._checkpoints and self._checkpoints[-1].seq >= of:
            self._checkpoints.pop()
        if not self._checkpoints:
            raise TakenBackBefore(of)
        seq, (state, drawn) = self._checkpoints[-1]
        self.moves = [move for move in self.moves if move.seq < of]
        state, chance = clone(state), Seeded(self.table.key, drawn)
        for move in self.moves:
            if move.seq > seq:
                advance(state, move.seat, move.move, chance)
        return Earlier(state, chance.drawn)
