"""Deals that depend on more than a seed: on entropy that is revealed late, or on a public beacon.

Such a game stays open after all seats are taken, until everybody has revealed and the round is published.
Nobody can leave meanwhile, because otherwise a player with a friend at the table could try for another deal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

import referee
from api.core.json import loads, stored
from api.core.times import timestamp
from api.game.seat import Seat

# Entries that change the deal's state in a game's row.
SETTLING = frozenset({"joined", "left", "revealed", "started", "cancelled"})


@dataclass(frozen=True, slots=True)
class Dealing:
    """What a deal waits for. With `reveal_within` seats commit to their entropy.

    `reveal_by` and the number of the `round` are set when the deal begins to wait for them; `signature` is
    the round's.
    """

    reveal_within: str | None = None
    beacon: referee.Chain | None = None
    reveal_by: datetime | None = None
    round: int | None = None
    signature: str | None = None

    @property
    def commits(self) -> bool:
        """Whether seats commit to their entropy."""
        return self.reveal_within is not None

    @property
    def terms(self) -> dict[str, Any]:
        """Return its form in the `created` entry."""
        terms: dict[str, Any] = {}
        if self.commits:
            terms |= {"entropy": referee.COMMIT, "reveal_within": self.reveal_within}
        if self.beacon is not None:
            terms["beacon"] = self.beacon.to_json()
        return terms

    @property
    def randomness(self) -> dict[str, Any] | None:
        """Return the round in its form in the `started` entry and in records."""
        return None if self.signature is None else {"round": self.round, "signature": self.signature}

    @property
    def awaited(self) -> tuple[referee.Chain, int] | None:
        """Return the beacon and the round that the deal waits for, or None."""
        if self.beacon is None or self.round is None or self.signature is not None:
            return None
        return self.beacon, self.round

    @property
    def draw_at(self) -> datetime | None:
        """Return when that round is published."""
        return self.awaited[0].time_of(self.awaited[1]) if self.awaited else None

    def called_off(self) -> Dealing:
        """Return the deal of a cancelled game, which waits for nothing any more."""
        return replace(self, reveal_by=None, round=self.round if self.signature else None)

    def again(self) -> Dealing:
        """Return the same terms, for another game."""
        return Dealing(self.reveal_within, self.beacon)

    def go_on(self, seats: Sequence[Seat], at: datetime) -> Dealing:
        """Return what the deal waits for now that all seats are taken."""
        if seats_to_reveal(seats):
            assert self.reveal_within is not None
            by = self.reveal_by or at + referee.duration(self.reveal_within)
            return replace(self, reveal_by=by)
        if self.beacon is not None and self.round is None:
            return replace(self, reveal_by=None, round=self.beacon.round_after(at))
        return replace(self, reveal_by=None)

    @property
    def waits(self) -> bool:
        """Whether the deal waits for something."""
        return self.reveal_by is not None or self.draw_at is not None

    def to_json(self, seats: Sequence[Seat]) -> dict[str, Any]:
        """Return its form in answers."""
        return {
            "entropy": referee.COMMIT if self.commits else "given",
            "reveal_within": self.reveal_within,
            "reveal_by": self.reveal_by and timestamp(self.reveal_by),
            "seats_to_reveal": seats_to_reveal(seats) if self.reveal_by else [],
            "beacon": self.beacon and self.beacon.to_json(),
            "round": self.round,
            "signature": self.signature,
        }

    @classmethod
    def of(cls, text: str | None) -> Self | None:
        """Read it from a game's row."""
        if text is None:
            return None
        data = loads(text)
        by = data.pop("reveal_by")
        beacon = data.pop("beacon")
        return cls(
            beacon=beacon and referee.Chain.read(beacon), reveal_by=by and datetime.fromisoformat(by), **data
        )

    @classmethod
    def from_log(cls, created: dict[str, Any], randomness: dict[str, Any] | None) -> Self | None:
        """Read it from the log of a started game: its `created` entry, and the round, or None without one."""
        within, beacon = created.get("reveal_within"), created.get("beacon")
        if within is None and beacon is None:
            return None
        return cls(within, beacon and referee.Chain.read(beacon), **(randomness or {}))

    def stored(self) -> str:
        """Return its form in a game's row."""
        return stored(
            {
                "reveal_within": self.reveal_within,
                "beacon": self.beacon and self.beacon.to_json(),
                "reveal_by": self.reveal_by and timestamp(self.reveal_by),
                "round": self.round,
                "signature": self.signature,
            }
        )


def seats_to_reveal(seats: Sequence[Seat]) -> list[int]:
    """List the seats that have committed to entropy and not revealed it."""
    return [number for number, seat in enumerate(seats) if seat.commitment and not seat.entropy]
