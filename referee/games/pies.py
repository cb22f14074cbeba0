"""Pies ("the dog"): beat the top card of the heap and add another card, or pick up the whole heap.

The queen of clubs gives each seat a colour. The last seat with cards in a deal loses a card of its colour,
and with the ace it loses the game. Hidden: each hand from the others. Rules: `referee/games/rules/pies.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.authoring import (  # isort: skip
    BOOLEAN, CARD, COUNT, EVERYONE, OWNER, Chance, Field, Int, ListOf, Maybe, Move, OneOf, Option, Position,
    Refusal, Zone, alone, always, deal_round, fact, finish, fixed, gather, leaders, move, not_held, outcome,
    require, to_act, zone,
)  # fmt: skip
from referee.cards import SUIT_NAMES, by_suit, spoken, strengths
from referee.cards import deck as french

ID, VERSION, NAME, SEATS = "pies", 1, "Pies", (4,)
PHASES = {"lead": ("lead",), "beat": ("beat", "take"), "add": ("add", "take"), "over": ()}
MOVES = {
    "lead": {"card": Field(CARD, "a card of one's hand, led to the empty table", zones="hand")},
    "beat": {"card": Field(CARD, "a card of one's hand that beats the top card", zones="hand")},
    "add": {"card": Field(CARD, "a second card of one's hand, to be beaten by the next seat", zones="hand")},
    "take": {},
}
ROLES = {"tura": "counter", "colours": "suit", "moves": "counter"}
WORDS = {"opening": {"true": "The first card of the game is due"}, "colours": "Colours: {}"}
OUT_OF_TURN, COMPLETE = (), True
REASONS = {"ace": "the dog has lost an ace", "move_limit": "the limit of moves is reached"}

RANKS = "9TJQKA"
DECK = french(RANKS)
STRENGTH = strengths(RANKS)
LEADS = {card: fixed({"type": "lead", "card": card}) for card in DECK}
BEATS = {card: fixed({"type": "beat", "card": card}) for card in DECK}
ADDS = {card: fixed({"type": "add", "card": card}) for card in DECK}
TAKE = fixed({"type": "take"})
OPENING, QUEEN = "9D", "QC"
CLOCKWISE = "CSHD"  # whose colour is which, from the seat of the clubs on
HIGHER = {card: {c for c in DECK if c[1] == card[1] and STRENGTH[c] > STRENGTH[card]} for card in DECK}
_key = by_suit(RANKS).__getitem__


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    hand: list[Zone] = zone(OWNER, sort=_key, per_seat=True)
    table: Zone = zone(EVERYONE, phases=("beat", "add", "over"))
    removed: Zone = zone(EVERYONE, sort=_key, called="cards out of the game")
    tura: int = fact(Int(1), "number of the present deal, from 1")
    opening: bool = fact(BOOLEAN, "true until the first card of the game is led")
    colours: list[str] | None = fact(Maybe(ListOf(OneOf(tuple(CLOCKWISE)), 4, 4)), "each seat's colour")
    moves: int = fact(COUNT, "moves made in the game so far")


def options(seats: int) -> dict[str, Option]:
    return {
        "blocking": Option(OneOf(("top", "table")), "top", "what blocks: the top card or the whole heap"),
        "move_limit": Option(Int(0, 1_000_000), 0, "moves after which the game is drawn; 0: no limit"),
    }


deck = always(DECK)


def deal(state: State, chance: Chance) -> None:
    """Deal the first tura; the seat that holds the nine of diamonds will open with it."""
    state.tura, state.opening, state.colours, state.moves = 1, True, None, 0
    state.scores = [len(RANKS)] * state.seats
    _deal_tura(state, chance, DECK)
    _lead_next(state, next(seat for seat in range(state.seats) if OPENING in state.hand[seat]))


def _deal_tura(state: State, chance: Chance, cards: Sequence[str]) -> None:
    deal_round(state, state.hand, chance.pick(state.seats), chance.shuffle(cards))


def _lead_next(state: State, seat: int) -> None:
    state.phase, state.to_act = "lead", [seat]


due = to_act


def refuse(state: State, seat: int, play: Move) -> Refusal | None:
    """Check that the nine of diamonds opens, that a card beats, and that only who cannot beat takes."""
    kind = play["type"]
    if kind == "take":
        beating = _beating(state, seat)
        return None if _may_take(state, beating) else _refuse_take(state, beating)
    card = play["card"]
    if card not in state.hand[seat]:
        return not_held(card)
    if kind == "lead" and card not in _leads(state, seat):
        return Refusal("pies.opening", f"the {spoken(OPENING)} opens the game, not the {spoken(card)}")
    if kind == "beat" and card not in _beating(state, seat):
        return _refuse_beat(state, seat, card)
    return None


def _leads(state: State, seat: int) -> Sequence[str]:
    """Return the cards of the hand that may be led: rule opening."""
    return (OPENING,) if state.opening else state.hand[seat]


def _beating(state: State, seat: int) -> list[str]:
    """Return the cards of the hand that beat the top card: rules beat, queen, own_colour, blocked."""
    higher, colour = HIGHER[state.table[-1]], state.colours[seat] if state.colours else ""
    wild = [c for c in state.hand[seat] if c in higher or c == QUEEN or c[1] == colour]
    return [card for card in wild if card in higher or _blocker(state, card) is None]


def _blocker(state: State, card: str) -> str | None:
    """Return a card that blocks the queen of clubs or an own colour (a higher one of its suit), or None."""
    heap = state.table if state.options["blocking"] == "table" else state.table[-1:]
    higher = HIGHER[card]
    return None if higher.isdisjoint(heap) else next(below for below in heap if below in higher)


def _refuse_beat(state: State, seat: int, card: str) -> Refusal:
    """Return why the card does not beat the top card."""
    top, blocker = state.table[-1], _blocker(state, card)
    if blocker is not None:
        why = f"the {spoken(blocker)} on the table is higher than your {spoken(card)}"
        if card == QUEEN:
            return Refusal("pies.queen_blocked", why)
        if state.colours is not None and state.colours[seat] == card[1]:
            return Refusal("pies.own_blocked", f"{why}, though {SUIT_NAMES[card[1]]} are your colour")
    lack = "lower" if card[1] == top[1] else "of another suit"
    return Refusal("pies.beat", f"your {spoken(card)} does not beat the {spoken(top)} on top: it is {lack}")


def _may_take(state: State, moves: Sequence[object]) -> bool:
    """Return whether a seat with these moves may take the heap instead: rules no_take and must_beat."""
    return not moves and state.phase == "beat"


def _refuse_take(state: State, beating: Sequence[str]) -> Refusal:
    """Return why the seat may not take the heap."""
    if state.phase == "add":
        return Refusal("pies.no_take", "you have just beaten and must add a second card, not take the heap")
    beats = f"your {spoken(beating[0])} beats the {spoken(state.table[-1])} on top"
    return Refusal("pies.must_beat", f"{beats}, so you may not take")


def listed(state: State, seat: int) -> list[dict[str, Any]]:
    if state.phase == "lead":
        return [LEADS[card] for card in _leads(state, seat)]
    if state.phase == "beat":
        moves = [BEATS[card] for card in _beating(state, seat)]
    else:
        moves = [ADDS[card] for card in state.hand[seat]]
    return [*moves, TAKE] if _may_take(state, moves) else moves


team = alone


def apply(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Make the move; then, in this order: colours, the end of the tura, the next seat, the move limit."""
    state.moves += 1
    state.opening = False
    kind = play["type"]
    if kind == "take":
        move(state, state.table, state.hand[seat])
        _lead_next(state, _next_with_cards(state, seat))
    else:
        _lay(state, seat, kind, play["card"], chance)
    if result := ending(state):
        finish(state, result)


def _lay(state: State, seat: int, kind: str, card: str, chance: Chance) -> None:
    if card == QUEEN and state.colours is None and _blocker(state, card) is None:
        state.colours = [CLOCKWISE[(i - seat) % state.seats] for i in range(state.seats)]
    move(state, state.hand[seat], state.table, card)
    holding = [*filter(None, state.hand)]
    if len(holding) == 1:
        _end_tura(state, state.hand.index(holding[0]), chance)
    elif kind == "beat" and state.hand[seat]:
        state.phase = "add"
    else:
        state.phase, state.to_act = "beat", [_next_with_cards(state, seat)]


def _next_with_cards(state: State, seat: int) -> int:
    """Return the next seat clockwise that has cards; at least one other has."""
    while not state.hand[seat := (seat + 1) % state.seats]:
        pass
    return seat


def _end_tura(state: State, loser: int, chance: Chance) -> None:
    """Remove the loser's lowest card; without its ace the game is over, otherwise a new tura is dealt."""
    if state.colours is not None:
        lowest = RANKS[-state.scores[loser]] + state.colours[loser]
        place = state.hand[loser] if lowest in state.hand[loser] else state.table
        move(state, place, state.removed, lowest)
        state.scores[loser] -= 1
        if state.scores[loser] == 0:
            return
    state.tura += 1
    _deal_tura(state, chance, gather(state, *state.hand, state.table))
    _lead_next(state, (loser + 1) % state.seats)


def ending(state: State) -> dict[str, Any] | None:
    """Return the result once a seat has lost its ace, or at the limit of moves, or None."""
    if 0 in state.scores:
        return outcome(state, leaders(state), "ace", losers=[state.scores.index(0)])
    if 0 < state.moves == state.options["move_limit"]:
        return outcome(state, [], "move_limit", losers=[])
    return None


def known(view: dict[str, Any]) -> dict[str, list[str]]:
    """Return which hidden cards the facts place: who opens the game holds the nine of diamonds."""
    return {f"hand.{view['to_act'][0]}": [OPENING]} if view["facts"]["opening"] else {}


def check(state: State) -> None:
    """Check colours, removed cards, scores, turn and result. Raises Malformed.

    `moves` and `tura` are only counted, so that positions can be written by hand.
    """
    _check_removed(state)
    if state.opening:
        _check_opening(state)
    if state.phase == "over":
        _check_over(state)
    else:
        _check_open(state)


def _check_removed(state: State) -> None:
    """Check that removed cards are the lowest of their colours, and that scores fit. Raises Malformed."""
    if state.colours is None:
        require(not state.removed, "zones.removed", "must be empty until colours are assigned")
        lives = [len(RANKS)] * state.seats
    else:
        around = "".join(state.colours)
        require(around in CLOCKWISE * 2, "facts.colours", "must be C, S, H, D clockwise from some seat")
        gone = ["".join(card[0] for card in state.removed if card[1] == colour) for colour in around]
        lowest = all(RANKS.startswith(ranks) for ranks in gone)
        require(lowest, "zones.removed", "must hold the lowest cards of a suit")
        lives = [len(RANKS) - len(ranks) for ranks in gone]
    require(state.scores == lives, "scores", f"must be {lives}: what is left of each seat's colour")


def _check_opening(state: State) -> None:
    require(state.phase == "lead", "facts.opening", "must be false once a card has been led")
    require(state.tura == 1, "facts.tura", "must be 1 before the first card of the game")
    require(state.colours is None, "facts.colours", "must be null before the first card of the game")
    for seat, hand in enumerate(state.hand):
        require(len(hand) == len(DECK) // 4, f"zones.{hand.name}", "must hold 6 cards before the first lead")
        right = OPENING not in hand or state.to_act == [seat]
        require(right, "to_act", f"must be [{seat}], the holder of {OPENING}")


def _check_open(state: State) -> None:
    limit = state.options["move_limit"]
    require(not limit or state.moves < limit, "facts.moves", f"must be below {limit} until the game is over")
    require(min(state.scores) > 0, "zones.removed", "must hold no ace until the game is over")
    require(len(state.to_act) == 1, "to_act", "must be one seat")
    hand = state.hand[state.to_act[0]]
    require(len(hand) > 0, f"zones.{hand.name}", "must hold a card: the seat is to act")
    _check_holders(state)
    least = {"lead": 0, "beat": 1, "add": 2}[state.phase]
    require(len(state.table) >= least, "zones.table", f"must hold {least} cards or more in this phase")


def _check_holders(state: State) -> None:
    holding = [*filter(None, state.hand)]
    require(len(holding) > 1, "zones", "must leave two seats or more with cards: otherwise the tura is over")


def _check_over(state: State) -> None:
    limit = state.options["move_limit"]
    require(not limit or state.moves <= limit, "facts.moves", f"must be {limit} at most")
    dogs = [seat for seat in range(state.seats) if state.scores[seat] == 0]
    if dogs:
        require(len(dogs) == 1, "scores", "must be 0 for one seat only")
        for seat, hand in enumerate(state.hand):
            require(seat in dogs or not hand, f"zones.{hand.name}", f"must be empty: seat {dogs[0]} lost")
    else:
        require(0 < limit == state.moves, "scores", "must be 0 for one seat, or the move limit be reached")
        _check_holders(state)
