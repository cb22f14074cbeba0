"""What requests at a table depend on besides its state: who has moved, asked, agreed and been late.

A fold keeps it, so that nobody else reads a log for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Self, TypedDict, cast

from referee.log.consent import Consent, Votes
from referee.log.members import Members
from referee.log.pace import Increments
from referee.log.parts import Json
from referee.log.times import timestamp
from referee.table.seats import Seat
from referee.table.table import Table


class Stored(TypedDict):
    """What is recent at a table, as JSON."""

    consent: Json
    votes: Json
    increments: Json
    shown: tuple[int, str]
    resumed_at: str | None


@dataclass(slots=True)
class Recent:
    """The past of a table as far as a request may depend on it."""

    consent: Consent = field(default_factory=Consent)
    votes: Votes = field(default_factory=Votes)
    increments: Increments = field(default_factory=Increments)
    shown_at: int = 0
    """The entry of the latest move that showed something or drew chance: no take-back reaches so far."""
    shown: str = ""
    """What it did."""
    resumed_at: datetime | None = None
    """When the clocks began to run again after the latest pause or outage."""

    def read(self, seq: int, entry: Mapping[str, object], shown: str | None) -> None:
        """Read the next entry; a move may have `shown` something."""
        said = cast(Members, entry)
        if said["type"] in ("resumed", "time_returned"):
            self.resumed_at = datetime.fromisoformat(said["at"])
        if shown is not None:
            self.shown_at, self.shown = seq, shown
        self.consent.read(seq, entry)
        self.votes.read(entry)
        self.increments.read(seq, entry)

    def seen(self, of: int) -> str | None:
        """Return why the move of entry `of` can never be undone by anybody; None if it can."""
        return f"The move cannot be taken back: {self.shown} since." if of <= self.shown_at else None

    def lasting(self, of: int) -> str | None:
        """Return why the players cannot take back the move of entry `of`; None if they can."""
        return "A seat has run out of time since then." if of < self.consent.barrier else self.seen(of)

    def last_move(self, seat: int) -> int | None:
        """Return the entry of a seat's last move that counts; None if it has made none."""
        return next((seq for seq, mover in reversed(self.consent.moves) if mover == seat), None)

    def waited_since(self, table: Table[Seat], seat: int) -> datetime | None:
        """Return since when the table has waited for a seat whose player could have moved, or None.

        Days off do not count, and neither does the time before the end of the last pause or outage.
        """
        there = table.seats[seat]
        if there.since is None:
            return None
        begun: datetime = there.present(there.since)
        return begun if self.resumed_at is None else max(begun, self.resumed_at)

    def returned(self, of: int) -> Mapping[int, timedelta]:
        """Return what seats got by the moves from entry `of` on, which are taken back now."""
        return self.increments.since(of)

    def to_json(self) -> Stored:
        """Return all of it but moves that no take-back reaches, of which each seat's last one stays."""
        return {
            "consent": self.consent.to_json(self.shown_at),
            "votes": self.votes.to_json(),
            "increments": self.increments.to_json(self.shown_at),
            "shown": (self.shown_at, self.shown),
            "resumed_at": timestamp(self.resumed_at) if self.resumed_at else None,
        }

    @classmethod
    def of(cls, data: Stored, pace: Json | None) -> Self:
        """Return what `to_json` returned, of a table with this pace now."""
        (shown_at, shown), resumed_at = data["shown"], data["resumed_at"]
        return cls(
            Consent.of(data["consent"]),
            Votes.of(data["votes"]),
            Increments.of(data["increments"], pace),
            shown_at,
            shown,
            datetime.fromisoformat(resumed_at) if resumed_at else None,
        )
