"""Bisca: a point-trick game for 2 to 4 with hands of three refilled from a stock, no duty to follow suit.

Hidden: each hand from the others, the stock from everyone. Rules: `referee/rules/bisca.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.cards import SUITS, spoken
from referee.cards import deck as french
from referee.chance import Chance
from referee.position import (
    AS_STRINGS,
    EVERYONE,
    NOBODY,
    OWNER,
    Move,
    Position,
    Zone,
    fact,
    gather,
    move,
    move_card,
    put,
    seat_number,
    zone,
)
from referee.shapes import BOOLEAN, CARD, INTEGER, Field, Int, Kind, Maybe, OneOf, Option
from referee.tricks import check_size, check_to_act, check_trick, led
from referee.verdicts import Malformed, Refusal, not_held

ID = "bisca"
VERSION = 1
NAME = "Bisca"
SEATS = (2, 3, 4)
PHASES = {"cut": ("cut", "tap"), "play": ("play", "exchange"), "over": ()}
MOVES = {
    "cut": {
        "at": Field(INTEGER, "how many cards are lifted; the lowest of them is flipped", role="position")
    },
    "tap": {},
    "play": {"card": Field(CARD, "a card of one's hand, played face up to the trick", zones="hand")},
    "exchange": {},
}
ROLES = {"dealer": "seat", "leader": "seat", "trump": "suit"}
COMPLETE = True

RANKS = "23456QJK7A"  # low to high
DECK = french(RANKS)
DECK_OF_THREE = tuple(card for card in DECK if card != "2C")
POINTS = {card: {"A": 11, "7": 10, "K": 4, "J": 3, "Q": 2}.get(card[0], 0) for card in DECK}
CATALOGUE = {card: {"points": points} for card, points in POINTS.items()}
PARTNER_SUIT = {"C": "S", "S": "C", "D": "H", "H": "D"}
TAPPED = "H"
HAND = 3
EXCHANGE_TRICK = 3
DOUBLE = 90  # more card points than this are worth two game points

ACE = {suit: "A" + suit for suit in SUITS}
SEVEN = {suit: "7" + suit for suit in SUITS}
TWO = {suit: "2" + suit for suit in SUITS}
GUARDED = {suit: frozenset((ACE[suit], SEVEN[suit])) for suit in SUITS}
PLAYS = {card: {"type": "play", "card": card} for card in DECK}
CUTS = [{"type": "cut", "at": at} for at in range(1, len(DECK))]
TAP = {"type": "tap"}
EXCHANGE = {"type": "exchange"}
POWER = {
    trump: {suit: led(DECK, french(RANKS, suit), french(RANKS, trump)).power for suit in SUITS}
    for trump in SUITS
}


def _card(seats: int) -> Kind:
    return Maybe(OneOf(tuple(deck(seats, {}))))


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    """A hand being played."""

    stock: Zone = zone(NOBODY)
    turned: Zone = zone(EVERYONE)
    trick: Zone = zone(EVERYONE)
    hand: list[Zone] = zone(OWNER, sort=AS_STRINGS, per_seat=True)
    won: list[Zone] = zone(EVERYONE, sort=AS_STRINGS, per_seat=True)
    dealer: int = fact(seat_number, "who deals this hand")
    leader: int | None = fact(lambda n: Maybe(seat_number(n)), "who leads the current trick; null in cut")
    trump: str | None = fact(Maybe(OneOf(tuple(SUITS))), "trump suit; null in cut")
    flipped: str | None = fact(_card, "the card that the cut showed; null in cut and after a tap")


def options(seats: int) -> dict[str, Option]:
    """Offer the target and, with four seats, partnerships."""
    partners = BOOLEAN if seats == 4 else OneOf((False,))
    return {
        "target": Option(Int(1, 100), 4, "game points that end the game"),
        "partners": Option(partners, False, "seats 0 and 2 play together against 1 and 3; four seats only"),
    }


def deck(seats: int, options: dict[str, Any]) -> Sequence[str]:
    """List the 40 cards, 39 for three seats: rule deck."""
    return DECK_OF_THREE if seats == 3 else DECK


# --- deal -------------------------------------------------------------------------------------------


def deal(state: State, chance: Chance) -> None:
    """Pick the first dealer and shuffle for the first hand."""
    _begin_hand(state, chance.pick(state.seats), chance)


def _begin_hand(state: State, dealer: int, chance: Chance) -> None:
    gather(state)
    put(state, state.stock, chance.shuffle(deck(state.seats, state.options)))
    state.phase = "cut"
    state.dealer = dealer
    state.leader = state.trump = state.flipped = None
    state.to_act = [(dealer - 1) % state.seats]


def _cut(state: State, at: int, chance: Chance) -> None:
    """The lowest card lifted makes trump, face up under the deck or lost in it: rules cut, cut_special."""
    stock = state.stock
    if at > 1:
        move(state, stock, stock, stock[: at - 1], at=0)
    flipped = stock[0]
    move_card(state, stock, state.turned, flipped)
    state.flipped = flipped
    state.trump = _trump(flipped)
    if flipped[0] in "A7":
        move(state, state.turned, stock, (flipped,), to=chance.pick(len(stock) + 1))


def _trump(flipped: str | None) -> str:
    if flipped is None:
        return TAPPED
    return PARTNER_SUIT[flipped[1]] if flipped[0] in "A7" else flipped[1]


def _deal_hands(state: State) -> None:
    """Give three cards each, one at a time from the dealer's left, who leads: rules deal and lead."""
    seats = state.seats
    dealt = state.stock[: HAND * seats]
    first = (state.dealer + 1) % seats
    for i in range(seats):
        move(state, state.stock, state.hand[(first + i) % seats], dealt[i::seats])
    state.phase = "play"
    state.leader = first
    state.to_act = [first]


# --- refusals and legal moves -----------------------------------------------------------------------


def refuse(state: State, seat: int, play: Move) -> Refusal | None:
    """Cuts have a depth, the ace and seven of trump wait, exchanges have a time, a card and a holder."""
    kind = play["type"]
    if kind == "play":
        card = play["card"]
        return _refuse_card(state, seat, card) if card in state.hand[seat] else not_held(card)
    if kind == "cut":
        most = len(state.stock) - 1
        if not 1 <= play["at"] <= most:
            return Refusal("bisca.cut_depth", f"a cut lifts 1 to {most} of the {most + 1} cards")
    if kind == "exchange":
        return _refuse_exchange(state, seat)
    return None


def _refuse_card(state: State, seat: int, card: str) -> Refusal | None:
    """Hold back the ace and the seven of trump, but never a whole hand: ace_waits, seven_last, forced."""
    trump, hand = state.trump, state.hand[seat]
    assert trump is not None
    if card not in GUARDED[trump]:
        return None
    ace, seven = ACE[trump], SEVEN[trump]
    if card == ace and len(hand) > 1 and not _has_been_played(state, seven):
        reason = f"the {spoken(ace)} waits until the {spoken(seven)} has been played"
        return Refusal("bisca.ace_waits", reason)
    last = len(state.trick) == state.seats - 1
    if card == seven and last and state.seats > 2 and not GUARDED[trump].issuperset(hand):
        reason = f"the {spoken(seven)} may not be the last card of a trick while you hold another card"
        return Refusal("bisca.seven_last", reason)
    return None


def _has_been_played(state: State, card: str) -> bool:
    return card in state.trick or any(card in pile for pile in state.won)


def _refuse_exchange(state: State, seat: int) -> Refusal | None:
    assert state.trump is not None
    two = TWO[state.trump]
    number = _trick_number(state)
    if number != EXCHANGE_TRICK:
        reason = f"the two of trump is exchanged in trick {EXCHANGE_TRICK} only, and this is trick {number}"
        return Refusal("bisca.exchange_time", reason)
    if not state.turned:
        return Refusal("bisca.exchange_turned", "no card is turned up, so there is none to exchange for")
    if two not in state.hand[seat]:
        return Refusal("bisca.exchange_two", f"you do not hold the {spoken(two)}")
    return None


def _trick_number(state: State) -> int:
    return 1 + sum(map(len, state.won)) // state.seats


def legal(state: State, seat: int) -> list[dict[str, Any]]:
    """List the cuts and the tap, or the cards that may be played and the exchange."""
    if seat not in state.to_act:
        return []
    if state.phase == "cut":
        return [*CUTS[: len(state.stock) - 1], TAP]
    hand, trump = state.hand[seat], state.trump
    assert trump is not None
    if GUARDED[trump].isdisjoint(hand):
        moves = [PLAYS[card] for card in hand]
    else:
        moves = [PLAYS[card] for card in hand if _refuse_card(state, seat, card) is None]
    if TWO[trump] in hand and _refuse_exchange(state, seat) is None:
        moves.append(EXCHANGE)
    return moves


def team(state: State, seat: int) -> list[int]:
    """Give the seats that win and lose with this one, itself included."""
    return _side(state, seat)


# --- apply ------------------------------------------------------------------------------------------


def apply(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Make a move; the last card of a trick resolves it, the last trick the hand."""
    kind = play["type"]
    if kind == "play":
        move_card(state, state.hand[seat], state.trick, play["card"])
        if len(state.trick) < state.seats:
            state.to_act = [(seat + 1) % state.seats]
        else:
            _end_trick(state, chance)
    elif kind == "exchange":
        assert state.trump is not None
        move(state, state.turned, state.hand[seat], state.turned[:])
        move_card(state, state.hand[seat], state.turned, TWO[state.trump])
    else:
        if kind == "cut":
            _cut(state, play["at"], chance)
        else:
            state.trump = TAPPED
        _deal_hands(state)


def _end_trick(state: State, chance: Chance) -> None:
    seats, trick, trump, leader = state.seats, state.trick, state.trump, state.leader
    assert trump is not None
    assert leader is not None
    best = max(trick, key=POWER[trump][trick[0][1]])
    winner = state.won_by = (leader + trick.index(best)) % seats
    if GUARDED[trump].issubset(trick):
        catcher = (leader + trick.index(ACE[trump])) % seats
        _score(state, _side(state, catcher), 1)
    move(state, trick, state.won[winner], trick[:], at=0)
    state.leader = winner
    state.to_act = [winner]
    if state.stock:
        _draw(state, winner)
    elif not any(state.hand):
        _end_hand(state, chance)


def _draw(state: State, winner: int) -> None:
    """Everyone draws one card, the winner first; the turned card goes last: rule draw."""
    for i in range(state.seats):
        source = state.stock or state.turned
        move_card(state, source, state.hand[(winner + i) % state.seats], source[0])


# --- end and scores ---------------------------------------------------------------------------------


def _side(state: State, seat: int) -> list[int]:
    return [seat % 2, seat % 2 + 2] if state.options["partners"] else [seat]


def _sides(state: State) -> list[list[int]]:
    return [_side(state, seat) for seat in range(2 if state.options["partners"] else state.seats)]


def _score(state: State, side: list[int], points: int) -> None:
    state.scores = [score + points if seat in side else score for seat, score in enumerate(state.scores)]


def _end_hand(state: State, chance: Chance) -> None:
    """Count the hand, then end the game or begin the next hand: rules score, end, next_hand."""
    sides = _sides(state)
    counts = [sum(POINTS[card] for seat in side for card in state.won[seat]) for side in sides]
    most = max(counts)
    if counts.count(most) == 1:
        _score(state, sides[counts.index(most)], 2 if most > DOUBLE else 1)
    totals = [state.scores[side[0]] for side in sides]
    best = max(totals)
    if best >= state.options["target"] and totals.count(best) == 1:
        winners = sides[totals.index(best)]
        losers = [seat for seat in range(state.seats) if seat not in winners]
        state.result = {"winners": winners, "losers": losers, "reason": "target"}
        state.phase = "over"
        state.to_act = []
    else:
        _begin_hand(state, (state.dealer + 1) % state.seats, chance)


# --- positions written by hand ----------------------------------------------------------------------


def check(state: State) -> None:
    """Refuse a position whose counts, turn or trump do not fit its phase."""
    if state.options["partners"] and state.scores[:2] != state.scores[2:]:
        raise Malformed("scores", "partners carry the same number")
    if state.phase == "cut":
        _check_cut(state)
        return
    if state.leader is None:
        raise Malformed("facts.leader", f"must be a seat in phase {state.phase}")
    if state.trump != _trump(state.flipped):
        raise Malformed("facts.trump", f"must be {_trump(state.flipped)!r}: facts.flipped says so")
    if state.phase == "play":
        _check_play(state, state.leader)
        return
    for place in (state.stock, state.turned, state.trick, *state.hand):
        check_size(place, 0)
    _check_won(state)
    check_to_act(state, [])


def _check_cut(state: State) -> None:
    check_size(state.stock, len(deck(state.seats, state.options)))
    for name in ("leader", "trump", "flipped"):
        if getattr(state, name) is not None:
            raise Malformed(f"facts.{name}", "must be null before the cut")
    check_to_act(state, [(state.dealer - 1) % state.seats])


def _check_won(state: State) -> None:
    for pile in state.won:
        if len(pile) % state.seats:
            raise Malformed(f"zones.{pile.name}", f"must hold whole tricks, {state.seats} cards each")


def _check_play(state: State, leader: int) -> None:
    left = len(state.stock) + len(state.turned)
    if left % state.seats:
        raise Malformed("zones.stock", f"must hold, with the turned card, a multiple of {state.seats} cards")
    size = HAND if left else max(map(len, state.hand))
    if not 1 <= size <= HAND:
        raise Malformed("zones", f"before a trick everybody holds 1 to {HAND} cards")
    check_trick(state, state.trick, state.hand, leader, size)
    _check_won(state)
    flipped = state.flipped
    if not left or flipped is None or flipped[0] in "A7":
        if state.turned:
            raise Malformed("zones.turned", "must be empty: no card is turned up, or none any more")
        return
    allowed = [[flipped]]
    if _trick_number(state) >= EXCHANGE_TRICK:
        allowed.append([TWO[_trump(flipped)]])
    if state.turned not in allowed:
        raise Malformed("zones.turned", "must be the flipped card, or from trick 3 on the two of trump")
