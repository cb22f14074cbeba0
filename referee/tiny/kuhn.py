"""Kuhn poker: three cards, two seats, one bet. At best, seat 0 loses 1/18 of a chip a game.

Hidden: each hand from the other seat, and the third card from both. Rules: `rules/kuhn.md`.
"""

from typing import Any

from referee import authoring as ref
from referee.authoring import NOBODY, OWNER, Chance, Move, Position, Zone, fact, move, require, zone

ID, VERSION, NAME, SEATS = "kuhn", 1, "Kuhn Poker", (2,)
ROLES = {"turn": "seat", "stakes": "counter"}
REASONS = {"fold": "the other seat folds", "showdown": "the higher card"}
WORDS = {"stakes": "Stakes {}"}
PLAYING = ("open", "answer")

DECK = ("JS", "QS", "KS")  # lowest first


@ref.state
class State(Position):
    hand: list[Zone] = zone(OWNER, per_seat=True)
    stock: Zone = zone(NOBODY, sort=ref.AS_TEXT)
    turn: int = fact(ref.seat_number, "whose turn it is", phases=PLAYING)
    stakes: list[int] = fact(ref.ListOf(ref.Int(1, 2), 2, 2), "the chips that each seat has staked")


def deal(state: State, chance: Chance) -> None:
    ref.put(state, state.stock, DECK)
    for seat in range(2):
        move(state, state.stock, state.hand[seat], chance.pick(len(state.stock)))
    state.stakes, state.turn = [1, 1], 0
    ref.enter(state, "open")


def due(state: State) -> list[int]:
    return [state.turn]


def _pass(state: State, seat: int, play: Move, chance: Chance) -> None:
    if seat == 0:
        state.turn = 1
    else:
        _end(state)


def _bet(state: State, seat: int, play: Move, chance: Chance) -> None:
    state.stakes[seat] += 1
    state.turn = 1 - seat
    ref.enter(state, "answer")


def _fold(state: State, seat: int, play: Move, chance: Chance) -> None:
    _end(state)


def _call(state: State, seat: int, play: Move, chance: Chance) -> None:
    state.stakes[seat] += 1
    _end(state)


def _end(state: State) -> None:
    result = _result(state)
    winner = result["winners"][0]
    state.scores[winner], state.scores[1 - winner] = min(state.stakes), -min(state.stakes)
    ref.finish(state, result)


BLOCKS = (
    ref.move_type("pass", "open", _pass),
    ref.move_type("bet", "open", _bet),
    ref.move_type("fold", "answer", _fold),
    ref.move_type("call", "answer", _call),
)
ref.complete(globals())


def payoffs(state: State) -> list[float]:
    """Pay the chips that each seat has won or lost."""
    return [float(score) for score in state.scores]


def ending(state: State) -> dict[str, Any] | None:
    return _result(state) if state.phase == "over" else None


def _result(state: State) -> dict[str, Any]:
    first, second = state.stakes
    if first != second:
        return ref.outcome(state, [0 if first > second else 1], "fold")
    ranks = [DECK.index(hand[0]) for hand in state.hand]
    return ref.outcome(state, [ranks.index(max(ranks))], "showdown")


def check(state: State) -> None:
    ref.check_size(state.hand[0], 1)
    ref.check_size(state.hand[1], 1)
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
