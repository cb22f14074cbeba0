"""A seat of a table: who holds it, its clock, what it has agreed to, and what it adds to the deal."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Self

from referee.log.members import Members
from referee.log.pace import Clock, fact
from referee.log.parts import Holder, Named


class PlayerName(NamedTuple):
    """A player, with the name at the time of joining. The id is text, as in entries."""

    id: str
    name: str

    def to_json(self) -> Named:
        """Return the player's form in entries and answers."""
        return {"id": self.id, "name": self.name}


class Who(NamedTuple):
    """The present or future holder of a seat: a player, a bot or nobody."""

    player: PlayerName | None = None
    bot: str | None = None

    @classmethod
    def of(cls, data: Members) -> Self:
        """Read the holder from an entry, or anything else that names one; most entries have only ids."""
        player = data["player"]
        return cls(PlayerName(player["id"], player.get("name", "")) if player else None, data.get("bot"))

    def at(self, seat: int) -> Members:
        """Return a seat and this holder in their form in entries."""
        return {"seat": seat, "player": self.player and self.player.to_json(), "bot": self.bot}

    def to_json(self) -> Holder:
        """Return the holder's form in entries and answers."""
        return {"player": self.player and self.player.to_json(), "bot": self.bot}


@dataclass(frozen=True, slots=True)
class Seat(Clock):
    """A seat, with its clock. Everything here follows from the log."""

    player: PlayerName | None = fact(None, of_holder=True)
    entropy: str = ""
    """What it adds to the chance of the deal; empty until it is revealed."""
    commitment: str | None = None
    """Its commitment to the entropy, in hex."""
    public_key: str | None = fact(
        None, of_holder=True, shown="An Ed25519 key with which actions of the seat are signed."
    )
    pause_agreed: bool = fact(False, shown="The seat agrees to a pause now.")
    ending_agreed: str | None = fact(None, shown="How the seat agrees to end the game now.")
    nudged_at: datetime | None = fact(None, of_holder=True)
    previous: PlayerName | None = fact(None, shown="Who held it before, if it changed hands.")

    @property
    def who(self) -> Who:
        """The holder of the seat."""
        return Who(self.player, self.bot)

    @property
    def taken(self) -> bool:
        """Whether the seat is taken."""
        return self.player is not None or self.bot is not None


def seats_to_reveal(seats: Sequence[Seat]) -> list[int]:
    """List the seats that have committed to entropy and not revealed it."""
    return [number for number, seat in enumerate(seats) if seat.commitment and not seat.entropy]
