"""A rule stands once: whoever unmakes its predicate changes the list of moves and the verdict alike.

Each rule of each game is broken on purpose, by one test: the function that states it, or one that this asks,
returns what lets every move pass. Then a move that was refused is refused by this rule no more, and a list of
moves differs.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import pytest

import referee
from referee.engine import blocks
from referee.games import GAMES
from referee.workshop import scenarios
from tests.referee.tables import tables, wander

SCENARIOS = Path(__file__).parents[1] / "scenarios"
SEED, MOVES = 5, 50
SAMPLES = 6  # situations in which a rule is unmade

# What no list of moves can break, because proposals keep to it: why.
PROPOSED_SO = {
    "dog_cards.no_row": "only rows of the table are proposed",
    "dog_cards.positions": "only positions of the open row are proposed",
    "landlord.combination": "only combinations are proposed",
    "mau_mau.same_rank": "only cards of one rank are proposed",
    "mau_mau.suit": "a suit is proposed with aces only",
    "mau_mau.thumb": "whose thumb is down is not waited for",
    "mau_mau.turn": "a seat out of turn is not waited for",
    "palace.turn-play": "a seat out of turn is not waited for",
    "palace.turn-pick_up": "a seat out of turn is not waited for",
    "palace.turn-flip": "a seat out of turn is not waited for",
    "palace.same_rank": "only cards of one rank are proposed",
    "palace.source": "only cards of the source are proposed",
    "pedro.bid_range": "only such bids are proposed",
    "pedro.cut": "only such cuts are proposed",
    "truco.order": "a seat out of turn is not waited for",
}


class Everything(frozenset[Any]):
    """A set with every value, which equals everything."""

    def __contains__(self, value: object) -> bool:
        return True

    def isdisjoint(self, other: object) -> bool:
        return False

    def issuperset(self, other: object) -> bool:
        return True

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    def __bool__(self) -> bool:
        return True

    __hash__ = None


EVERYTHING = Everything()
NEUTRAL = (False, None, (), frozenset[Any](), EVERYTHING)
CONSTANT = (lambda *given: None).__code__


class Told(NamedTuple):
    """A move that a rule refuses: the position, the seat, the move."""

    state: Any
    seat: int
    move: dict[str, Any]


def rules_of(game: Any) -> list[tuple[blocks.MoveType, blocks.MoveRule]]:
    return [(block, rule) for block in game.BLOCKS for rule in block.rules if rule.id.startswith(game.ID)]


ALL = [
    pytest.param(game, block, rule, id=f"{rule.id}-{block.name}-{block.phases[0]}")
    for game in GAMES
    for block, rule in rules_of(game)
]


@cache
def told(ruleset: str) -> dict[int, list[Told]]:
    """Return the moves that each rule refuses, by the id of the rule's object: in scenarios and games."""
    found: dict[int, list[Told]] = {}
    for state, seat, move in [*shown(ruleset), *tried(ruleset)]:
        refusal = referee.judge(state, seat, move).refusal
        if refusal is None or refusal.rule in ("common.finished", "common.unknown_move"):
            continue
        rule = first_broken(state, seat, move)
        there = found.setdefault(id(rule), [])
        if rule is not None and len(there) < SAMPLES:
            there.append(Told(state, seat, move))
    return found


def first_broken(state: Any, seat: int, move: Any) -> blocks.MoveRule | None:
    for block in state.ruleset.BLOCKS:
        if block.name == move.get("type") and state.phase in block.phases:
            return next((rule for rule in block.rules if rule.broken(state, seat, move)), None)
    return None


@cache
def steps(ruleset: str) -> list[tuple[Any, int, dict[str, Any]]]:
    """Return the steps of seats in the scenarios of a game, each with the position before it."""
    found: list[tuple[Any, int, dict[str, Any]]] = []
    judged = scenarios._step

    def note(state: Any, step: dict[str, Any], chance: Any) -> None:
        if type(step.get("seat")) is int and 0 <= step["seat"] < state.seats:
            found.append((referee.clone(state), step["seat"], step))
        judged(state, step, chance)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scenarios, "_step", note)
        for path in sorted((SCENARIOS / ruleset).glob("*.yaml")):
            list(referee.check(path.read_text("utf-8")))
    return found


def shown(ruleset: str) -> list[Told]:
    """Return what is refused in the scenarios of a game."""
    every = steps(ruleset)
    return [Told(at, seat, step["move"]) for at, seat, step in every if step.keys() > {"illegal", "move"}]


def situations(ruleset: str) -> list[tuple[Any, int]]:
    """Return seats' situations, of scenarios and of random games."""
    played = {(id(state), seat): (state, seat) for state, seat, _ in tried(ruleset)}
    return [*((state, seat) for state, seat, _ in steps(ruleset)), *[*played.values()][:80]]


@cache
def tried(ruleset: str) -> list[Told]:
    """Return proposals to the seats in random games, of each type in each phase a few at a time."""
    found: list[Told] = []
    for table in [each for each in tables() if each.ruleset == ruleset][:3]:
        for point in wander(table, SEED, MOVES):
            state = referee.clone(point.state)
            known = state.ruleset.PHASES[state.phase]
            for seat in range(state.seats) if state.ruleset.OUT_OF_TURN else state.to_act:
                moves = [move for move in state.ruleset.candidates(state, seat) if move["type"] in known]
                found += [Told(state, seat, move) for move in moves[:: 1 + len(moves) // 40]]
    return found


def asked(game: Any, rule: blocks.MoveRule) -> list[FunctionType]:
    """Return the function that states a rule, and those of the game that it asks."""
    found = [rule.stated]
    for function in found:
        for name in function.__code__.co_names:
            other = vars(game).get(name)
            if isinstance(other, FunctionType) and other not in found and not other.__code__.co_freevars:
                found.append(other)
    return found


class unmade:
    """A function that returns this constant, wherever it is called, while the block runs."""

    def __init__(self, game: Any, function: FunctionType, value: object) -> None:
        self._game, self._function, self._code = game, function, function.__code__
        self._constant = CONSTANT.replace(co_consts=(value,))

    def __enter__(self) -> None:
        self._function.__code__ = self._constant
        self._forget()

    def __exit__(self, *raised: object) -> None:
        self._function.__code__ = self._code
        self._forget()

    def _forget(self) -> None:
        for each in vars(self._game).values():
            if hasattr(each, "cache_clear"):
                each.cache_clear()


def texts(state: Any, seat: int) -> list[str]:
    return [repr(dict(move)) for move in referee.legal_moves(state, seat)[:200]]


def changes(game: Any, rule: blocks.MoveRule, change: unmade) -> tuple[bool, bool]:
    """Return whether a change makes the rule refuse no more, and whether it changes a list of moves."""
    samples = told(game.ID)[id(rule)]
    there = [*((state, seat) for state, seat, _ in samples), *situations(game.ID)]
    before = [texts(*each) for each in there]
    with change:
        try:
            refuses = any(first_broken(*sample) is rule for sample in samples)
        except (TypeError, AttributeError, IndexError, KeyError, ValueError, StopIteration):
            refuses = False  # the rules after it rely on this one
        return not refuses, any(texts(*each) != was for each, was in zip(there, before, strict=True))


@pytest.mark.parametrize(("game", "block", "rule"), ALL)
def test_a_rule_that_is_unmade_changes_the_verdict_and_the_list(
    game: Any, block: blocks.MoveType, rule: blocks.MoveRule
) -> None:
    samples = told(game.ID).get(id(rule), [])
    assert samples, f"no scenario shows that {rule.id} refuses {block.name}"
    found = []
    for function in asked(game, rule):
        for value in NEUTRAL:
            try:
                found.append(changes(game, rule, unmade(game, function, value)))
            except (TypeError, AttributeError, IndexError, KeyError, ValueError, StopIteration):
                continue  # not a value that the function can return
    if PROPOSED_SO.keys() & {rule.id, f"{rule.id}-{block.name}"}:
        assert any(verdict for verdict, _ in found)
    else:
        assert (True, True) in found, f"{rule.id} is stated a second time"


@pytest.mark.parametrize(("game", "block", "rule"), ALL)
def test_a_rule_that_is_always_broken_refuses_every_such_move(
    game: Any, block: blocks.MoveType, rule: blocks.MoveRule
) -> None:
    always = () if rule.field else True
    moves = [
        (state, seat, move)
        for state, seat, move in tried(game.ID)
        if state.phase in block.phases and move["type"] == block.name
    ][:SAMPLES]
    with unmade(game, rule.stated, always):
        assert all(first_broken(*each) is not None for each in moves)


def test_what_proposals_keep_to_is_named_without_errors() -> None:
    named = [(rule.id, f"{rule.id}-{block.name}") for game in GAMES for block, rule in rules_of(game)]
    assert PROPOSED_SO.keys() <= {name for names in named for name in names}
