"""PettingZoo environments for every ruleset: `env("bisca", seats=2)`.

Needs the package `pettingzoo` (`pip install 'card-referee[research]'`); `import referee` does not load this.

An agent is a seat, `seat_0` and so on, and acts when the game waits for it; where it waits for several at
once, the lowest comes first. Moves out of turn are not offered. A move with a list of cards takes several
steps of the same agent (`referee/computer/actions.py`). Rewards come at the end: what the game pays each
seat.
"""

from array import array
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from referee.computer.match import Match
from referee.computer.observation import Observer

MAX_MOVES = 5_000  # a game without a result is cut short; random games of dog_cards take 100,000 moves


def env(ruleset: str, **settings: Any) -> Any:
    """Return an environment with PettingZoo's usual checks around it; see `CardGame` for the settings."""
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(CardGame(ruleset, **settings)))


class CardGame(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """A game as an AEC environment. `match` is the game itself, with its views and legal moves.

    An observation has the numbers of the agent's view (`Observer`) with the actions of a move that it has
    begun (1 for each), and the `action_mask`.
    """

    def __init__(
        self,
        ruleset: str,
        seats: int,
        options: Mapping[str, Any] | None = None,
        *,
        version: int | None = None,
        max_moves: int = MAX_MOVES,
        render_mode: str | None = None,
    ) -> None:
        """Raise Malformed for seats or options that the ruleset does not allow."""
        super().__init__()
        self.render_mode = render_mode
        self._settings: Any = {"ruleset": ruleset, "seats": seats, "options": options, "version": version}
        self._max_moves = max_moves
        self.match = Match(**self._settings)
        state = self.match.state
        self._observer = Observer(state.ruleset, state.seats, state.options)
        self.possible_agents = [f"seat_{seat}" for seat in range(state.seats)]
        n, size = self.match.actions.n, self._observer.size
        self.metadata = {"name": f"{ruleset}_v{state.ruleset.VERSION}", "render_modes": ["ansi"]}
        shape: dict[str, spaces.Space[Any]] = {
            "observation": spaces.Box(-np.inf, np.inf, (size + n,), np.float32),
            "action_mask": spaces.Box(0, 1, (n,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(shape) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(n) for agent in self.possible_agents}
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._n = n
        self._seen: dict[int, array[float]] = {}  # what seats see of the position, as numbers
        self._random = seeding.np_random()[0]

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game; the same seed gives the same deal."""
        if seed is not None:
            self._random = seeding.np_random(seed)[0]
        self.match = Match(**self._settings, seed=self._random.bytes(32))
        self._moves = 0
        self._seen = {}
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.match.to_act[0]]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent sees, and which actions it may take now."""
        seat, match, size = self._seat[agent], self.match, self._observer.size
        seen = self._seen.get(seat)
        if seen is None:  # the same as long as no move is complete
            written = self._observer.write(match.view(seat), seat)
            seen = self._seen[seat] = array("f", [*written, *[0.0] * self._n])
        numbers = seen[:]
        mask = bytearray(self._n)
        if agent == self.agent_selection and not self.terminations[agent]:
            for action in match.begun:
                numbers[size + action] = 1.0
            for action in match.legal_actions(seat):
                mask[action] = 1
        return {
            "observation": np.frombuffer(numbers, np.float32),
            "action_mask": np.frombuffer(mask, np.int8),
        }

    def step(self, action: int | None) -> None:
        """Take an action of the selected agent. Raises Unencodable for one that is masked."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        self._cumulative_rewards[agent] = 0.0
        if self.match.act(self._seat[agent], int(action)):
            self._moves += 1
            self._seen = {}
            waited_for = self.match.to_act
            if not waited_for:  # it is over
                self.terminations = dict.fromkeys(self.agents, True)
                self.rewards = dict(zip(self.possible_agents, self.match.payoffs(), strict=True))
                self._accumulate_rewards()
            elif self._moves >= self._max_moves:
                self.truncations = dict.fromkeys(self.agents, True)
            else:
                self.agent_selection = self.possible_agents[waited_for[0]]

    def render(self) -> str:
        """Return what everybody sees, as text."""
        view = self.match.view(None)
        zones = [f"{name}: {shown}" for name, shown in view["zones"].items()]
        return "\n".join([f"{view['phase']}, waits for {view['to_act']}, scores {view['scores']}", *zones])

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
