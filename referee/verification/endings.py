"""What a log says of how its game ended."""

from typing import Any

from referee.engine.jsontext import same

GIVING_UP = ("resigned", "timed_out", "dropped")
Entry = dict[str, Any]


class Endings:
    """The entries with which a game ends; `finished` is that of a game with a result."""

    def __init__(self) -> None:
        self._outcome: dict[str, Any] | None = None
        self.finished: Entry | None = None

    def read(self, entry: Entry, *, resigning: bool) -> None:
        """Read the next entry; `resigning`: late seats resign."""
        kind = entry["type"]
        if kind == "finished":
            self.finished = entry
        elif kind in ("drawn", "cancelled"):
            self._outcome = {"type": kind}
        elif kind == "adjudicated":
            ruling = entry.get("ruling")
            self._outcome = {"type": kind, **(ruling if type(ruling) is dict else {})}
        elif kind in GIVING_UP and (resigning or kind != "timed_out"):
            if self._outcome is None:
                self._outcome = {"type": kind, "seat": entry.get("seat")}
            else:
                self._outcome.setdefault("seats", [self._outcome["seat"]]).append(entry.get("seat"))

    def fit(self, ended: Entry | None) -> bool:
        """Return whether this is how a record must say that the game ended."""
        named = ended and {name: ended.get(name) for name in self._outcome or ended}
        return same(named, self._outcome)
