"""A bot that plays sensibly in every game without knowing its rules: it guesses the hidden cards, tries its
moves in a few such worlds, continues each at random for a while, and takes the move with the best result on
average.

It is given only its seat's view and its legal moves. Logs are verified by repeating its moves, so its
behaviour must never change: a better bot needs another name.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from referee.computer.actions import sensible
from referee.engine.chance import Below, Seeded
from referee.engine.play import judge, legal_moves, read, simulate
from referee.engine.position import clone
from referee.engine.registry import find
from referee.engine.verdicts import Malformed

Move = dict[str, Any]

WORLDS = 6
CANDIDATES = 6
HORIZON = 16  # random moves after the tried one
WIN = 1000.0  # greater than any difference of scores
CARD = 0.1  # the value of having one card less while nothing is decided


def cautious_bot(view: dict[str, Any], seat: int, moves: Sequence[Move], below: Below) -> Move:
    """Choose a move for a seat; any of them if no possible world is found."""
    moves = sensible(find(view["ruleset"], view["version"]), moves)
    if len(moves) == 1:
        return moves[0]
    candidates = _some(moves, below)
    worth = [0.0] * len(candidates)
    for _ in range(WORLDS):
        world = _imagine(view, below)
        if world is None:
            continue
        for number, move in enumerate(candidates):
            worth[number] += _try(clone(world), seat, move, below)
    return candidates[max(range(len(candidates)), key=worth.__getitem__)]


def _some(moves: Sequence[Move], below: Below) -> list[Move]:
    rest = list(moves)
    return [rest.pop(below(len(rest))) for _ in range(min(CANDIDATES, len(rest)))]


def _imagine(view: dict[str, Any], below: Below) -> Any:
    """Deal the unseen cards to the hidden places; None if the result is not a possible position."""
    rules = find(view["ruleset"], view["version"])
    unseen = Counter(rules.deck(view["seats"], view["options"]))
    for cards in view["zones"].values():
        if isinstance(cards, list):
            unseen.subtract(card for card in cards if card is not None)
    pool = list(unseen.elements())
    zones = {
        name: [pool.pop(below(len(pool))) if card is None else card for card in _places(cards)]
        for name, cards in view["zones"].items()
    }
    try:
        return read({**view, "zones": zones})
    except Malformed:
        return None


def _places(cards: Any) -> list[str | None]:
    return cards if isinstance(cards, list) else [None] * cards["count"]


def _try(state: Any, seat: int, move: Move, below: Below) -> float:
    """Make a move, continue at random, and return how well the seat does."""
    chance = Seeded(below(2**32).to_bytes(4, "big"))
    if not judge(state, seat, move).legal:  # in this world; for example a bluff that cannot be true
        return 0.0
    simulate(state, seat, move, chance)
    for _ in range(HORIZON):
        if state.result is not None:
            break
        mover = state.to_act[below(len(state.to_act))]
        options = legal_moves(state, mover)
        simulate(state, mover, options[below(len(options))], chance)
    return _worth(state, seat)


def _worth(state: Any, seat: int) -> float:
    team = state.ruleset.team(state, seat)
    others = [score for other, score in enumerate(state.scores) if other not in team]
    lead = float(state.scores[seat] - max(others, default=0))
    if state.result is not None:
        return lead + WIN * ((seat in state.result["winners"]) - (seat in state.result["losers"]))
    hands = [len(place) for place in state.places if place.name.startswith("hand.")]
    return lead - CARD * (hands[seat] - sum(hands) / len(hands)) if hands else lead
