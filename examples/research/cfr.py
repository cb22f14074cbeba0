"""Counterfactual regret minimization for two seats on a tiny game: `python examples/research/cfr.py`."""

from collections import defaultdict

import referee
import referee.tiny

Table = defaultdict[referee.InformationState, defaultdict[int, float]]


class Solver:
    """What is regretted, and how often each action was taken, by what the seat knew."""

    def __init__(self) -> None:
        self.regrets: Table = defaultdict(lambda: defaultdict(float))
        self.taken: Table = defaultdict(lambda: defaultdict(float))

    def walk(
        self, match: referee.Match, reach: tuple[float, float], chance: float = 1.0, learn: bool = True
    ) -> float:
        """Return what seat 0 gets, by the current strategies or, if not to learn, by the average ones."""
        if match.is_over:
            return match.payoffs()[0]
        if match.is_chance:
            drawn = [(likely, _after(match, outcome=card)) for card, likely in match.chance_outcomes()]
            return sum(likely * self.walk(after, reach, chance * likely, learn) for likely, after in drawn)
        seat = match.to_act[0]
        knows, actions = match.information_state(seat), match.legal_actions(seat)
        weights = [max(0.0, (self.regrets if learn else self.taken)[knows][action]) for action in actions]
        policy = [w / sum(weights) if sum(weights) else 1 / len(actions) for w in weights]
        values: list[float] = []
        for action, p in zip(actions, policy, strict=True):
            reached = (reach[0] * p, reach[1]) if seat == 0 else (reach[0], reach[1] * p)
            values.append(self.walk(_after(match, action=(seat, action)), reached, chance, learn))
        value = sum(p * v for p, v in zip(policy, values, strict=True))
        for action, p, v in zip(actions, policy, values, strict=True) if learn else ():
            self.regrets[knows][action] += (v - value) * (1 if seat == 0 else -1) * reach[1 - seat] * chance
            self.taken[knows][action] += reach[seat] * p
        return value


def _after(
    match: referee.Match, outcome: int | str | None = None, action: tuple[int, int] = (0, 0)
) -> referee.Match:
    after = match.clone()
    if outcome is not None:
        after.draw(outcome)
    else:
        after.act(*action)
    return after


def solve(game: str, iterations: int) -> float:
    """Return what seat 0 gets if both seats play by the average of their strategies."""
    solver, match = Solver(), referee.Match(game, 2, chance_nodes=True)
    for _ in range(iterations):
        solver.walk(match, (1.0, 1.0))
    return solver.walk(match, (1.0, 1.0), learn=False)


if __name__ == "__main__":
    print(f"Kuhn poker: {solve(referee.tiny.kuhn.ID, 500):.4f}, at best {-1 / 18:.4f}")
