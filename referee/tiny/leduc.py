"""Leduc hold'em: six cards, two seats, two rounds of bets. At best, seat 0 loses 0.0856 chips a game.

Hidden: each hand from the other seat, and the stock from both. Rules: `rules/leduc.md`.
"""

from typing import Any

from referee import authoring as ref
from referee.authoring import EVERYONE, NOBODY, OWNER, Chance, Move, Position, Zone, fact, move, require, zone

ID, VERSION, NAME, SEATS = "leduc", 1, "Leduc Hold'em", (2,)
ROLES = {"turn": "seat", "stakes": "counter", "raises": "counter"}
REASONS = {"fold": "the other seat folds", "showdown": "the better hand", "tie": "equal hands"}
WORDS = {"stakes": "Stakes {}", "raises": "Raises {}", "called": "Called {}"}
PLAYING = ("first", "second")

DECK = ("JH", "JS", "KH", "KS", "QH", "QS")  # in the order of their names
RANKS = "JQK"
RAISE = {"first": 2, "second": 4}  # chips
MOST_RAISES = 2


@ref.state
class State(Position):
    hand: list[Zone] = zone(OWNER, per_seat=True)
    board: Zone = zone(EVERYONE)
    stock: Zone = zone(NOBODY, sort=ref.AS_TEXT)
    turn: int = fact(ref.seat_number, "whose turn it is", phases=PLAYING)
    stakes: list[int] = fact(ref.ListOf(ref.Int(1, 13), 2, 2), "the chips that each seat has staked")
    raises: int = fact(ref.Int(0, MOST_RAISES), "how often the stakes were raised this round", phases=PLAYING)
    called: bool = fact(ref.BOOLEAN, "whether seat 0 has called without a raise", phases=PLAYING)


def deal(state: State, chance: Chance) -> None:
    ref.put(state, state.stock, DECK)
    for seat in range(2):
        move(state, state.stock, state.hand[seat], chance.pick(len(state.stock)))
    state.stakes = [1, 1]
    _begin(state, "first")


def _begin(state: State, phase: str) -> None:
    ref.enter(state, phase)
    state.turn, state.raises, state.called = 0, 0, False


def due(state: State) -> list[int]:
    return [state.turn]


def _fold(state: State, seat: int, play: Move, chance: Chance) -> None:
    _end(state)


def _call(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Call; a call that answers ends the round, and the second round ends the game."""
    state.stakes[seat] = state.stakes[1 - seat]
    if seat == 0 and not state.raises:
        state.turn, state.called = 1, True
    elif state.phase == "first":
        move(state, state.stock, state.board, chance.pick(len(state.stock)))
        _begin(state, "second")
    else:
        _end(state)


def _raise(state: State, seat: int, play: Move, chance: Chance) -> None:
    state.stakes[seat] = state.stakes[1 - seat] + RAISE[state.phase]
    state.raises += 1
    state.turn = 1 - seat


def _end(state: State) -> None:
    result = _result(state)
    state.scores = _won(state, result)
    ref.finish(state, result)


FOLD = ref.move_type("fold", PLAYING, _fold, [
    ref.rule("leduc.fold", lambda s, seat: s.stakes[0] == s.stakes[1],
             "nobody has raised, so a call costs nothing"),
])  # fmt: skip
RAISING = ref.move_type("raise", PLAYING, _raise, [
    ref.rule("leduc.raise", lambda s, seat: s.raises == MOST_RAISES, "two raises a round are the most"),
])  # fmt: skip
BLOCKS = (FOLD, ref.move_type("call", PLAYING, _call), RAISING)
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
    worth = [(card[0] == state.board[0][0], RANKS.index(card[0])) for (card,) in state.hand]
    if worth[0] == worth[1]:
        return ref.outcome(state, [0, 1], "tie")
    return ref.outcome(state, [worth.index(max(worth))], "showdown")


def _won(state: State, result: dict[str, Any]) -> list[int]:
    if result["reason"] == "tie":
        return [0, 0]
    won = min(state.stakes)
    return [won, -won] if result["winners"] == [0] else [-won, won]


def check(state: State) -> None:
    ref.check_size(state.hand[0], 1)
    ref.check_size(state.hand[1], 1)
    first, second = state.stakes
    if state.phase == "over":
        require(
            len(state.board) == 1 or (not state.board and first != second), "zones.board", "must hold a card"
        )
        scores = _won(state, _result(state))
        require(state.scores == scores, "scores", f"must be {scores}, the chips won and lost")
        return
    ref.check_size(state.board, 0 if state.phase == "first" else 1)
    require(state.scores == [0, 0], "scores", "must be [0, 0] before the end")
    raised = RAISE[state.phase] if state.raises else 0
    require(
        state.stakes[1 - state.turn] - state.stakes[state.turn] == raised,
        "facts.stakes",
        "must differ by the raise",
    )
    asked = (state.raises + state.called) % 2
    require(state.turn == asked, "facts.turn", f"must be {asked} after these calls and raises")
