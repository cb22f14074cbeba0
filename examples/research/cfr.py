"""Counterfactual regret minimization for two seats on a tiny game: `python examples/research/cfr.py`."""

from collections import defaultdict

import referee
import referee.tiny

Numbers = defaultdict[tuple[referee.InformationState, int], float]
regrets: Numbers = defaultdict(float)  # of what a seat knew and did
taken: Numbers = defaultdict(float)  # how often, counted by how likely the seat itself came there


def walk(match: referee.Match, reach: tuple[float, float], chance: float, learn: bool) -> float:
    """Return what seat 0 gets, by the current strategies or, if not to learn, by the average ones."""
    if match.is_over:
        return match.payoffs()[0]
    if match.is_chance:
        outcomes = match.chance_outcomes()
        return sum(p * walk(match.child(outcome), reach, chance * p, learn) for outcome, p in outcomes)
    seat, values = match.to_act[0], list[float]()
    knows, actions = match.information_state(seat), match.legal_actions(seat)
    weights = [max(0.0, (regrets if learn else taken)[knows, action]) for action in actions]
    policy = [w / sum(weights) if sum(weights) else 1 / len(actions) for w in weights]
    for action, p in zip(actions, policy, strict=True):
        reached = (reach[0] * p, reach[1]) if seat == 0 else (reach[0], reach[1] * p)
        values.append(walk(match.child(action), reached, chance, learn))
    value = sum(p * v for p, v in zip(policy, values, strict=True))
    for action, p, v in zip(actions, policy, values, strict=True) if learn else ():
        regrets[knows, action] += (v - value) * (1 - 2 * seat) * reach[1 - seat] * chance
        taken[knows, action] += reach[seat] * p
    return value


def solve(game: str, iterations: int) -> float:
    """Return what seat 0 gets if both seats play by the average of their strategies."""
    match = referee.Match(game, 2, chance_nodes=True)
    for _ in range(iterations):
        walk(match, (1.0, 1.0), 1.0, learn=True)
    return walk(match, (1.0, 1.0), 1.0, learn=False)


if __name__ == "__main__":
    print(f"Kuhn poker: {solve(referee.tiny.kuhn.ID, 500):.4f}, at best {-1 / 18:.4f}")
