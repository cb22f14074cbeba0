"""A game with requests of its players, for `states.py`: who acts, and what the answer has to be."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition

from tests.campaigns.application import Service
from tests.campaigns.model import RUNNING, Model

SEATS, CHOICES, HOURS = st.integers(0, 3), st.integers(0, 2**16), st.sampled_from([1, 3, 20, 23, 25, 74, 80])

running = precondition(lambda self: self.model.status == RUNNING)
unpaused = precondition(lambda self: self.model.status == RUNNING and not self.model.table.paused)
paced = precondition(
    lambda self: self.model.status == RUNNING and self.model.pace and not self.model.table.paused
)


class Seated(RuleBasedStateMachine):
    """A game of the service, and its model."""

    model: Model
    path: str | None = None
    count: int

    def __init__(self, service: Service, rulesets: Sequence[str]) -> None:
        super().__init__()
        self.service, self.rulesets = service, rulesets
        self.known: list[dict[str, Any]] = []
        self.last: Callable[[], Any] | None = None
        self.answered: Any = None

    def ask(self, player: int | None, method: str, rest: str, body: Any = None, **headers: str) -> Any:
        """Send a request about the game as a player, or as the app."""
        token = "" if player is None else self.service.tokens[player]
        return self.service.ask(method, f"{self.path}{rest}", body, token, **headers)

    def player(self, seat: int) -> int:
        """Return who acts for a seat: its holder, or a player who wants to take it."""
        holder = self.model.holders[seat]
        return seat if holder is None else holder

    def seat(self, number: int) -> int:
        """Return one of the seats that players hold."""
        held = sorted(self.model.players)
        return held[number % len(held)]

    def everybody_is_shown_the_position(self) -> None:
        """Compare the views of all players, and of a spectator."""
        raise NotImplementedError

    def append(self, expected: int, player: int | None, rest: str, body: Any = None, **headers: str) -> None:
        """Send a request that appends an entry, with a key, and check its answer."""
        headers["Idempotency-Key"] = str(uuid.uuid4())
        answer = self.ask(player, "POST", rest, body, **headers)
        assert answer.status_code == expected, (rest, body, expected, answer.status_code, answer.json)
        if expected == 201:
            self.last = lambda: self.ask(player, "POST", rest, body, **headers)
            self.answered = answer.json["entry"]

    def _try(self, seat: int, move: dict[str, Any], known: str) -> None:
        version = self.model.version - (known == "no")
        headers = {} if known == "unsaid" else {"If-Match": f'"{version}"'}
        if move not in self.known:
            self.known.append(move)
        player, late = self.player(seat), self.model.table.overdue(self.service.time)
        fresh = known == "unsaid" or (known == "yes" and not late)  # overdue clocks are settled first
        self.append(self.model.move(seat, move, known=fresh), player, "/moves", {"move": move}, **headers)
