"""Compare random playouts of every game with OpenSpiel and RLCard, as ratios within one run.

For every move, the legal moves are listed, one is chosen, judged and applied, as bots do when they try moves.
Both sides alternate in short rounds, so other load on the machine affects both. Processor time is counted,
and medians are compared.

    python -m bench.referee [ROUNDS]
"""

import random
import statistics
import sys
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import referee
import referee.positions

# Game, seats, options, and the peer that plays a similar game.
TABLES = [
    ("cats_and_dogs", 4, {}, "spades"),
    ("bisca", 4, {}, "spades"),
    ("truco", 4, {}, "spades"),
    ("pedro", 4, {}, "spades"),
    ("pies", 4, {}, "crazy_eights"),
    ("palace", 3, {}, "crazy_eights"),
    ("dog_cards", 3, {"turn_limit": 2000}, "euchre"),
    ("mau_mau", 3, {}, "uno"),
    ("landlord", 4, {}, "doudizhu"),
]
PEERS = {"uno": "rlcard", "doudizhu": "rlcard"}
MOVES = 8000

Loop = Callable[[int], int]  # plays at least this many moves, and returns how many


def ours(ruleset: str, seats: int, options: dict[str, object]) -> Loop:
    """Play random games on the referee."""

    def loop(moves: int) -> int:
        played, rnd = 0, random.random
        while played < moves:
            chance = referee.Seeded.from_seed(random.randbytes(32), [""] * seats)
            state, _ = referee.deal(ruleset, seats, options, chance)
            while state.result is None and played < moves * 2:
                seat = state.to_act[0]
                listed = referee.legal_moves(state, seat)
                move = listed[int(rnd() * len(listed))]
                if not referee.judge(state, seat, move).legal:
                    raise AssertionError(f"{move} is listed and refused")
                referee.positions.simulate(state, seat, move, chance)
                played += 1
        return played

    return loop


def open_spiel(name: str) -> Loop:
    """Play random games on OpenSpiel, driven from Python."""
    import pyspiel

    game = pyspiel.load_game(name)

    def loop(moves: int) -> int:
        played, rnd = 0, random.random
        while played < moves:
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes = state.chance_outcomes()
                    state.apply_action(outcomes[int(rnd() * len(outcomes))][0])
                    continue
                listed = state.legal_actions()
                state.apply_action(listed[int(rnd() * len(listed))])
                played += 1
        return played

    return loop


def rlcard(name: str) -> Loop:
    """Play random games on RLCard's rules, without its encoders of observations."""
    import importlib

    kind = importlib.import_module(f"rlcard.games.{name}").Game

    def loop(moves: int) -> int:
        played, rnd = 0, random.random
        while played < moves:
            game = kind()
            state, _ = game.init_game()
            while not game.is_over():
                listed = state["actions"] if name == "doudizhu" else game.get_legal_actions()
                state, _ = game.step(listed[int(rnd() * len(listed))])
                played += 1
        return played

    return loop


def peer(name: str) -> Loop | None:
    """Return a peer's loop, or None if its package is not installed."""
    try:
        return rlcard(name) if PEERS.get(name) else open_spiel(name)
    except ImportError:
        return None


def speed(loop: Loop, moves: int) -> float:
    """Measure moves per second of processor time."""
    begun = time.process_time()
    played = loop(moves)
    return played / (time.process_time() - begun)


def peak(ruleset: str, seats: int, options: dict[str, object]) -> int:
    """Return the peak memory, in KiB, of a separate process that plays one table."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak, (ruleset, seats, options))


def _peak(ruleset: str, seats: int, options: dict[str, object]) -> int:
    ours(ruleset, seats, options)(MOVES)
    # Not getrusage: its peak includes the memory of the parent before the fork.
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.split("VmHWM:")[1].split()[0])


def main() -> None:
    """Print a line for each game: moves per second, the peer's, the ratio of medians, peak memory."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    print(f"{'game':16}{'moves/s':>10}{'peer':>16}{'moves/s':>10}{'ratio':>8}{'peak KiB':>10}")
    offered = {game.ID for game in referee.newest()}
    for ruleset, seats, options, name in [t for t in TABLES if t[0] in offered]:
        mine, other = ours(ruleset, seats, options), peer(name)
        pairs = []
        for _ in range(rounds):
            a = speed(mine, MOVES)
            b = speed(other, MOVES if name != "doudizhu" else MOVES // 8) if other else None
            pairs.append((a, b))
        a = statistics.median(a for a, _ in pairs)
        memory = peak(ruleset, seats, options)
        if other is None:
            print(f"{ruleset:16}{a:10.0f}{name + ' missing':>16}{'-':>10}{'-':>8}{memory:10}")
            continue
        b = statistics.median(b for _, b in pairs if b)
        ratio = statistics.median(a / b for a, b in pairs if b)
        print(f"{ruleset:16}{a:10.0f}{name:>16}{b:10.0f}{ratio:8.2f}{memory:10}")


if __name__ == "__main__":
    main()
