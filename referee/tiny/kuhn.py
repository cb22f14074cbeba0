"""Kuhn poker: three cards, two seats, one bet. At best, seat 0 loses 1/18 of a chip a game.

Hidden: each hand from the other seat, and the third card from both. Rules: `rules/kuhn.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.authoring import (
    AS_TEXT,
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

ID, VERSION, NAME, SEATS = "kuhn", 1, "Kuhn Poker", (2,)
PHASES = {"open": ("pass", "bet"), "answer": ("fold", "call"), "over": ()}
MOVES: dict[str, dict[str, Any]] = {"pass": {}, "bet": {}, "fold": {}, "call": {}}
ROLES = {"turn": "seat", "stakes": "counter"}
OUT_OF_TURN = ()
COMPLETE = True
REASONS = {"fold": "the other seat folds", "showdown": "the higher card"}
WORDS = {"stakes": "Stakes {}"}
PLAYING = ("open", "answer")

DECK = ("JS", "QS", "KS")  # lowest first


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    hand: list[Zone] = zone(OWNER, per_seat=True)
    stock: Zone = zone(NOBODY, sort=AS_TEXT)
    turn: int = fact(seat_number, "whose turn it is", phases=PLAYING)
    stakes: list[int] = fact(ListOf(Int(1, 2), 2, 2), "the chips that each seat has staked")


def options(seats: int) -> dict[str, Option]:
    return {}


def deck(seats: int, options: dict[str, Any]) -> Sequence[str]:
    return DECK


def deal(state: State, chance: Chance) -> None:
    put(state, state.stock, DECK)
    for seat in range(2):
        move(state, state.stock, state.hand[seat], chance.pick(len(state.stock)))
    state.stakes, state.turn = [1, 1], 0
    enter(state, "open")


def due(state: State) -> list[int]:
    return [state.turn]


def refuse(state: State, seat: int, play: Move) -> Refusal | None:
    return None


team = alone


def apply(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Pass, bet, fold or call; whoever passes second, folds or calls ends the game."""
    kind = play["type"]
    if kind in ("bet", "call"):
        state.stakes[seat] += 1
    if kind == "bet" or (kind == "pass" and seat == 0):
        state.turn = 1 - seat
        enter(state, "answer" if kind == "bet" else "open")
        return
    result = _result(state)
    winner = result["winners"][0]
    state.scores[winner], state.scores[1 - winner] = min(state.stakes), -min(state.stakes)
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
    ranks = [DECK.index(hand[0]) for hand in state.hand]
    return outcome(state, [ranks.index(max(ranks))], "showdown")


def check(state: State) -> None:
    check_size(state.hand[0], 1)
    check_size(state.hand[1], 1)
    first, second = state.stakes
    if state.phase == "open":
        require(first == second == 1, "facts.stakes", "must be [1, 1] before a bet")
    elif state.phase == "answer":
        bet = 2 if state.turn == 0 else 1
        require([first, second] == [3 - bet, bet], "facts.stakes", "must be 2 for whoever has bet alone")
    won = min(first, second) if state.phase == "over" else 0
    wins = won and _result(state)["winners"] == [0]
    scores = [won, -won] if wins else [-won, won]
    require(state.scores == scores, "scores", f"must be {scores}, the chips won and lost")
