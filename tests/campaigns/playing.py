"""A model of a game: the referee's own position, and how the service handles moves and their time.

`model.py` extends it. Each method returns the status that the service has to answer with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import referee
import referee.bots
import referee.table
from referee.engine.talk import FREE_TALK
from referee.engine.talk import talk as spoken
from tests.campaigns.clocks import Clocks
from tests.campaigns.left import Missing, Move, Plan

OPEN, RUNNING, FINISHED = "open", "running", "finished"


class Made(NamedTuple):
    """A move that was not taken back, and the position before it."""

    seq: int
    seat: int
    move: Move
    before: Any
    drawn: int
    earned: timedelta


@dataclass
class Request:
    """A request to take back the move of an entry."""

    made: Made
    agreed: set[int]


@dataclass
class Shown:
    """What a version shows: `state` to those who may see it, the holders of seats, the clocks."""

    state: Any
    status: str
    holders: list[int | None]
    clocks: list[dict[str, Any]]
    agreed: list[int]


@dataclass
class Playing:
    """A game; `seen` contains what every version showed. Players are numbers."""

    ruleset: str
    seats: int
    seed: bytes
    pace: dict[str, Any] | None
    now: Callable[[], datetime]
    private: bool = False
    entropy: dict[int, str] = field(default_factory=dict)
    status: str = OPEN
    state: Any = None
    drawn: int = 0
    version: int = 1
    paused: bool = False
    agreed: set[int] = field(default_factory=set)
    made: list[Made] = field(default_factory=list)
    request: Request | None = None
    seen: dict[int, Shown] = field(default_factory=dict)
    barrier: int = 0
    bots: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.holders: list[int | None] = [None] * self.seats
        self.clocks = Clocks(self.pace, self.seats)
        self.plans = [Plan() for _ in range(self.seats)]
        self.missing = [Missing() for _ in range(self.seats)]
        self._show(0)

    @property
    def to_act(self) -> list[int]:
        return list(self.state.to_act) if self.status == RUNNING else []

    @property
    def players(self) -> set[int]:
        """Return the seats that players hold."""
        return {seat for seat, holder in enumerate(self.holders) if holder is not None}

    def seats_of(self, player: int, version: int) -> list[int]:
        """Return the seats as which a player sees a version."""
        if player not in self.holders:
            return []
        return [seat for seat, holder in enumerate(self.seen[version].holders) if holder == player]

    def _show(self, entries: int = 1) -> None:
        """Add this many entries, and record what is seen after each."""
        state = None if self.state is None else referee.clone(self.state)
        shown = Shown(state, self.status, list(self.holders), self.clocks.shown(), sorted(self.agreed))
        for seq in range(self.version + 1, self.version + entries + 1):
            self.seen[seq] = shown
        self.version += entries
        self.seen.setdefault(self.version, shown)

    def _turn_over(
        self,
        moved: int | None = None,
        *,
        afresh: bool = False,
        forced: bool = False,
        gone: Sequence[Made] = (),
    ) -> None:
        """Set the clocks; the increments of moves that are `gone` are returned."""
        waiting = [] if self.state.result is not None else self.to_act
        returned: dict[int, timedelta] = {}
        for made in gone:
            returned[made.seat] = returned.get(made.seat, timedelta()) + made.earned
        self.clocks.turn_over(
            waiting, self.bots, self.now(), moved, afresh=afresh, forced=forced, returned=returned
        )

    def _happens(self) -> None:
        """Record that something happened at the table: agreements and requests lapse."""
        self.agreed, self.request = set(), None

    def chance(self) -> referee.Seeded:
        return referee.Seeded(self.key, self.drawn)

    @property
    def key(self) -> bytes:
        return referee.game_key(self.seed, [self.entropy[seat] for seat in range(self.seats)])

    def _refused(self, known: bool, *, even_paused: bool = False) -> int | None:
        """Return the status of a refusal (another version, not running, paused), or None."""
        self.settle()
        if not known:
            return 412
        if self.status != RUNNING:
            return 409
        return 409 if self.paused and not even_paused else None

    # --- what players do ------------------------------------------------------------------------------

    def join(self, seat: int, entropy: str) -> int:
        self.settle()
        if self.status != OPEN or seat in self.entropy:
            return 409
        self.entropy[seat], self.holders[seat] = entropy, seat
        self._show(1)
        if len(self.entropy) == self.seats:
            chance = self.chance()
            self.state, _ = referee.deal(self.ruleset, self.seats, {}, chance)
            self.drawn, self.status = chance.drawn, RUNNING
            self._turn_over()
            self.barrier = self.version + 1
            self._show(1)
        return 200

    def move(self, seat: int, move: Move, *, known: bool = True) -> int:
        refused = self._refused(known)
        if refused is not None:
            return refused
        if not referee.judge(self.state, seat, move).legal:
            return 422
        self._advance(seat, move)
        self.go_on()
        return 201

    def _advance(self, seat: int, move: Move, *, forced: bool = False) -> None:
        chance, before, drawn = self.chance(), referee.clone(self.state), self.drawn
        transfers = referee.advance(self.state, seat, move, chance)
        self.drawn = chance.drawn
        gathered = sum(len(cards) for origin, _, cards, *_ in transfers if origin is None)
        if gathered == len(deck := self.state.ruleset.deck(self.seats, self.state.options)):
            for plan in self.plans:
                plan.new_hand({*deck})
        self._happens()
        self.missing[seat].moved(forced)
        self.plans[seat].held = False
        earned, reserve = self.clocks.earned(seat, forced), self.clocks.all[seat].reserve
        self._turn_over(seat, forced=forced)
        if forced:  # who takes such a move back gets the reserve that it has used
            earned = self.clocks.all[seat].reserve - reserve
        self.made.append(Made(self.version + 1, seat, move, before, drawn, earned))
        self._show(1)
        self._end_if_over()

    def _end_if_over(self) -> None:
        if self.state.result is not None:
            self.status = FINISHED
            self._show(1)

    def resign(self, seat: int) -> int:
        refused = self._refused(known=True, even_paused=True)
        if refused is not None:
            return refused
        self._give_up("resigned", seat)
        return 201

    def _give_up(self, reason: str, *seats: int) -> None:
        self._happens()
        referee.table.conclude(self.state, referee.resign(self.state, *seats, reason=reason))
        self.paused = False
        self._turn_over()
        first = self.version + 1
        self._show(len(seats))
        self._end_if_over()
        for between in range(first, first + len(seats)):
            del self.seen[between]  # the game is over, but the result is not recorded yet

    def talk(self, seat: int, text: str) -> int:
        self.settle()
        if self.status == FINISHED:
            return 409
        talk = spoken(self.state) if self.status == RUNNING else FREE_TALK
        if talk.move:
            return self.move(seat, {"type": talk.move, "text": text})
        if talk.refuse(text):
            return 422
        self._show(1)
        return 201

    # --- what happens without a request ---------------------------------------------------------------

    def go_on(self) -> None:
        """Let bots move, and play orders."""
        while self.status == RUNNING and not self.paused:
            bot = next((seat for seat in self.to_act if seat in self.bots and not self._mates(seat)), None)
            if bot is not None:
                numbers = referee.bots.bot_numbers(self.key, self.version + 1)
                self._advance(bot, referee.bot_move("random", self.state, bot, numbers))
                continue
            seat = next((seat for seat in self.to_act if self._to_be_looked_at(seat)), None)
            if seat is None:
                return
            complete = referee.find(self.ruleset).COMPLETE
            move = self.plans[seat].next(self.state, seat, complete)
            if move is None:
                self.plans[seat].looked = self.version
            else:
                seq = self.version + 1
                self._advance(seat, move)
                self.plans[seat].note_played(seq)

    def _mates(self, seat: int) -> list[int]:
        """Return the players of a seat's team to whom a bot leaves the answer for all."""
        rules = self.state.ruleset
        team = rules.team(self.state, seat) if (self.ruleset, self.state.phase) == ("truco", "answer") else ()
        return [mate for mate in team if mate in self.players and mate in self.to_act]

    def _to_be_looked_at(self, seat: int) -> bool:
        return (
            self.plans[seat].anything
            and not self.plans[seat].held
            and self.plans[seat].looked != self.version
        )

    def settle(self) -> None:
        """Settle what is overdue, as the next caller or the worker does."""
        late = self.clocks.late(self.now()) if self.status == RUNNING else []
        if not late or self.pace is None:
            return
        if self.pace["on_timeout"] == "resign":
            self._give_up("timed_out", *late)
            return
        self._happens()
        for seat in late:
            self.missing[seat].late += 1
        self.barrier = self.version + len(late)
        self._show(len(late))
        for seat in late:
            if seat in self.clocks.late(self.now()):
                move = referee.table.forced_move(self.state, seat, self.key, self.version + 1)
                self._advance(seat, move, forced=True)
        self.go_on()

    # --- take-backs -----------------------------------------------------------------------------------

    def ask_back(self, seat: int) -> int:
        refused = self._refused(known=True)
        own = [made for made in self.made if made.seat == seat]
        if refused is not None or not own or self._shown_since(own[-1]):
            return refused or 409
        self.request = Request(own[-1], {seat})
        self._show(1)
        self._take_back_if_agreed()
        return 201

    def answer_back(self, seat: int, agree: bool) -> int:
        refused = self._refused(known=True)
        if refused is not None or self.request is None or self._shown_since(self.request.made):
            return refused or 409
        self._show(1)
        if not agree:
            self.request = None
            return 201
        self.request.agreed.add(seat)
        self._take_back_if_agreed()
        return 201

    def _take_back_if_agreed(self) -> None:
        assert self.request is not None
        if not self.players <= self.request.agreed:
            return
        made = self.request.made
        self.state, self.drawn = referee.clone(made.before), made.drawn
        gone = self.made[self.made.index(made) :]
        self.made = self.made[: self.made.index(made)]
        self._happens()
        self._turn_over(afresh=True, gone=gone)
        for seat in self.players:
            self.plans[seat].take_back(made.seq, seat == made.seat)
        self._show(1)
        self.go_on()

    def _shown_since(self, first: Made) -> bool:
        """Return whether a time-out, a shown card or chance forbids taking the move back."""
        if first.seq < self.barrier:
            return True
        state, chance = referee.clone(first.before), referee.Seeded(self.key, first.drawn)
        since = self.made[self.made.index(first) :]
        return any(referee.table.reveals(state, made.seat, made.move, chance) is not None for made in since)
