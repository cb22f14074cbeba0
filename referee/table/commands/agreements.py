"""What the seats of a table agree on: pauses, ends, take-backs; and time-outs that are undone."""

from dataclasses import dataclass
from typing import ClassVar

from referee.engine.play import conclude, draw
from referee.engine.verdicts import Refusal
from referee.log.members import ENDINGS_AGREED
from referee.log.pace import pause, resume
from referee.log.parts import Undone
from referee.table.commands.base import UNTIMED, Command, Here, Outcome, SeatCommand
from referee.table.events import Effects, Event, Facts
from referee.table.seats import Seat
from referee.table.table import Table

CANCELLATION, DRAW = ENDINGS_AGREED


@dataclass(frozen=True, slots=True)
class AgreeToPause(SeatCommand):
    """Agree to stop all clocks."""

    event_kind: ClassVar[str] = "pause_agreed"

    def _members(self, here: Here) -> Outcome:
        if here.table.timing is None:
            return UNTIMED._replace(reason="The game has no deadlines: there is nothing to pause.")
        return _agreed(self.seat) if here.table.seats[self.seat].pause_agreed else here.table.who(self.seat)


def _agree_to_pause(table: Table[Seat], event: Event) -> None:
    table.change(event.members["seat"], pause_agreed=True)


@dataclass(frozen=True, slots=True)
class EndPause(SeatCommand):
    """Let the clocks run again."""

    event_kind: ClassVar[str] = "resumed"


def _resume(table: Table[Seat], event: Event) -> Facts:
    return Facts(resume(table.seats, table.time_control, table.updated_at))


@dataclass(frozen=True, slots=True)
class AgreeToEnd(SeatCommand):
    """Agree to end the game: `draw` or `cancellation`."""

    ending: str
    event_kind: ClassVar[str] = "ending_agreed"
    needs_past: ClassVar[bool] = True

    def _members(self, here: Here) -> Outcome:
        if here.table.seats[self.seat].ending_agreed == self.ending:
            return _agreed(self.seat)
        if self.ending == DRAW and sum(seat.player is not None for seat in here.table.seats) < 2:
            return Refusal("table.alone", "There is nobody to agree with on a draw.")
        return {**here.table.who(self.seat), "ending": self.ending}


def _agree_to_end(table: Table[Seat], event: Event) -> None:
    table.change(event.members["seat"], ending_agreed=event.members["ending"])


def _agreed(seat: int) -> Refusal:
    return Refusal("table.agreed", f"Seat {seat} has agreed already.")


@dataclass(frozen=True, slots=True)
class AskTakeBack(SeatCommand):
    """Ask to take back the seat's last move."""

    event_kind: ClassVar[str] = "take_back_requested"
    needs_past: ClassVar[bool] = True

    def _members(self, here: Here) -> Outcome:
        of = here.past.last_move(self.seat)
        if of is None:
            return Refusal("table.no_move", f"Seat {self.seat} has made no move.")
        return _lasting(here.past.lasting(of)) or {**here.table.who(self.seat), "of": of}


@dataclass(frozen=True, slots=True)
class AgreeToTakeBack(SeatCommand):
    """Agree to the take-back that is asked for."""

    event_kind: ClassVar[str] = "take_back_agreed"
    needs_past: ClassVar[bool] = True

    def _members(self, here: Here) -> Outcome:
        asked = here.past.consent.request
        if asked is None:
            return Refusal("table.not_asked", "Nobody has asked to take back a move.")
        return _lasting(here.past.lasting(asked.of)) or {**here.table.who(self.seat), "of": asked.of}


@dataclass(frozen=True, slots=True)
class RefuseTakeBack(AgreeToTakeBack):
    """Refuse the take-back that is asked for."""

    event_kind: ClassVar[str] = "take_back_refused"


@dataclass(frozen=True, slots=True)
class UndoTimeout(Command):
    """Undo the time-out for which the last move was made."""

    event_kind: ClassVar[str] = "timeout_undone"
    by_director: ClassVar[bool] = True
    needs_past: ClassVar[bool] = True

    def _members(self, here: Here) -> Outcome:
        if here.table.timing is None:
            return UNTIMED
        forced, moves = here.past.consent.forced, here.past.consent.moves
        if not any(of in forced for of, _ in moves):
            return Refusal("table.not_forced", "No move was made for a seat whose time was over.")
        of, seat = moves[-1]
        if of not in forced:
            return Refusal("table.acted", f"Seat {seat} has acted since the time-out.")
        undone: Undone = {"seat": seat, "timed_out": forced[of]["timed_out"]}
        return _lasting(here.past.seen(of)) or {"of": of, "undone": undone}


def _lasting(why: str | None) -> Refusal | None:
    return Refusal("table.lasting", why) if why else None


def _pause(table: Table[Seat], event: Event) -> None:
    pause(table.seats, table.time_control, table.updated_at)


def _draw(table: Table[Seat], event: Event) -> None:
    conclude(table.position, draw(table.position))


EFFECTS: Effects = {
    "pause_agreed": _agree_to_pause,
    "ending_agreed": _agree_to_end,
    "paused": _pause,
    "resumed": _resume,
    "drawn": _draw,
}
