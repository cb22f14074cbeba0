"""What the research API costs: the same random games on `advance`, on `Match` and in PettingZoo, as ratios.

Each game is chosen beforehand, so that all play the same moves. `advance` lists the legal moves and makes
one; `act` lists the legal actions and takes those of the same move; `mask` writes the mask besides;
`PettingZoo` observes and steps. They alternate in short rounds, and medians of processor time are compared.

    python -m bench.match [ROUNDS]
"""

import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import referee
from bench.referee import TABLES
from referee.computer.pettingzoo import CardGame

MOVES = 3000


class Game(NamedTuple):
    """A random game: its table, and each move with its actions."""

    table: tuple[str, int, dict[str, Any]]
    seed: bytes
    moves: list[tuple[int, dict[str, Any], tuple[int, ...]]]


def games(table: tuple[str, int, dict[str, Any]]) -> list[Game]:
    """Play random games, `MOVES` moves in all, leaving out moves without actions."""
    rng, played = random.Random(1), []
    left = MOVES
    while left:
        seed = rng.randbytes(32)
        match = referee.Match(*table, seed=seed)
        moves = []
        while not match.is_over and left:
            seat = match.to_act[0]
            listed = [m for m in match.legal_moves(seat) if m["type"] not in match.actions.left_out]
            move = rng.choice(listed)
            moves.append((seat, move, match.actions.encode(move)))
            match.play(seat, move)
            left -= 1
        played.append(Game(table, seed, moves))
    return played


def advance(game: Game) -> None:
    """Play a game on the engine."""
    ruleset, seats, options = game.table
    chance = referee.Seeded.from_seed(game.seed, [""] * seats)
    state, _ = referee.deal(ruleset, seats, options, chance)
    for seat, move, _ in game.moves:
        referee.legal_moves(state, seat)
        referee.advance(state, seat, move, chance)


def act(game: Game, mask: bool = False) -> None:
    """Play a game on a match, with or without masks."""
    match = referee.Match(*game.table, seed=game.seed)
    for seat, _, actions in game.moves:
        for action in actions:
            match.legal_actions(seat)
            if mask:
                match.mask(seat)
            match.act(seat, action)


def masked(game: Game) -> None:
    """Play a game on a match, writing the mask before each action."""
    act(game, mask=True)


ENVIRONMENTS: dict[str, CardGame] = {}


def pettingzoo(game: Game) -> None:
    """Play a game in a PettingZoo environment, which deals with the same seed."""
    ruleset, seats, options = game.table
    if ruleset not in ENVIRONMENTS:
        ENVIRONMENTS[ruleset] = CardGame(ruleset, seats=seats, options=options, max_moves=10**9)
    env = ENVIRONMENTS[ruleset]
    env.reset()
    env.match, env._seen = referee.Match(*game.table, seed=game.seed), {}
    for seat, _, actions in game.moves:
        env.agent_selection = env.possible_agents[seat]
        for action in actions:
            env.last()
            env.step(action)


def seconds(play: Callable[[Game], None], played: list[Game]) -> float:
    """Measure the processor time of these games."""
    begun = time.process_time()
    for game in played:
        play(game)
    return time.process_time() - begun


def main() -> None:
    """Print a line for each game: microseconds of a move on the engine, and times that for the others."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    ways = (act, masked, pettingzoo)
    print(f"{'game':16}{'µs/move':>8}{'act':>8}{'mask':>8}{'zoo':>8}{'zoo/act':>9}")
    for table in TABLES:
        played = games(table[:3])
        pairs = []
        for _ in range(rounds):
            base = seconds(advance, played)
            pairs.append((base, *(seconds(way, played) for way in ways)))
        base = statistics.median(row[0] for row in pairs)
        ratios = [statistics.median(row[i] / row[0] for row in pairs) for i in (1, 2, 3)]
        zoo = statistics.median(row[3] / row[1] for row in pairs)
        shown = "".join(f"{ratio:8.2f}" for ratio in ratios)
        print(f"{table[0]:16}{base / MOVES * 1e6:8.1f}{shown}{zoo:9.2f}", flush=True)


if __name__ == "__main__":
    main()
