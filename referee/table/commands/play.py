"""Commands around the position: the beginning and the deal, moves and talk, and ends that one side wants."""

from dataclasses import dataclass, field
from typing import ClassVar, Self, cast

from referee.engine.chance import commitment
from referee.engine.play import advance, conclude, deal, judge, resign, rule
from referee.engine.talk import talk
from referee.engine.verdicts import Refusal
from referee.log.chain import account
from referee.log.members import ENDLESS, Members
from referee.log.parts import Json, Result, Ruling
from referee.table.commands.base import Command, Here, Outcome, SeatCommand
from referee.table.dealing import Dealing, entropy_commitment
from referee.table.events import Effects, Event, Facts
from referee.table.seats import Seat, seats_to_reveal
from referee.table.table import CANCELLED, FINISHED, RUNNING, Table

NOT_FULL = Refusal("table.not_full", "A seat is still open: entropy is revealed when all are taken.")
NO_RULING = Refusal("table.ruling", "A ruling is about seats of the table, each once.")
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
            **(table.dealing.terms if table.dealing else {}),
            **self.more,
        }


def _create(table: Table[Seat], event: Event) -> None:
    table.pace, table.dealing = event.members["pace"], Dealing.of(event.members)


@dataclass(frozen=True, slots=True)
class Reveal(SeatCommand):
    """Reveal the entropy that a seat has committed to."""

    entropy: str
    event_kind: ClassVar[str] = "revealed"

    @classmethod
    def of(cls, entry: Members) -> Self:
        """Return what was asked for if this entry was written."""
        return cls(entry["seat"], entry["entropy"])

    def _members(self, here: Here) -> Outcome:
        if here.table.dealing is None:
            return Refusal("table.no_commitments", "In this game no entropy is revealed.")
        if not here.table.full:
            return NOT_FULL
        if self.seat not in seats_to_reveal(here.table.seats):
            return Refusal("table.revealed", "This seat has nothing left to reveal.")
        if entropy_commitment(self.entropy) != here.table.seats[self.seat].commitment:
            return OTHER_ENTROPY
        return {**here.table.who(self.seat), "entropy": self.entropy}


def _reveal(table: Table[Seat], event: Event) -> None:
    table.change(event.members["seat"], entropy=event.members["entropy"])
    table.go_on_dealing()


@dataclass(frozen=True, slots=True)
class Deal(Command):
    """Deal."""

    event_kind: ClassVar[str] = "started"

    def _members(self, here: Here) -> Outcome:
        dealing = here.table.dealing
        if not here.table.full or (dealing and dealing.waits):
            return Refusal("table.waiting", "The deal waits for somebody.")
        return {}


def _start(table: Table[Seat], event: Event) -> Facts:
    table.drawn = 0
    chance = table.chance
    rules = table.ruleset, len(table.seats), table.options
    table.state, transfers = deal(*rules, chance, version=table.ruleset_version)
    table.drawn, table.status = chance.drawn, RUNNING
    return Facts(*account(table.position, None, transfers), transfers)


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


def _move(table: Table[Seat], event: Event) -> Facts:
    seat, move, chance, position = event.members["seat"], event.members["move"], table.chance, table.position
    transfers = advance(position, seat, move, chance)
    table.drawn = chance.drawn
    return Facts(*account(position, move, transfers, seat), transfers)


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
            said: Members = {"seat": None, "player": None, "text": self.text}  # type: ignore[typeddict-item]  # nobody's seat
            return said
        return {**here.table.who(self.seat), "text": self.text}


@dataclass(frozen=True, slots=True)
class Resign(SeatCommand):
    """Give up: the seat's team loses."""

    event_kind: ClassVar[str] = "resigned"


def _give_up(table: Table[Seat], event: Event) -> None:
    table.out = (*table.out, event.members["seat"])
    conclude(table.position, resign(table.position, *table.out, reason=event.kind))


@dataclass(frozen=True, slots=True)
class Cancel(Command):
    """Call the game off."""

    event_kind: ClassVar[str] = "cancelled"
    by_director: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class CancelEndless(Command):
    """Call off a game in which only bots play, and that does not end."""

    event_kind: ClassVar[str] = "cancelled"
    stages: ClassVar[tuple[str, ...]] = ("running",)

    def _members(self, here: Here) -> Outcome:
        if any(seat.player for seat in here.table.seats):
            return Refusal("table.endless", "A player sits at the table.")
        return {"reason": ENDLESS}


def _cancel(table: Table[Seat], event: Event) -> None:
    table.status = CANCELLED
    if table.dealing is not None:
        table.dealing = table.dealing.called_off()


@dataclass(frozen=True, slots=True)
class RetireKey(SeatCommand):
    """Give up the seat's own key."""

    event_kind: ClassVar[str] = "key_retired"

    def _members(self, here: Here) -> Outcome:
        if here.table.seats[self.seat].public_key is None:
            return Refusal("table.no_key", f"Seat {self.seat} has no public key.")
        return here.table.who(self.seat)


def _retire_key(table: Table[Seat], event: Event) -> None:
    table.change(event.members["seat"], public_key=None)


@dataclass(frozen=True, slots=True)
class Adjudicate(Command):
    """Decide who wins and who loses; the others neither."""

    ruling: Ruling
    event_kind: ClassVar[str] = "adjudicated"
    by_director: ClassVar[bool] = True

    @classmethod
    def of(cls, entry: Members) -> Self:
        """Return what was asked for if this entry was written."""
        return cls(entry["ruling"])

    def _members(self, here: Here) -> Outcome:
        named = [*self.ruling["winners"], *self.ruling["losers"]]
        if len({*named}) < len(named) or not {*named} <= {*range(len(here.table.seats))}:
            return NO_RULING
        return {"ruling": self.ruling}


def _adjudicate(table: Table[Seat], event: Event) -> None:
    conclude(table.position, rule(event.members["ruling"]))


def _time_out(table: Table[Seat], event: Event) -> None:
    """End the game if late seats resign; otherwise a move is made for each of them next."""
    if table.timing is None or table.timing.on_timeout == "resign":
        _give_up(table, event)


def _finish(table: Table[Seat], event: Event) -> None:
    table.status = FINISHED
    table.result = cast(Result, table.position.result)


EFFECTS: Effects = {
    "created": _create,
    "revealed": _reveal,
    "started": _start,
    "moved": _move,
    "key_retired": _retire_key,
    "resigned": _give_up,
    "dropped": _give_up,
    "timed_out": _time_out,
    "adjudicated": _adjudicate,
    "finished": _finish,
    "cancelled": _cancel,
}
