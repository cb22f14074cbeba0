"""Deals that depend on more than a seed: on entropy to which the seats commit, and which they reveal late.

Such a game stays open after all seats are taken, until everybody has revealed. Nobody can leave meanwhile,
because otherwise a player with a friend at the table could try for another deal.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Self, TypedDict

from referee.log.members import Members
from referee.log.parts import Json
from referee.log.times import duration, timestamp
from referee.table.seats import Seat, seats_to_reveal

COMMIT = "commit"


def entropy_commitment(entropy: str) -> str:
    """Return the commitment to an entropy: its SHA-256, in hex."""
    return sha256(entropy.encode()).hexdigest()


class Stored(TypedDict):
    """All of a deal's conditions, as JSON."""

    reveal_within: str
    reveal_by: str | None


@dataclass(frozen=True, slots=True)
class Dealing:
    """What a deal waits for: reveals; `reveal_by` is set when all seats are taken."""

    reveal_within: str
    reveal_by: datetime | None = None

    @property
    def terms(self) -> Members:
        """Return its form in the `created` entry."""
        return {"entropy": COMMIT, "reveal_within": self.reveal_within}

    def called_off(self) -> Self:
        """Return the deal of a cancelled game, which no longer waits for anything."""
        return replace(self, reveal_by=None)

    def go_on(self, seats: Sequence[Seat], at: datetime) -> Self:
        """Return what the deal waits for now that all seats are taken."""
        by = self.reveal_by or at + duration(self.reveal_within)
        return replace(self, reveal_by=by if seats_to_reveal(seats) else None)

    def outlast(self, outage: timedelta) -> Self:
        """Return what the deal waits for after an outage, whose time is given back."""
        return self if self.reveal_by is None else replace(self, reveal_by=self.reveal_by + outage)

    @property
    def waits(self) -> bool:
        """Whether the deal waits for something."""
        return self.reveal_by is not None

    def to_json(self, seats: Sequence[Seat]) -> Json:
        """Return its form in answers."""
        return {
            "entropy": COMMIT,
            "reveal_within": self.reveal_within,
            "reveal_by": self.reveal_by and timestamp(self.reveal_by),
            "seats_to_reveal": seats_to_reveal(seats) if self.reveal_by else [],
        }

    @classmethod
    def of(cls, terms: Members) -> Self | None:
        """Return what the deal of a game with these terms waits for; None if that is nothing special."""
        within = terms.get("reveal_within")
        return None if within is None else cls(within)

    def stored(self) -> Stored:
        """Return all of it as JSON."""
        return {
            "reveal_within": self.reveal_within,
            "reveal_by": timestamp(self.reveal_by) if self.reveal_by else None,
        }

    @classmethod
    def restore(cls, data: Stored) -> Self:
        """Return what was `stored`."""
        by = data["reveal_by"]
        return cls(data["reveal_within"], datetime.fromisoformat(by) if by else None)
