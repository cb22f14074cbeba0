"""The bot `skilled-1`, written from docs/reference/log-format.md alone, makes the same choices as ours.

Only the rules of the games are those of the referee.
"""

from __future__ import annotations

import copy
import random
import struct
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from math import sqrt
from typing import Any

import pytest

import referee
import referee.bots
from referee.engine.play import read

Move = dict[str, Any]
Below = Callable[[int], int]
WEIGHTS = dict(zip("23T456789JQKA", (0, 0, 0, 36, 32, 28, 28, 28, 24, 20, 16, 12, 8), strict=True))


def is_idle(ruleset: str, move: Move) -> bool:
    if ruleset == "palace" and move["type"] == "swap":
        return WEIGHTS[move["hand"][0]] >= WEIGHTS[move["up"][0]]
    return (ruleset, move["type"]) == ("mau_mau", "say")


def without_idle(view: Any, moves: Any) -> list[Move]:
    rest = [move for move in moves if not is_idle(view["ruleset"], move)]
    return rest or list(moves)


def known(view: Any) -> dict[str, list[str]]:
    facts, zones = view["facts"], view["zones"]
    if view["ruleset"] == "pies" and facts["opening"]:
        return {f"hand.{view['to_act'][0]}": ["9D"]}
    if view["ruleset"] != "landlord":
        return {}
    gone, shown = Counter(zones["table"] + zones["discard"]), Counter(facts["shown"])
    found = {f"hand.{facts['landlord']}": [*(shown - gone).elements()]}
    if facts["face_up"] not in shown | gone:
        found.setdefault(f"hand.{facts['first']}", []).append(facts["face_up"])
    return found


def standing(state: Any, seat: int) -> float:
    match state.ruleset.ID:
        case "dog_cards":
            team = state.ruleset.team(state, seat)
            return sum(len(state.row1[mate]) + len(state.row2[mate]) for mate in team) / 14
        case "mau_mau":
            return 4 / (4 + len(state.hand[seat]))
        case "palace":
            cards = [*state.hand[seat], *state.up[seat]]
            return 8 / (8 + len(state.down[seat]) + sum(0.25 + WEIGHTS[card[0]] / 45 for card in cards))
    return -0.1 * len(state.hand[seat])


def leads(state: Any) -> list[float]:
    points = [score + standing(state, seat) for seat, score in enumerate(state.scores)]
    found = []
    for seat in range(state.seats):
        team = state.ruleset.team(state, seat)
        others = [points[other] for other in range(state.seats) if other not in team]
        found.append(max(points[mate] for mate in team) - max(others, default=0))
    return found


class Node:
    def __init__(self) -> None:
        self.visits = self.chances = 0
        self.worth = 0.0
        self.children: dict[tuple[int, str], Node] = {}


def words(x: int) -> Below:
    """Step 3: numbers below n."""
    left: list[int] = []
    blocks = iter(range(2**32))

    def pick(n: int) -> int:
        if not left:
            left.extend(struct.unpack(">8I", sha256(struct.pack(">II", x, next(blocks))).digest()))
        return left.pop() % n

    return pick


class Worlds:
    """Step 4."""

    def __init__(self, view: Any) -> None:
        self.view = {name: value for name, value in view.items() if name not in ("seat", "zones")}
        unseen = Counter(referee.find(view["ruleset"]).deck(view["seats"], view["options"]))
        self.zones: dict[str, list[str | None]] = {}
        for name, shown in view["zones"].items():
            cards = [*shown] if isinstance(shown, list) else [None] * shown["count"]
            for card in (Counter(known(view).get(name, ())) - Counter(cards)).elements():
                cards[cards.index(None)] = card
            unseen.subtract(card for card in cards if card is not None)
            self.zones[name] = cards
        self.unseen = sorted(unseen.elements())

    def make(self, pick: Below) -> Any:
        for _ in range(100):
            pool = self.unseen[:]
            for i in range(len(pool) - 1, 0, -1):
                j = pick(i + 1)
                pool[i], pool[j] = pool[j], pool[i]
            zones = {
                name: [pool.pop() if card is None else card for card in cards]
                for name, cards in self.zones.items()
            }
            try:
                return read({**copy.deepcopy(self.view), "zones": zones})
            except referee.Malformed:
                continue
        return None


def descend(node: Node, mover: int, moves: list[Move], pick: Below) -> tuple[Move, Node, bool]:
    """Step 5, in the tree: return the move, its node, and whether the tree goes on there."""
    lacking = [move for move in moves if (mover, repr(move)) not in node.children]
    for move in moves:
        if child := node.children.get((mover, repr(move))):
            child.chances += 1
    if lacking:
        move = lacking[pick(len(lacking))]
        child = node.children[mover, repr(move)] = Node()
        child.chances = 1
        return move, child, False

    def promise(move: Move) -> float:
        child = node.children[mover, repr(move)]
        return child.worth / child.visits + 0.5 * sqrt(child.chances.bit_length() / child.visits)

    move = max(moves, key=promise)
    return move, node.children[mover, repr(move)], True


def chosen(view: Any, seat: int, moves: Any, below: Below) -> Move:
    rest = without_idle(view, moves)
    if len(rest) == 1:
        return rest[0]
    many = len(rest) > 32
    candidates = [rest.pop(below(len(rest))) for _ in range(32)] if many else rest
    root, effort, greatest, begun, worlds = Node(), 0, 0.0, None, Worlds(view)
    while effort < 3000:
        pick = words(below(2**32))
        state = worlds.make(pick)
        if state is None:
            return candidates[0]
        chance = referee.Seeded(struct.pack(">I", pick(2**32)))
        begun = begun or leads(state)
        scores, path, made = [*state.scores], list[tuple[Node, int]](), 0
        node: Node | None = root
        while state.result is None and made < 40 and not (chance.drawn and [*state.scores] != scores):
            mover, legal = seat, candidates
            if made:
                mover = state.to_act[pick(len(state.to_act)) if len(state.to_act) > 1 else 0]
                legal = without_idle(view, referee.legal_moves(state, mover))
            made += 1
            if node is not None and len(legal) <= 32:
                move, child, goes_on = descend(node, mover, legal, pick)
                path.append((child, mover))
                node = child if goes_on else None
            else:
                move = legal[pick(len(legal)) if len(legal) > 1 else 0]
                node = None
            referee.advance(state, mover, dict(move), chance)
        effort += made + 12
        if state.result is None:
            gains = [now - then for now, then in zip(leads(state), begun, strict=True)]
            greatest = max(greatest, *map(abs, gains))
            values = [(1 + 0.8 * gain / greatest) / 2 if greatest else 0.5 for gain in gains]
        else:
            won, lost = state.result["winners"], state.result["losers"]
            values = [1.0 if each in won else 0.0 if each in lost else 0.5 for each in range(state.seats)]
        for child, mover in path:
            child.visits += 1
            child.worth += values[mover]

    def rank(move: Move) -> tuple[int, float]:
        child = root.children.get((seat, repr(move)), Node())
        return child.visits, child.worth

    return max(candidates, key=rank)


@pytest.mark.parametrize("game", referee.newest(), ids=lambda game: game.ID)
def test_the_text_says_what_it_chooses(game: Any) -> None:
    seats = game.SEATS[1] if len(game.SEATS) > 1 else game.SEATS[0]
    key = sha256(game.ID.encode()).digest()
    chance, choose, compared = referee.Seeded(key), random.Random(3), 0
    state, _ = referee.deal(game.ID, seats, {}, chance)
    for seq in range(60):
        seat = state.to_act[0]
        moves = referee.legal_moves(state, seat)
        if len(moves) > 1 and seq % 5 == 1:
            due = referee.bot_move("skilled-1", state, seat, referee.bots.bot_numbers(key, seq))
            assert chosen(referee.view(state, seat), seat, moves, referee.bots.bot_numbers(key, seq)) == due
            compared += 1
            if compared == 3:
                return
        referee.advance(state, seat, dict(choose.choice(moves)), chance)
        if state.result is not None:
            break
    assert compared
