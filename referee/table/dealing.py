"""Deals that depend on more than a seed: on entropy that is revealed late, or on a public beacon.

Such a game stays open after all seats are taken, until everybody has revealed and the round is published.
Nobody can leave meanwhile, because otherwise a player with a friend at the table could try for another deal.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Self, TypedDict

from referee.log.beacon import Chain
from referee.log.members import Members
from referee.log.parts import Json, Round
from referee.log.times import duration, timestamp
from referee.table.seats import Seat, seats_to_reveal

COMMIT = "commit"


def entropy_commitment(entropy: str) -> str:
    """Return the commitment to an entropy: its SHA-256, in hex."""
    return sha256(entropy.encode()).hexdigest()


class Stored(TypedDict):
    """All of a deal's conditions, as JSON."""

    reveal_within: str | None
    beacon: Json | None
    reveal_by: str | None
    round: int | None
    signature: str | None


@dataclass(frozen=True, slots=True)
class Dealing:
    """What a deal waits for. With `reveal_within` seats commit to their entropy.

    `reveal_by` and the number of the `round` are set when the deal begins to wait for them; `signature` is
    the round's.
    """

    reveal_within: str | None = None
    beacon: Chain | None = None
    reveal_by: datetime | None = None
    round: int | None = None
    signature: str | None = None

    @property
    def commits(self) -> bool:
        """Whether seats commit to their entropy."""
        return self.reveal_within is not None

    @property
    def terms(self) -> Members:
        """Return its form in the `created` entry."""
        terms: Members = {}
        if self.reveal_within is not None:
            terms["entropy"], terms["reveal_within"] = COMMIT, self.reveal_within
        if self.beacon is not None:
            terms["beacon"] = self.beacon.to_json()
        return terms

    @property
    def randomness(self) -> Round | None:
        """Return the round in its form in the `started` entry and in records."""
        if self.round is None or self.signature is None:
            return None
        return {"round": self.round, "signature": self.signature}

    @property
    def awaited(self) -> tuple[Chain, int] | None:
        """Return the beacon and the round that the deal waits for, or None."""
        if self.beacon is None or self.round is None or self.signature is not None:
            return None
        return self.beacon, self.round

    @property
    def draw_at(self) -> datetime | None:
        """Return when that round is published."""
        return self.awaited[0].time_of(self.awaited[1]) if self.awaited else None

    def drawn(self, round: int, signature: str) -> Self:
        """Return the deal of which the round is published."""
        return replace(self, reveal_by=None, round=round, signature=signature)

    def called_off(self) -> Self:
        """Return the deal of a cancelled game, which waits for nothing any more."""
        return replace(self, reveal_by=None, round=self.round if self.signature else None)

    def again(self) -> Self:
        """Return the same terms, for another game."""
        return type(self)(self.reveal_within, self.beacon)

    def go_on(self, seats: Sequence[Seat], at: datetime) -> Self:
        """Return what the deal waits for now that all seats are taken."""
        if seats_to_reveal(seats):
            assert self.reveal_within is not None
            by = self.reveal_by or at + duration(self.reveal_within)
            return replace(self, reveal_by=by)
        if self.beacon is not None and self.round is None:
            return replace(self, reveal_by=None, round=self.beacon.round_after(at))
        return replace(self, reveal_by=None)

    @property
    def waits(self) -> bool:
        """Whether the deal waits for something."""
        return self.reveal_by is not None or self.draw_at is not None

    def to_json(self, seats: Sequence[Seat]) -> Json:
        """Return its form in answers."""
        return {
            "entropy": COMMIT if self.commits else "given",
            "reveal_within": self.reveal_within,
            "reveal_by": self.reveal_by and timestamp(self.reveal_by),
            "seats_to_reveal": seats_to_reveal(seats) if self.reveal_by else [],
            "beacon": self.beacon and self.beacon.to_json(),
            "round": self.round,
            "signature": self.signature,
        }

    @classmethod
    def of(cls, terms: Members) -> Self | None:
        """Return what the deal of a game with these terms waits for; None if that is nothing special."""
        within, beacon = terms.get("reveal_within"), terms.get("beacon")
        return (
            None if within is None and beacon is None else cls(within, Chain.read(beacon) if beacon else None)
        )

    def stored(self) -> Stored:
        """Return all of it as JSON."""
        return {
            "reveal_within": self.reveal_within,
            "beacon": self.beacon and self.beacon.to_json(),
            "reveal_by": timestamp(self.reveal_by) if self.reveal_by else None,
            "round": self.round,
            "signature": self.signature,
        }

    @classmethod
    def restore(cls, data: Stored) -> Self:
        """Return what was `stored`."""
        by, beacon = data["reveal_by"], data["beacon"]
        return cls(
            data["reveal_within"],
            Chain.read(beacon) if beacon else None,
            datetime.fromisoformat(by) if by else None,
            data["round"],
            data["signature"],
        )
