"""Commands around the position: the beginning and the deal, moves and talk, and ends that one side wants."""

from dataclasses import dataclass, field
from typing import ClassVar

from referee.engine.chance import commitment
from referee.engine.play import judge
from referee.engine.talk import talk
from referee.engine.verdicts import Refusal
from referee.log.members import Members
from referee.log.numbers import LOG
from referee.log.parts import Json, Ruling
from referee.table.commands.base import Command, Here, Outcome, SeatCommand
from referee.table.dealing import entropy_commitment
from referee.table.seats import Seat, seats_to_reveal
from referee.table.table import RUNNING, Table

NOT_FULL = Refusal("table.not_full", "A seat is still open: entropy is revealed when all are taken.")
OTHER_ENTROPY = Refusal("table.entropy", "Must be what this seat has committed to.")


@dataclass(frozen=True, slots=True)
class Create(Command):
    """Announce the terms of a game, with a commitment to its seed, before anybody sits down."""

    visibility: str
    more: Members = field(default_factory=lambda: Members())
    event_kind: ClassVar[str] = "created"

    def _members(self, here: Here) -> Outcome:
        table = here.table
        return {
            "ruleset": table.ruleset,
            "ruleset_version": table.ruleset_version,
            "options": table.options,
            "seats": len(table.seats),
            "visibility": self.visibility,
            "pace": table.pace,
            "commitment": commitment(table.seed),
            "log": LOG,
            **(table.dealing.terms if table.dealing else {}),
            **self.more,
        }


@dataclass(frozen=True, slots=True)
class Reveal(SeatCommand):
    """Reveal the entropy that a seat has committed to."""

    entropy: str
    event_kind: ClassVar[str] = "revealed"

    def _members(self, here: Here) -> Outcome:
        if here.table.dealing is None or not here.table.dealing.commits:
            return Refusal("table.no_commitments", "In this game no entropy is revealed.")
        if not here.table.full:
            return NOT_FULL
        if self.seat not in seats_to_reveal(here.table.seats):
            return Refusal("table.revealed", "This seat has nothing left to reveal.")
        if entropy_commitment(self.entropy) != here.table.seats[self.seat].commitment:
            return OTHER_ENTROPY
        return {**here.table.who(self.seat), "entropy": self.entropy}


@dataclass(frozen=True, slots=True)
class Deal(Command):
    """Deal, with the `signature` of the round for which the deal has waited, if it has."""

    signature: str | None = None
    event_kind: ClassVar[str] = "started"

    def _members(self, here: Here) -> Outcome:
        dealing = here.table.dealing
        if dealing is not None and self.signature is not None and dealing.round is not None:
            dealing = dealing.drawn(dealing.round, self.signature)
        if not here.table.full or (dealing and dealing.waits):
            return Refusal("table.waiting", "The deal waits for somebody.")
        return {"randomness": dealing.randomness} if dealing and dealing.randomness else {}


@dataclass(frozen=True, slots=True)
class Move(SeatCommand):
    """Make a move; the seat's standing `order` has made it, or its player."""

    move: Json
    order: bool = False
    event_kind: ClassVar[str] = "moved"

    def _members(self, here: Here) -> Outcome:
        refusal = judge(here.table.position, self.seat, self.move).refusal
        mark: Members = {"order": True} if self.order else {}
        return refusal or {**here.table.who(self.seat), **mark, "move": self.move}


@dataclass(frozen=True, slots=True)
class Say(Command):
    """Say something; without a seat, the game's app does."""

    seat: int | None
    text: str
    event_kind: ClassVar[str] = "said"

    def meant(self, table: Table[Seat]) -> Command:
        """Return the move that it is where the rules make talk a move, otherwise itself."""
        if self.seat is None or table.status != RUNNING or not (move := talk(table.position).move):
            return self
        return Move(self.seat, {"type": move, "text": self.text})

    def _members(self, here: Here) -> Outcome:
        if self.seat is None:
            said: Members = {"seat": None, "player": None, "text": self.text}  # type: ignore[typeddict-item]
            return said
        refusal = talk(here.table.position).refuse(self.text) if here.table.status == RUNNING else None
        return refusal or {**here.table.who(self.seat), "text": self.text}


@dataclass(frozen=True, slots=True)
class Resign(SeatCommand):
    """Give up: the seat's team loses."""

    event_kind: ClassVar[str] = "resigned"


@dataclass(frozen=True, slots=True)
class Cancel(Command):
    """Call the game off."""

    event_kind: ClassVar[str] = "cancelled"


@dataclass(frozen=True, slots=True)
class RetireKey(SeatCommand):
    """Give up the seat's own key."""

    event_kind: ClassVar[str] = "key_retired"

    def _members(self, here: Here) -> Outcome:
        if here.table.seats[self.seat].public_key is None:
            return Refusal("table.no_key", f"Seat {self.seat} has no public key.")
        return here.table.who(self.seat)


@dataclass(frozen=True, slots=True)
class Adjudicate(Command):
    """Decide who wins and who loses; the others neither."""

    ruling: Ruling
    event_kind: ClassVar[str] = "adjudicated"
    needs_past: ClassVar[bool] = True

    def _members(self, here: Here) -> Outcome:
        return {"ruling": self.ruling}
