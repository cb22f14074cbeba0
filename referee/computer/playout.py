"""Random games for tests, benchmarks and experiments; the same seed gives the same game."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from typing import Any

from referee.computer.bots import bot_move, bot_numbers
from referee.engine.chance import Seeded, game_key
from referee.engine.loading import read_options
from referee.engine.play import advance, deal, legal_moves
from referee.engine.registry import find
from referee.engine.verdicts import Faulty
from referee.log.record import write_record

Move = dict[str, Any]

OUT_OF_TURN = 16  # one in this many moves may be made by any seat, not only by those whose turn it is


def wander(state: Any, chance: Seeded, below: Callable[[int], int]) -> Iterator[tuple[int, Move]]:
    """Play random legal moves, uniformly, in place, until the game is over; yield each after it was made.

    `below(n)` picks a number from 0 to n-1. Raises Faulty if the game cannot go on.
    """
    while state.result is None:
        seat, chosen = choose(state, below)
        advance(state, seat, chosen, chance)
        yield seat, chosen


def choose(state: Any, below: Callable[[int], int]) -> tuple[int, dict[str, Any]]:
    """Choose a seat and one of its legal moves before the end. Raises Faulty if the game cannot go on."""
    where = f"{state.ruleset.ID}, phase {state.phase}"
    if not state.to_act:
        raise Faulty(f"{where}: the game waits for no seat, and has no result")
    seat = state.to_act[below(len(state.to_act))]
    moves: Sequence[dict[str, Any]] = []
    if below(OUT_OF_TURN) == 0:
        other = below(state.seats)
        moves = legal_moves(state, other)
        seat = other if moves else seat
    moves = moves or legal_moves(state, seat)
    if not moves:
        raise Faulty(f"seat {seat} has no legal move in {where}, and is waited for")
    return seat, moves[below(len(moves))]


def directed(state: Any, chance: Seeded, bots: Sequence[str], key: bytes) -> Iterator[tuple[int, Move]]:
    """Let bots play in place until the game is over; yield each move after it was made.

    Raises KeyError for an unknown bot.
    """
    for seq in count(1):
        if state.result is not None:
            return
        seat = state.to_act[0]
        chosen = bot_move(bots[seat % len(bots)], state, seat, bot_numbers(key, seq))
        advance(state, seat, chosen, chance)
        yield seat, chosen


def playout(
    ruleset: object, seats: object, options: object, seed: bytes, max_moves: int, bots: Sequence[str] = ()
) -> dict[str, Any]:
    """Play a game of these bots, at random without any, and return its record.

    Raises Malformed if the game cannot be set up, and KeyError for an unknown bot.
    """
    number, _ = read_options(find(ruleset), seats, options)
    chance = Seeded.from_seed(seed, [""] * number)
    below = Seeded.from_seed(seed, ["choices"]).pick
    state, _ = deal(ruleset, seats, options, chance)
    moves = []
    key = game_key(seed, [""] * number)
    course = directed(state, chance, bots, key) if bots else wander(state, chance, below)
    for seat, move in islice(course, max_moves):
        moves.append({"seat": seat, "move": move})
    return write_record(state, seed, [""] * state.seats, moves)
