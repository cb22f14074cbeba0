"""A table whose cards nobody shows: what can be known of its seats and clocks while the game runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from referee.log.entries import ENTRY_TYPES
from referee.table import RUNNING, Earlier, Event, Fold, Seat, Table
from referee.table.apply import EFFECTS, apply
from referee.table.events import Effects, Facts, Given


@dataclass(slots=True, kw_only=True)
class Unseen(Table[Seat]):
    """A table without its position: entries say for whom it waits."""

    waiting: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, table: Table[Seat]) -> Self:
        """Return a table whose position is not known any more."""
        return cls(**{each.name: getattr(table, each.name) for each in fields(Table)} | {"state": None})

    @property
    def to_act(self) -> list[int]:
        """The seats for which the game waits, as far as entries have said."""
        return self.waiting

    def expect(self, event: Event) -> None:
        """Learn from an entry for whom the game waits after it, before it happens.

        A turn may have ended in between without a word, if it had used no reserve. So the turn of a seat that
        the entry should name is forgotten if it does not.
        """
        kind, entry = event.kind, event.members
        named, spent = entry.get("deadlines", {}), entry.get("reserve", {})
        if ENTRY_TYPES[kind].turns and (kind == "started" or self.status == RUNNING):
            self._expect_turns(kind, entry, named, spent)
        for number in range(len(self.seats)):
            own = number == entry.get("seat")
            if kind == "resumed" and str(number) not in named:
                self.change(number, left=None)
            if str(number) not in named and (kind == "time_returned" or (kind == "vacation_taken" and own)):
                self.change(number, deadline=None)
            if kind == "left" and own and str(number) not in spent:
                self.change(number, deadline=None)

    def _expect_turns(
        self, kind: str, entry: Mapping[str, Any], named: Mapping[str, str], spent: Mapping[str, str]
    ) -> None:
        afresh, self.waiting = ENTRY_TYPES[kind].afresh, []
        for number, seat in enumerate(self.seats):
            begins, ends = str(number) in named, str(number) in spent
            over = begins or ends or afresh or (kind == "moved" and number == entry["seat"])
            if over and not ends:
                self.change(number, since=None, deadline=None)
            if begins or (seat.since is not None and not over):
                self.waiting.append(number)


class UnseenFold(Fold):
    """Reads a log whose cards are not shown."""

    def _apply(self, event: Event, given: Given) -> tuple[Facts, str | None]:
        return apply(self.table, event, given, UNSEEN), None

    def _before(self, of: int) -> Earlier | None:
        return None


def _begin(table: Table[Seat], event: Event) -> None:
    table.status = RUNNING


OF_THE_POSITION = ("moved", "resigned", "dropped", "timed_out", "drawn", "adjudicated", "finished")
UNSEEN: Effects = {
    **{kind: effect for kind, effect in EFFECTS.items() if kind not in OF_THE_POSITION},
    "started": _begin,
}
