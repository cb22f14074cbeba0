"""Leduc hold'em: six cards, two seats, two rounds of bets. At best, seat 0 loses 0.0856 chips a game.

Hidden: each hand from the other seat, and the stock from both. Rules: `rules/leduc.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.authoring import (
    AS_TEXT,
    BOOLEAN,
    EVERYONE,
    NOBODY,
    OWNER,
    Chance,
    Int,
    ListOf,
    Move,
    Option,
    Position,
    Refusal,
    Zone,
    alone,
    check_size,
    enter,
    fact,
    finish,
    move,
    outcome,
    put,
    require,
    seat_number,
    zone,
)

ID, VERSION, NAME, SEATS = "leduc", 1, "Leduc Hold'em", (2,)
ACTIONS = ("fold", "call", "raise")
PHASES = {"first": ACTIONS, "second": ACTIONS, "over": ()}
MOVES: dict[str, dict[str, Any]] = {"fold": {}, "call": {}, "raise": {}}
ROLES = {"turn": "seat", "stakes": "counter", "raises": "counter"}
OUT_OF_TURN = ()
COMPLETE = True
REASONS = {"fold": "the other seat folds", "showdown": "the better hand", "tie": "equal hands"}
WORDS = {"stakes": "Stakes {}", "raises": "Raises {}", "called": "Called {}"}
PLAYING = ("first", "second")

DECK = ("JH", "JS", "KH", "KS", "QH", "QS")  # in the order of their names
RANKS = "JQK"
RAISE = {"first": 2, "second": 4}  # chips
MOST_RAISES = 2


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    hand: list[Zone] = zone(OWNER, per_seat=True)
    board: Zone = zone(EVERYONE)
    stock: Zone = zone(NOBODY, sort=AS_TEXT)
    turn: int = fact(seat_number, "whose turn it is", phases=PLAYING)
    stakes: list[int] = fact(ListOf(Int(1, 13), 2, 2), "the chips that each seat has staked")
    raises: int = fact(Int(0, MOST_RAISES), "how often the stakes were raised in this round", phases=PLAYING)
    called: bool = fact(BOOLEAN, "whether seat 0 has called without a raise in this round", phases=PLAYING)


def options(seats: int) -> dict[str, Option]:
    return {}


def deck(seats: int, options: dict[str, Any]) -> Sequence[str]:
    return DECK


def deal(state: State, chance: Chance) -> None:
    put(state, state.stock, DECK)
    for seat in range(2):
        move(state, state.stock, state.hand[seat], chance.pick(len(state.stock)))
    state.stakes = [1, 1]
    _begin(state, "first")


def _begin(state: State, phase: str) -> None:
    enter(state, phase)
    state.turn, state.raises, state.called = 0, 0, False


def due(state: State) -> list[int]:
    return [state.turn]


def refuse(state: State, seat: int, play: Move) -> Refusal | None:
    """Ask for a raise before a fold, and for no more than two raises in a round."""
    if play["type"] == "fold" and state.stakes[0] == state.stakes[1]:
        return Refusal("leduc.fold", "nobody has raised, so a call costs nothing")
    if play["type"] == "raise" and state.raises == MOST_RAISES:
        return Refusal("leduc.raise", "two raises a round are the most")
    return None


team = alone


def apply(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Fold, call or raise; a call that answers ends the round, and the second round ends the game."""
    kind = play["type"]
    if kind == "raise":
        state.stakes[seat] = state.stakes[1 - seat] + RAISE[state.phase]
        state.raises += 1
    elif kind == "call":
        state.stakes[seat] = state.stakes[1 - seat]
    opens = kind == "call" and seat == 0 and not state.raises
    if kind == "raise" or opens:
        state.turn, state.called = 1 - seat, state.called or opens
    elif kind == "call" and state.phase == "first":
        move(state, state.stock, state.board, chance.pick(len(state.stock)))
        _begin(state, "second")
    else:
        result = _result(state)
        state.scores = _won(state, result)
        finish(state, result)


def payoffs(state: State) -> list[float]:
    """Pay the chips that each seat has won or lost."""
    return [float(score) for score in state.scores]


def ending(state: State) -> dict[str, Any] | None:
    return _result(state) if state.phase == "over" else None


def _result(state: State) -> dict[str, Any]:
    first, second = state.stakes
    if first != second:
        return outcome(state, [0 if first > second else 1], "fold")
    worth = [(card[0] == state.board[0][0], RANKS.index(card[0])) for (card,) in state.hand]
    if worth[0] == worth[1]:
        return outcome(state, [0, 1], "tie")
    return outcome(state, [worth.index(max(worth))], "showdown")


def _won(state: State, result: dict[str, Any]) -> list[int]:
    if result["reason"] == "tie":
        return [0, 0]
    won = min(state.stakes)
    return [won, -won] if result["winners"] == [0] else [-won, won]


def check(state: State) -> None:
    check_size(state.hand[0], 1)
    check_size(state.hand[1], 1)
    first, second = state.stakes
    if state.phase == "over":
        require(
            len(state.board) == 1 or (not state.board and first != second), "zones.board", "must hold a card"
        )
        scores = _won(state, _result(state))
        require(state.scores == scores, "scores", f"must be {scores}, the chips won and lost")
        return
    check_size(state.board, 0 if state.phase == "first" else 1)
    require(state.scores == [0, 0], "scores", "must be [0, 0] before the end")
    raised = RAISE[state.phase] if state.raises else 0
    require(
        state.stakes[1 - state.turn] - state.stakes[state.turn] == raised,
        "facts.stakes",
        "must differ by the raise",
    )
    asked = (state.raises + state.called) % 2
    require(state.turn == asked, "facts.turn", f"must be {asked} after these calls and raises")
