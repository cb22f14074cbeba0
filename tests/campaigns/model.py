"""A model of a game: the referee's own position, and in a few lines what the service adds to it.

Each method returns the status that the service has to answer with.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.campaigns.left import Missing, Plan
from tests.campaigns.playing import RUNNING, Playing


class Model(Playing):
    """A game, with agreements of its players, their orders, and their absences."""

    def pause(self, seat: int) -> int:
        refused = self._refused(known=True)
        if refused is not None or self.pace is None or seat in self.agreed:
            return refused or 409
        self.agreed.add(seat)
        self._show(1)
        if self.players <= self.agreed:
            self._happens()
            self.paused = True
            self.clocks.pause(self.now())
            self._show(1)
        return 201

    def resume(self) -> int:
        self.settle()
        if self.status != RUNNING or not self.paused:
            return 409
        self.paused = False
        self._happens()
        self.clocks.resume(self.now())
        self._show(1)
        self.go_on()
        return 201

    def leave_orders(self, seat: int, orders: list[dict[str, Any]]) -> int:
        self.settle()
        return self._leave(seat, orders=list(orders))

    def always(self, seat: int, always_pass: bool, only_move: bool) -> int:
        """Set what is done at every turn."""
        return self._leave(seat, always_pass=always_pass, only_move=only_move)

    def _leave(self, seat: int, **wanted: Any) -> int:
        self.settle()
        if self.status != RUNNING:
            return 409
        self.plans[seat] = replace(self.plans[seat], **wanted, repeated=0, looked=-1, held=False)
        self.go_on()
        return 200

    def go_away(self, seat: int, days: int) -> int:
        refused = self._refused(known=True)
        if refused is not None or not self.clocks.go_away(seat, days, self.now()):
            return refused or 409
        self._show(1)
        return 201

    def hand_over(self, seat: int, player: int | None) -> int:
        """As the app, give a seat to another player or a bot."""
        refused = self._refused(known=True) or self._seated(seat, player)
        if refused is None:
            self._replace(seat, player)
        return refused or 200

    def agree_to_replace(self, seat: int, voter: int, player: int) -> int:
        """Agree that a player takes over from a missing one; all other seats have to agree."""
        refused = self._refused(known=True)
        if refused is None and self.missing[seat].votes.get(voter) == player:
            return 200  # said before, also if the player has another seat by now
        refused = refused or self._seated(seat, player)
        if refused is not None:
            return refused
        missing = self.missing[seat]
        if not missing.missing(self.clocks.waited_since(seat), self.now()):
            return 409
        if missing.votes.get(voter) != player:
            missing.votes[voter] = player
            self._show(1)
        if all(missing.votes.get(other) == player for other in self.players - {seat}):
            self._replace(seat, player)
        return 200

    def _seated(self, seat: int, player: int | None) -> int | None:
        """Return 409 if the player holds another seat, 200 if it holds this one already, None otherwise."""
        if player is not None and player in (other for n, other in enumerate(self.holders) if n != seat):
            return 409
        return 200 if player == self.holders[seat] and (player is not None or seat in self.bots) else None

    def _replace(self, seat: int, player: int | None) -> None:
        self._happens()
        self.holders[seat], self.plans[seat], self.missing[seat] = None, Plan(), Missing()
        for other in self.missing:
            other.votes.pop(seat, None)  # a new player's agreement counts anew
        self.bots.discard(seat)
        self.clocks.hand_over(seat, self.now())
        self._show(1)
        self.holders[seat] = player
        self.bots |= {seat} if player is None else set()
        self._turn_over()
        self._show(1)
        self.go_on()
