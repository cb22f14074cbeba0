"""Orders that players have left (docs/guides/play-by-post.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import referee

Move = dict[str, Any]
PASS = {"type": "pass"}
MOST_REPEATED = 100


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@dataclass
class Plan:
    """Orders of a seat, and what is done at its turns without an order."""

    orders: list[dict[str, Any]] = field(default_factory=list)
    always_pass: bool = False
    only_move: bool = False
    repeated: int = 0
    looked: int = -1
    """The version at which there was nothing to do."""
    played: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    """The last orders that were played, each with the seq of its entry."""
    just: dict[str, Any] | None = None
    """The order that `next` has just used."""
    held: bool = False
    """It rests until the seat has moved, because the seat has taken a move back."""

    @property
    def anything(self) -> bool:
        return bool(self.orders) or self.always_pass or self.only_move

    @property
    def repeats(self) -> bool:
        """Return whether it can continue without anybody."""
        return self.always_pass or self.only_move

    def next(self, state: Any, seat: int, complete: bool) -> Move | None:
        """Return the move to make, or None; remove used orders. `complete`: all legal moves are listed."""
        self.just = None
        if self.orders:
            order = self.orders[0]
            if referee.judge(state, seat, order["move"]).legal:
                self.just = self.orders.pop(0)
                return self._ends_at_last(order["move"])
            self.orders = []
        if self.always_pass and referee.judge(state, seat, PASS).legal:
            self.repeated += 1
            return self._ends_at_last(PASS)
        legal = referee.legal_moves(state, seat) if self.only_move and complete else []
        if len(legal) == 1:
            self.repeated += 1
            return self._ends_at_last(legal[0])
        return None

    def _ends_at_last(self, move: Move) -> Move:
        if self.repeated >= MOST_REPEATED:
            self.orders, self.always_pass, self.only_move, self.repeated = [], False, False, 0
            self.played, self.just = [], None
        return move

    def new_hand(self, deck: set[str]) -> None:
        """Cancel all orders if one names a card of the hand that is over."""
        moves = [order["move"] for order in self.orders]
        named = [card for move in moves for value in move.values() for card in _listed(value)]
        if not deck.isdisjoint(card for card in named if isinstance(card, str)):
            self.orders = []

    def note_played(self, seq: int) -> None:
        if self.just is not None:
            self.played = [*self.played, (seq, self.just)][-20:]

    def take_back(self, of: int, own: bool) -> None:
        """Restore the orders that were played from entry `of` on."""
        self.orders[:0] = [order for seq, order in self.played if seq >= of]
        self.played = [(seq, order) for seq, order in self.played if seq < of]
        self.held = self.held or (own and self.anything)
        self.looked = -1
