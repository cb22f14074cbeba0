"""A game as it should be: the referee's own position, and in a few lines what the service adds to it.

Each method returns the status that the service has to answer with.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import referee

OPEN, RUNNING, FINISHED = "open", "running", "finished"
Move = dict[str, Any]


class Made(NamedTuple):
    """A move that stands, and the position before it."""

    seq: int
    seat: int
    move: Move
    before: Any
    drawn: int


@dataclass
class Request:
    """Somebody asks to take back the move of an entry."""

    made: Made
    agreed: set[int]


@dataclass
class Model:
    """A game; `seen` has the position of every version."""

    ruleset: str
    seats: int
    seed: bytes
    paced: bool
    entropy: dict[int, str] = field(default_factory=dict)
    status: str = OPEN
    state: Any = None
    drawn: int = 0
    version: int = 1
    paused: bool = False
    agreed: set[int] = field(default_factory=set)
    orders: dict[int, list[Move]] = field(default_factory=dict)
    made: list[Made] = field(default_factory=list)
    request: Request | None = None
    seen: dict[int, Any] = field(default_factory=dict)
    statuses: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._show(0)

    @property
    def to_act(self) -> list[int]:
        return list(self.state.to_act) if self.status == RUNNING else []

    def _show(self, entries: int) -> None:
        """So many entries more, and this is the position after each of them."""
        state = None if self.state is None else referee.clone(self.state)
        for seq in range(self.version + 1, self.version + entries + 1):
            self.seen[seq], self.statuses[seq] = state, self.status
        self.version += entries
        self.seen.setdefault(self.version, state)
        self.statuses.setdefault(self.version, self.status)

    def _happens(self) -> None:
        """Something happens at the table: agreements and requests lapse."""
        self.agreed, self.request = set(), None

    def chance(self) -> referee.Seeded:
        return referee.Seeded(self.key, self.drawn)

    @property
    def key(self) -> bytes:
        return referee.game_key(self.seed, [self.entropy[seat] for seat in range(self.seats)])

    def _refused(self, known: bool, *, even_paused: bool = False) -> int | None:
        """Why nothing can be done: another version was expected, the game is not running, or paused."""
        if not known:
            return 412
        if self.status != RUNNING:
            return 409
        return 409 if self.paused and not even_paused else None

    # --- what players do ------------------------------------------------------------------------------

    def join(self, seat: int, entropy: str) -> int:
        if self.status != OPEN or seat in self.entropy:
            return 409
        self.entropy[seat] = entropy
        self._show(1)
        if len(self.entropy) == self.seats:
            chance = self.chance()
            self.state, _ = referee.deal(self.ruleset, self.seats, {}, chance)
            self.drawn, self.status = chance.drawn, RUNNING
            self._show(1)
        return 200

    def move(self, seat: int, move: Move, *, known: bool = True) -> int:
        refused = self._refused(known)
        if refused is not None:
            return refused
        if not referee.judge(self.state, seat, move).legal:
            return 422
        self._advance(seat, move)
        self._play_orders()
        return 201

    def _advance(self, seat: int, move: Move) -> None:
        chance, before, drawn = self.chance(), referee.clone(self.state), self.drawn
        referee.advance(self.state, seat, move, chance)
        self.drawn = chance.drawn
        self._happens()
        self.made.append(Made(self.version + 1, seat, move, before, drawn))
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
        self._happens()
        before = self.version + 1
        referee.conclude(self.state, referee.resign(self.state, seat))
        self.paused = False
        self._show(1)
        self._end_if_over()
        del self.seen[before]  # it is over, and the result is not written down yet
        return 201

    def talk(self) -> int:
        self._show(1)
        return 201

    def pause(self, seat: int) -> int:
        refused = self._refused(known=True)
        if refused is not None or not self.paced or seat in self.agreed:
            return refused or 409
        self.agreed.add(seat)
        self._show(1)
        if len(self.agreed) == self.seats:
            self._happens()
            self.paused = True
            self._show(1)
        return 201

    def resume(self) -> int:
        if self.status != RUNNING or not self.paused:
            return 409
        self.paused = False
        self._happens()
        self._show(1)
        self._play_orders()
        return 201

    def leave_orders(self, seat: int, moves: list[Move]) -> int:
        if self.status != RUNNING:
            return 409
        self.orders[seat] = list(moves)
        self._play_orders()
        return 200

    def _play_orders(self) -> None:
        while self.status == RUNNING and not self.paused:
            seat = next((seat for seat in self.to_act if self.orders.get(seat)), None)
            if seat is None:
                return
            move = self.orders[seat].pop(0)
            if referee.judge(self.state, seat, move).legal:
                self._advance(seat, move)
            else:
                self.orders[seat] = []

    # --- take-backs -----------------------------------------------------------------------------------

    def ask_back(self, seat: int) -> int:
        refused = self._refused(known=True)
        own = [made for made in self.made if made.seat == seat]
        if refused is not None or not own or self._shown_since(own[-1]):
            return refused or 409
        self.request = Request(own[-1], {seat})
        self._show(1)
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
        if len(self.request.agreed) == self.seats:
            made = self.request.made
            self.state, self.drawn = referee.clone(made.before), made.drawn
            self.made = self.made[: self.made.index(made)]
            self.orders[made.seat] = []
            self._happens()
            self._show(1)
            self._play_orders()
        return 201

    def _shown_since(self, first: Made) -> bool:
        """Whether a card was shown, or chance drawn, by a move or since."""
        state, chance = referee.clone(first.before), referee.Seeded(self.key, first.drawn)
        since = self.made[self.made.index(first) :]
        return any(referee.reveals(state, made.seat, made.move, chance) is not None for made in since)
