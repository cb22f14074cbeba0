"""Commands: what somebody asks of a table. `decide` makes an event of each, or refuses it by a rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, NamedTuple

from referee.engine.play import judge
from referee.engine.talk import talk
from referee.engine.verdicts import Refusal
from referee.log.entries import ENTRY_TYPES
from referee.log.members import ENDINGS
from referee.log.numbers import rules_of
from referee.log.times import duration_text
from referee.table.apply import Event
from referee.table.dealing import entropy_commitment
from referee.table.recent import Recent
from referee.table.seats import Who, seats_to_reveal
from referee.table.table import OPEN, RUNNING, Table

CANCELLATION, DRAW = ENDINGS
NUDGE_AFTER = timedelta(days=1)  # after which a seat may be nudged, and nudged again
MISSED = 2  # deadlines in a row
MISSING_AFTER = timedelta(days=7)  # a turn without a move, not counting days off and pauses

OVER = Refusal("table.over", "The game is over.")
BEGUN = Refusal("table.begun", "The game has begun.")
NOT_BEGUN = Refusal("table.not_begun", "The game has not begun: a seat is still open.")
NOT_FULL = Refusal("table.not_full", "A seat is still open: entropy is revealed when all are taken.")
OTHER_ENTROPY = Refusal("table.entropy", "Must be what this seat has committed to.")
PAUSED = Refusal("table.paused", "The game is paused: end the pause first.")
NOT_PAUSED = Refusal("table.not_paused", "The game is not paused.")
NOBODY_WAITED_FOR = Refusal(
    "table.not_waited", "The game has not waited a day for anybody, or the last nudge is too recent."
)
UNTIMED = Refusal("table.untimed", "The game has no deadlines.")
OLD_LOG = Refusal("table.log", "The log of the game is of a number in which this is not possible.")


class Here(NamedTuple):
    """The table at which something is asked for, the time, and what is recent there, if that was read."""

    table: Table[Any]
    now: datetime
    recent: Recent | None

    @property
    def past(self) -> Recent:
        """What is recent."""
        assert self.recent is not None, "the command is decided without the past"
        return self.recent


Outcome = Mapping[str, Any] | Refusal


def misplaced(table: Table[Any], stages: Sequence[str]) -> Refusal | None:
    """Return why nothing can happen now that belongs to these stages of a game; None if it can."""
    if table.status == OPEN:
        return None if "open" in stages else NOT_BEGUN
    if table.over or table.status != RUNNING:
        return BEGUN if [*stages] == ["open"] else OVER
    if table.paused:
        return None if "paused" in stages else BEGUN if [*stages] == ["open"] else PAUSED
    return None if "running" in stages else NOT_PAUSED if "paused" in stages else BEGUN


@dataclass(frozen=True, slots=True)
class Command:
    """What a seat, or nobody at the table, asks for.

    `event_kind` is the type of the entry that it makes. Those that `needs_past` are decided with what is
    recent at the table.
    """

    event_kind: ClassVar[str]
    needs_past: ClassVar[bool] = False

    def _members(self, here: Here) -> Outcome:
        """Return what the entry says by itself, or why there is none."""
        return {}


@dataclass(frozen=True, slots=True)
class SeatCommand(Command):
    """What a seat asks for."""

    seat: int

    def _members(self, here: Here) -> Outcome:
        return here.table.who(self.seat)


def decide(table: Table[Any], command: Command, now: datetime, past: Recent | None = None) -> Event | Refusal:
    """Return what happens when a command is carried out now, or the rule by which it is refused.

    A command that `needs_past` is decided with what is recent at the table.
    """
    if isinstance(command, Say):
        command = command.meant(table)
    declared = ENTRY_TYPES[command.event_kind]
    if refusal := misplaced(table, declared.stages):
        return refusal
    members = command._members(Here(table, now, past))
    if isinstance(members, Refusal):
        return members
    if past is not None and past.log < declared.since:
        return OLD_LOG
    return Event(command.event_kind, max(now, table.updated_at), members)


def follow(table: Table[Any], at: datetime) -> Event | None:
    """Return what happens next by itself: the deal, the end, or what all players have agreed to."""
    if table.status == OPEN:
        event = decide(table, Deal(), at)
        return event if isinstance(event, Event) else None
    if table.status != RUNNING:
        return None
    if table.state.result is not None:
        return Event("finished", at, {"result": table.state.result, "seed": table.seed.hex()})
    players = [seat for seat in table.seats if seat.player]
    if not players:
        return None
    if all(seat.pause_agreed for seat in players):
        return Event("paused", at)
    if all(seat.ending_agreed == DRAW for seat in players):
        return Event("drawn", at)
    if all(seat.ending_agreed == CANCELLATION for seat in players):
        return Event("cancelled", at, {"agreed": True})
    return None


def taken_back(table: Table[Any], at: datetime, past: Recent) -> Event | None:
    """Return the take-back to which every seat that a player holds has agreed; None if there is none."""
    asked = past.consent.request
    players = {number for number, seat in enumerate(table.seats) if seat.player}
    if asked is None or not players <= asked.agreed:
        return None
    return Event("taken_back", at, {**table.who(asked.seat), "of": asked.of})


# --- the deal -------------------------------------------------------------------------------------------


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


# --- play and talk --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Move(SeatCommand):
    """Make a move."""

    move: dict[str, Any]
    event_kind: ClassVar[str] = "moved"

    def _members(self, here: Here) -> Outcome:
        refusal = judge(here.table.state, self.seat, self.move).refusal
        return refusal or {**here.table.who(self.seat), "move": self.move}


@dataclass(frozen=True, slots=True)
class Say(Command):
    """Say something; without a seat, the game's app does."""

    seat: int | None
    text: str
    event_kind: ClassVar[str] = "said"

    def meant(self, table: Table[Any]) -> Command:
        """Return the move that it is where the rules make talk a move, otherwise itself."""
        if self.seat is None or table.status != RUNNING or not (move := talk(table.state).move):
            return self
        return Move(self.seat, {"type": move, "text": self.text})

    def _members(self, here: Here) -> Outcome:
        if self.seat is None:
            return {"seat": None, "player": None, "text": self.text}
        refusal = talk(here.table.state).refuse(self.text) if here.table.status == RUNNING else None
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


# --- agreements -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AgreeToPause(SeatCommand):
    """Agree to stop all clocks."""

    event_kind: ClassVar[str] = "pause_agreed"

    def _members(self, here: Here) -> Outcome:
        if here.table.timing is None:
            return UNTIMED._replace(reason="The game has no deadlines: there is nothing to pause.")
        return _agreed(self.seat) if here.table.seats[self.seat].pause_agreed else here.table.who(self.seat)


@dataclass(frozen=True, slots=True)
class EndPause(SeatCommand):
    """Let the clocks run again."""

    event_kind: ClassVar[str] = "resumed"


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


@dataclass(frozen=True, slots=True)
class AgreeToReplace(SeatCommand):
    """Agree that somebody takes over a seat whose player is missing."""

    replaced: int
    who: Who
    event_kind: ClassVar[str] = "replacement_agreed"
    needs_past: ClassVar[bool] = True

    def _members(self, here: Here) -> Outcome:
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


def _agreed(seat: int) -> Refusal:
    return Refusal("table.agreed", f"Seat {seat} has agreed already.")


# --- take-backs -----------------------------------------------------------------------------------------


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
    needs_past: ClassVar[bool] = True

    def _members(self, here: Here) -> Outcome:
        if here.table.timing is None:
            return UNTIMED
        forced, moves = here.past.consent.forced, here.past.consent.moves
        if not any(of in forced for of, _ in moves):
            return Refusal("table.not_forced", "No move was made for a seat whose time was over.")
        if not rules_of(here.past.log).undoes_timeouts:
            return OLD_LOG._replace(
                reason="The log of the game is of a number in which time-outs cannot be undone."
            )
        of, seat = moves[-1]
        if of not in forced:
            return Refusal("table.acted", f"Seat {seat} has acted since the time-out.")
        return _lasting(here.past.seen(of)) or {"of": of, "undone": forced[of]}


def _lasting(why: str | None) -> Refusal | None:
    return Refusal("table.lasting", why) if why else None


# --- clocks ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TakeVacation(SeatCommand):
    """Take days off, from here.now on or after those already taken."""

    days: int
    event_kind: ClassVar[str] = "vacation_taken"

    def _members(self, here: Here) -> Outcome:
        left = here.table.timing.vacation_left(here.table.seats[self.seat]) if here.table.timing else 0
        if self.days > left:
            return Refusal("table.vacation", f"Seat {self.seat} has {left} days of vacation left.")
        return {**here.table.who(self.seat), "vacation": {"days": self.days}}


@dataclass(frozen=True, slots=True)
class Nudge(SeatCommand):
    """Ask a seat to move for which the game has waited a day."""

    nudged: int
    event_kind: ClassVar[str] = "nudged"
    needs_past: ClassVar[bool] = True

    def _members(self, here: Here) -> Outcome:
        there = here.table.seats[self.nudged]
        waited = here.past.waited_since(here.table, self.nudged)
        begun = max(filter(None, (there.since, there.nudged_at, there.away_until, waited)), default=here.now)
        if (
            self.nudged == self.seat
            or there.player is None
            or waited is None
            or here.now - begun < NUDGE_AFTER
        ):
            return NOBODY_WAITED_FOR
        whom = {"seat": self.nudged, "player": there.player.to_json()}
        return {**here.table.who(self.seat), "nudge": whom}


@dataclass(frozen=True, slots=True)
class AddTime(Command):
    """Add time to the running turn of a seat."""

    seat: int
    length: timedelta
    event_kind: ClassVar[str] = "time_added"

    def _members(self, here: Here) -> Outcome:
        if here.table.timing is None:
            return UNTIMED
        if not 0 <= self.seat < len(here.table.seats) or here.table.seats[self.seat].deadline is None:
            return Refusal("table.no_turn", f"No time is running for seat {self.seat}.")
        return {"added": {"seat": self.seat, "time": duration_text(self.length)}}


@dataclass(frozen=True, slots=True)
class ChangePace(Command):
    """Change the pace for the turns to come: what is left, and deadlines of running turns, stay."""

    pace: dict[str, Any]
    event_kind: ClassVar[str] = "pace_changed"

    def _members(self, here: Here) -> Outcome:
        return UNTIMED if here.table.timing is None else {"pace": self.pace}


@dataclass(frozen=True, slots=True)
class Adjudicate(Command):
    """Decide who wins and who loses; the others neither."""

    ruling: dict[str, list[int]]
    event_kind: ClassVar[str] = "adjudicated"
    needs_past: ClassVar[bool] = True

    def _members(self, here: Here) -> Outcome:
        return {"ruling": self.ruling}
