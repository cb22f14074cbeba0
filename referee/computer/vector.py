"""Many games of a ruleset at once, as arrays, for programs that learn: `Tables("bisca", seats=2, tables=64)`.

Needs the package `numpy` (`pip install 'card-referee[research]'`); `import referee` does not load this.

As in vector environments of Gymnasium, `step` takes an action for each table, and a table whose game is over
is dealt anew at once. Every seat is played by the caller: `seat` says whose turn it is at each table.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from referee.computer.actions import Unencodable
from referee.computer.match import Match

MAX_MOVES = 5_000  # a game without a result is cut short; random games of dog_cards take 100,000 moves
Arrays = dict[str, Any]


class Tables:
    """Tables at which the same ruleset is played, each with its own cards.

    Observations are `{"observation", "action_mask", "seat"}`: for each table the numbers of the view of the
    seat that is to act, with the actions of a begun move (1 for each), then its legal actions, and the seat.
    `observer.layout` says what the numbers mean.
    """

    def __init__(
        self,
        ruleset: str,
        seats: int,
        options: Mapping[str, Any] | None = None,
        *,
        tables: int = 64,
        version: int | None = None,
        max_moves: int = MAX_MOVES,
    ) -> None:
        """Raise Malformed for seats or options that the ruleset does not allow."""
        self._settings: Any = {"ruleset": ruleset, "seats": seats, "options": options, "version": version}
        self._max_moves = max_moves
        match = Match(**self._settings)
        self.observer, self.n, self.seats, self.tables = match.observer, match.actions.n, seats, tables
        self.reset()

    def reset(self, seed: int | None = None) -> Arrays:
        """Deal at all tables; a seed gives the same deals, of later games too. Return what is seen."""
        self._random = np.random.default_rng(seed)
        self.matches = [self._dealt() for _ in range(self.tables)]
        self._moves = [0] * self.tables
        return self.observe()

    def observe(self) -> Arrays:
        """Return what the seats that are to act see, and what they may do."""
        size, width = self.observer.size, self.observer.size + self.n
        numbers = np.zeros((self.tables, width), np.float32)
        mask = np.zeros((self.tables, self.n), np.int8)
        rows: Any = numbers.reshape(-1).data  # faster than arrays, number by number
        seats = [match.to_act[0] for match in self.matches]
        for table, (match, seat) in enumerate(zip(self.matches, seats, strict=True)):
            row = rows[table * width : (table + 1) * width]
            self.observer.observe_into(row, match.state, seat)
            for action in match.begun:
                row[size + action] = 1.0
            mask[table, match.legal_actions(seat)] = 1
        return {"observation": numbers, "action_mask": mask, "seat": np.array(seats)}

    def step(self, actions: Sequence[int]) -> tuple[Arrays, Any, Any, Any]:
        """Take an action at each table, of the seat that is to act there.

        Return what is seen then, the rewards of all seats (a row for each table; zeros before a game's end),
        where a game has ended, and where one was cut short. Raises Unencodable for an action that is masked,
        and for too few or too many; then no table has changed.
        """
        if len(actions) != self.tables:
            raise Unencodable(f"there must be {self.tables} actions, one for each table, not {len(actions)}")
        for table, (match, action) in enumerate(zip(self.matches, actions, strict=True)):
            if int(action) not in match.unordered_actions(match.to_act[0]):
                raise Unencodable(f"action {action} is not legal at table {table} now")
        rewards = np.zeros((self.tables, self.seats), np.float32)
        ended, cut = np.zeros(self.tables, bool), np.zeros(self.tables, bool)
        for table, (match, action) in enumerate(zip(self.matches, actions, strict=True)):
            self._moves[table] += match.act(match.to_act[0], int(action))
            ended[table] = match.is_over
            cut[table] = not match.is_over and self._moves[table] >= self._max_moves
            if match.is_over:
                rewards[table] = match.payoffs()
            if ended[table] or cut[table]:
                self.matches[table], self._moves[table] = self._dealt(), 0
        return self.observe(), rewards, ended, cut

    def _dealt(self) -> Match:
        return Match(**self._settings, seed=self._random.bytes(32))
