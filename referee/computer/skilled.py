"""A bot that searches: it imagines worlds that agree with its view, and grows one tree of moves over all of
them (information-set Monte Carlo tree search). It knows no game's rules.

Logs are verified by repeating its moves, so its behaviour must never change: a better bot needs another name.
For the same reason it counts the moves that it tries, and never looks at a clock.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from math import sqrt
from struct import Struct
from typing import Any

from referee.computer.actions import sensible
from referee.computer.sampling import Sampler
from referee.engine.chance import Below, Seeded
from referee.engine.play import legal_moves, simulate
from referee.engine.registry import find
from referee.engine.verdicts import Malformed

Move = dict[str, Any]

SETTING_UP = 12  # what imagining a world costs, in moves
WIDE = 32  # moves of a seat that are compared; of more, so many are taken at random
HORIZON = 40  # moves after which a world is valued as it stands
EXPLORE = 0.5
CARD = 0.1  # the value of having one card less while nothing is decided
UNDECIDED = 0.8  # how much of the way to a loss or a win a lead can be worth

_words = Struct(">8I").unpack


class _Node:
    """What is known of a move: how often it was tried, how often it could be, and the sum of what it led
    to.
    """

    __slots__ = ("available", "next", "visits", "worth")

    def __init__(self) -> None:
        self.visits = 0
        self.available = 0
        self.worth = 0.0
        self.next: dict[tuple[int, str], _Node] = {}


def skilled_bot(view: dict[str, Any], seat: int, moves: Sequence[Move], below: Below, budget: int) -> Move:
    """Choose a move for a seat; any of them if no possible world is found."""
    if len(moves) == 1:
        return moves[0]
    candidates = _some(sensible(find(view["ruleset"], view["version"]), moves), below)
    if len(candidates) == 1:
        return candidates[0]
    try:
        search = _Search(view, seat, candidates)
        while search.spent < budget:
            search.try_world(below)
    except Malformed:
        return candidates[0]
    return search.best()


def _some(moves: Sequence[Move], below: Below) -> list[Move]:
    """Return the moves that are compared."""
    if len(moves) <= WIDE:
        return list(moves)
    rest = list(moves)
    return [rest.pop(below(len(rest))) for _ in range(WIDE)]


class _Search:
    """The tree of one decision."""

    def __init__(self, view: Mapping[str, Any], seat: int, candidates: list[Move]) -> None:
        self._sampler = Sampler(view)
        self._seat = seat
        self._candidates = [((seat, repr(move)), move) for move in candidates]
        self._root = _Node()
        self._scale = 0.0
        self._start: list[float] = []
        self.spent = 0

    def best(self) -> Move:
        """Return the move that was tried most; of several, the one that led to most."""
        tried = self._root.next

        def rank(place: int) -> tuple[int, float]:
            node = tried.get(self._candidates[place][0], NOTHING)
            return node.visits, node.worth

        return self._candidates[max(range(len(self._candidates)), key=rank)][1]

    def try_world(self, below: Below) -> None:
        """Imagine a world, follow the tree in it and add a move to it, play on at random, and learn."""
        pick = _quick(below(2**32))
        state = self._sampler.draw(pick)
        chance = Seeded(pick(2**32).to_bytes(4, "big"))
        if not self._start:
            self._start = _points(state)
        before = state.scores[:]
        path: list[tuple[_Node, int]] = []
        node: _Node | None = self._root
        steps = 0
        while state.result is None and steps < HORIZON:
            if chance.drawn and state.scores != before:  # a hand is over, and the next one is dealt
                break
            if steps == 0:
                mover, options = self._seat, self._candidates
            else:
                mover = state.to_act[pick(len(state.to_act)) if len(state.to_act) > 1 else 0]
                options = []
            steps += 1
            if node is not None:
                options = options or _keyed(mover, sensible(state.ruleset, legal_moves(state, mover)))
                if len(options) <= WIDE:
                    key, move = _choose(node, options, pick)
                    child = node.next.get(key)
                    if child is None:
                        child = node.next[key] = _Node()
                        child.available = 1
                        node = None
                    else:
                        node = child
                    path.append((child, mover))
                else:
                    node, move = None, options[pick(len(options))][1]
            else:
                moves = sensible(state.ruleset, legal_moves(state, mover))
                move = moves[pick(len(moves)) if len(moves) > 1 else 0]
            simulate(state, mover, move, chance)
        self.spent += steps + SETTING_UP
        values = self._values(state)
        for child, mover in path:
            child.visits += 1
            child.worth += values[mover]

    def _values(self, state: Any) -> list[float]:
        """Return what a world is worth to each seat, from 0 to 1."""
        result = state.result
        if result is not None:
            winners, losers = result["winners"], result["losers"]
            return [((seat in winners) - (seat in losers) + 1) / 2 for seat in range(state.seats)]
        gains = [now - then for now, then in zip(_points(state), self._start, strict=True)]
        self._scale = max(self._scale, *map(abs, gains))
        if self._scale == 0:
            return [0.5] * state.seats
        return [(1 + UNDECIDED * gain / self._scale) / 2 for gain in gains]


NOTHING = _Node()


def _keyed(mover: int, moves: Sequence[Move]) -> list[tuple[tuple[int, str], Move]]:
    if len(moves) > WIDE:
        return [((mover, ""), move) for move in moves]
    return [((mover, repr(move)), move) for move in moves]


def _choose(
    node: _Node, options: list[tuple[tuple[int, str], Move]], pick: Below
) -> tuple[tuple[int, str], Move]:
    """Return a move that was not tried yet, at random, or the one that promises most."""
    known = node.next
    new = [option for option in options if option[0] not in known]
    if new:
        for key, _ in options:
            if key in known:
                known[key].available += 1
        return new[pick(len(new))]
    best, most = options[0], -1.0
    for option in options:
        child = known[option[0]]
        child.available += 1
        promise = child.worth / child.visits + EXPLORE * sqrt(child.available.bit_length() / child.visits)
        if promise > most:
            best, most = option, promise
    return best


def _points(state: Any) -> list[float]:
    """Return how far each seat is ahead of the best of the others, in points and by what it has in hand."""
    rules = state.ruleset
    sign = -1 if getattr(rules, "LOWEST_WINS", False) else 1
    standing = getattr(rules, "standing", None)
    if standing is not None:
        more = standing(state)
    else:
        hands = [len(place) for place in state.places if place.name.startswith("hand.")]
        more = [-CARD * size for size in hands] or [0.0] * state.seats
    points = [sign * score + extra for score, extra in zip(state.scores, more, strict=True)]
    ahead = []
    for seat in range(state.seats):
        team = rules.team(state, seat)
        rest = [points[other] for other in range(state.seats) if other not in team]
        ahead.append(max(points[mate] for mate in team) - max(rest, default=0.0))
    return ahead


def _quick(key: int) -> Callable[[int], int]:
    """Return a function that picks numbers below n: the words of SHA-256 of the key and a counter."""
    words: list[int] = []
    blocks = _blocks(key)

    def pick(n: int) -> int:
        if not words:
            words.extend(next(blocks))
        return words.pop() % n

    return pick


def _blocks(key: int) -> Iterator[tuple[int, ...]]:
    prefix = key.to_bytes(4, "big")
    block = 0
    while True:
        yield _words(sha256(prefix + block.to_bytes(4, "big")).digest())
        block += 1
