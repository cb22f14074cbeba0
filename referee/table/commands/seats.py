"""Who sits where: taking a seat, leaving it, and handing it over during the game."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Literal, Self

from referee.engine.verdicts import Refusal
from referee.log.members import Members
from referee.log.pace import end_turn
from referee.table.commands.base import Here, Outcome, SeatCommand
from referee.table.dealing import entropy_commitment
from referee.table.events import Effects, Event, Facts
from referee.table.seats import Seat, Who
from referee.table.table import OPEN, Table

MISSED = 2  # deadlines in a row
MISSING_AFTER = timedelta(days=7)  # a turn without a move, not counting days off and pauses

ALL_TAKEN = Refusal("table.taken", "All seats are taken.")
LAST_TAKEN = Refusal("table.full", "All seats are taken: nobody can leave before the cards are dealt.")
EMPTY = entropy_commitment("")
NO_COMMITMENT = Refusal(
    "table.commitment", "In this game, seats give their entropy when they join, without a commitment."
)
REVEALED_LATER = Refusal(
    "table.entropy",
    "In this game seats join with a commitment, and reveal their entropy when all are taken.",
)
COMMITMENT_NEEDED = Refusal(
    "table.commitment",
    "Needed in this game: the SHA-256, in hex, of the entropy that you reveal when all seats are taken.",
)
OF_NOTHING = Refusal(
    "table.commitment", "This is the hash of nothing: commit to entropy that nobody else knows."
)
SAME_COMMITMENT = Refusal("table.commitment", "Another seat has the same commitment.")


@dataclass(frozen=True, slots=True)
class Sit(SeatCommand):
    """Take a seat before the game begins; with `alone`, only without another one at the table."""

    who: Who
    entropy: str = ""
    commitment: str | None = None
    public_key: str | None = None
    alone: bool = False
    event_kind: ClassVar[str] = "joined"
    stages: ClassVar[tuple[str, ...]] = ("open",)

    @classmethod
    def of(cls, entry: Members) -> Self:
        """Return what was asked for if this entry was written."""
        more = entry.get("commitment"), entry.get("public_key")
        return cls(entry["seat"], Who.of(entry), entry["entropy"], *more)

    def _members(self, here: Here) -> Outcome:
        return (
            taken(here.table, self.seat)
            or (_sits_elsewhere(here, self.seat, self.who, " (distinct_players)") if self.alone else None)
            or self._unfit(here.table)
            or self._joined()
        )

    def _unfit(self, table: Table[Seat]) -> Refusal | None:
        """Return why the seat cannot add this to the chance of the deal; None if it can."""
        if self.entropy and table.dealing:
            return REVEALED_LATER
        if table.dealing is None or self.who.player is None:
            return None if self.commitment is None else NO_COMMITMENT
        if self.commitment is None:
            return COMMITMENT_NEEDED
        if self.commitment == EMPTY:
            return OF_NOTHING
        # A copy could not be revealed before it.
        return SAME_COMMITMENT if any(seat.commitment == self.commitment for seat in table.seats) else None

    def _joined(self) -> Members:
        joined: Members = {**self.who.at(self.seat), "entropy": self.entropy}
        if self.commitment is not None:
            joined["commitment"] = self.commitment
        if self.public_key is not None:
            joined["public_key"] = self.public_key
        return joined


def _join(table: Table[Seat], event: Event) -> None:
    seat = event.members["seat"]
    table.change(seat, **Who.of(event.members)._asdict(), public_key=event.members.get("public_key"))
    if table.status == OPEN:  # a player who takes over a seat later adds nothing to the game's chance
        table.change(
            seat, entropy=event.members.get("entropy", ""), commitment=event.members.get("commitment")
        )
        table.go_on_dealing()


@dataclass(frozen=True, slots=True)
class GetUp(SeatCommand):
    """Leave a seat before the game begins."""

    event_kind: ClassVar[str] = "left"
    stages: ClassVar[tuple[str, ...]] = ("open",)

    def _members(self, here: Here) -> Outcome:
        if here.table.dealing is not None and here.table.full:
            return LAST_TAKEN
        return here.table.seats[self.seat].who.at(self.seat)


def _leave(table: Table[Seat], event: Event) -> Facts:
    number, clocks = event.members["seat"], {}
    if table.status == OPEN:
        table.change(number, entropy="", commitment=None)
    else:
        clocks = end_turn(table.seats, number, table.timing, table.updated_at)
    player = table.seats[number].player
    if event.members.get("replaced") and player is not None:
        table.change(number, previous=player)
    table.seats[number] = table.seats[number].vacated()
    return Facts(clocks)


@dataclass(frozen=True, slots=True)
class HandOver(SeatCommand):
    """Give a seat of a running game to somebody else, who takes it `then`.

    It keeps its cards, its entropy and its reserve. `because` says who has decided that, if it was not the
    app: `agreed` (all other seats) or `dropped` (it has missed too many turns). With `alone`, the newcomer
    must not have another seat.
    """

    who: Who
    because: Literal["agreed", "dropped"] | None = None
    alone: bool = True
    REASONS: ClassVar[tuple[Literal["agreed", "dropped"], ...]] = ("agreed", "dropped")
    event_kind: ClassVar[str] = "left"
    stages: ClassVar[tuple[str, ...]] = ("running",)

    @classmethod
    def of(cls, entry: Members) -> Self:
        """Return what was asked for if this entry was written, or the one that follows it.

        The first of them names who leaves, and the second who comes.
        """
        because = next((why for why in cls.REASONS if why in entry), None)
        return cls(entry["seat"], Who.of(entry), because, alone=False)

    def _members(self, here: Here) -> Outcome:
        left: Members = {**here.table.seats[self.seat].who.at(self.seat), "replaced": True}
        if self.because is not None:
            left[self.because] = True
        return (_sits_elsewhere(here, self.seat, self.who) if self.alone else None) or left

    def then(self, at: datetime) -> Event:
        """Return how the newcomer takes the seat."""
        joined: Members = {**self.who.at(self.seat), "entropy": "", "replaced": True}
        if self.because == "dropped":
            joined["dropped"] = True
        return Event("joined", at, joined)


@dataclass(frozen=True, slots=True)
class AgreeToReplace(SeatCommand):
    """Agree that somebody takes over a seat whose player is missing."""

    replaced: int
    who: Who
    event_kind: ClassVar[str] = "replacement_agreed"
    needs_past: ClassVar[bool] = True

    def _members(self, here: Here) -> Outcome:
        if refusal := _sits_elsewhere(here, self.replaced, self.who):
            return refusal
        since = here.past.waited_since(here.table, self.replaced)
        if here.past.votes.late[self.replaced] < MISSED and (
            since is None or here.now - since < MISSING_AFTER
        ):
            reason = (
                f"Seat {self.replaced} is not missing: it has not missed {MISSED} deadlines in a row,"
                " and the game has not waited for it for a week."
            )
            return Refusal("table.not_missing", reason)
        return {**here.table.who(self.seat), "replacement": {"seat": self.replaced, **self.who.to_json()}}


def taken(table: Table[Seat], seat: int | None) -> Refusal | None:
    """Return why nobody can take a seat, or without one, any seat; None if it is free."""
    if seat is None:
        return ALL_TAKEN if table.full else None
    return Refusal("table.taken", f"Seat {seat} is taken.") if table.seats[seat].taken else None


def _sits_elsewhere(here: Here, seat: int, who: Who, why: str = "") -> Refusal | None:
    """Return why a player who has another seat cannot have this one, too; None if it has none."""
    others = (other.player for number, other in enumerate(here.table.seats) if number != seat)
    if who.player is None or not any(other and other.id == who.player.id for other in others):
        return None
    return Refusal("table.taken", f"{who.player.name} sits at this table already{why}.")


EFFECTS: Effects = {
    "joined": _join,
    "left": _leave,
}
