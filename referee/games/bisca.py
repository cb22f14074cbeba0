"""Bisca: a point-trick game for 2 to 4 seats, with hands of three cards refilled from a stock.

Players need not follow suit.

Hidden: each hand from the others, the stock from everyone. Rules: `referee/games/rules/bisca.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.authoring import (  # isort: skip
    AS_TEXT, BOOLEAN, CARD, EVERYONE, INTEGER, NOBODY, OWNER, Chance, Field, Int, Maybe, Move, OneOf, Option,
    Position, Refusal, Zone, across, check_size, check_team_scores, check_trick, check_whole_tricks,
    clockwise, deal_round, enter, fact, finish, fixed, gather, leaders, move, not_held, outcome, put, require,
    score, seat_number, zone,
)  # fmt: skip
from referee.cards import SUITS, spoken
from referee.cards import deck as french
from referee.tricks import led

ID, VERSION, NAME, SEATS = "bisca", 1, "Bisca", (2, 3, 4)
PHASES = {"cut": ("cut", "tap"), "play": ("play", "exchange"), "over": ()}
ROLES = {"dealer": "seat", "leader": "seat", "trump": "suit"}
LIFTED: Any = {"role": "position", "within": range(1, 40)}
WORDS = {"trump": "Trump: {}", "flipped": "The cut showed {}"}
MOVES = {
    "cut": {"at": Field(INTEGER, "how many cards are lifted; the lowest of them is flipped", **LIFTED)},
    "tap": {},
    "play": {"card": Field(CARD, "a card of one's hand, played face up to the trick", zones="hand")},
    "exchange": {},
}
OUT_OF_TURN, COMPLETE = (), True
REASONS = {"target": "the target is reached"}

RANKS = "23456QJK7A"  # low to high
DECK = french(RANKS)
DECK_OF_THREE = tuple(card for card in DECK if card != "2C")
POINTS = {card: {"A": 11, "7": 10, "K": 4, "J": 3, "Q": 2}.get(card[0], 0) for card in DECK}
CATALOGUE = {card: {"points": points} for card, points in POINTS.items()}
PARTNER_SUIT = {"C": "S", "S": "C", "D": "H", "H": "D"}
HAND, EXCHANGE_TRICK, TAPPED = 3, 3, "H"
DOUBLE = 90  # more card points than this are worth two game points

ACE, SEVEN, TWO = ({suit: rank + suit for suit in SUITS} for rank in "A72")
GUARDED = {suit: frozenset((ACE[suit], SEVEN[suit])) for suit in SUITS}
PLAYS = {card: fixed({"type": "play", "card": card}) for card in DECK}
CUTS = [fixed({"type": "cut", "at": at}) for at in range(1, len(DECK))]
TAP, EXCHANGE = fixed({"type": "tap"}), fixed({"type": "exchange"})
DEALT = ("play", "over")  # the phases after the cut
POWER = {
    trump: {suit: led(DECK, french(RANKS, suit), french(RANKS, trump)).power for suit in SUITS}
    for trump in SUITS
}


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    stock: Zone = zone(NOBODY, phases=("cut", "play"))
    turned: Zone = zone(EVERYONE, phases=("play",), called="turned card")
    trick: Zone = zone(EVERYONE, phases=("play",))
    hand: list[Zone] = zone(OWNER, sort=AS_TEXT, per_seat=True, phases=("play",))
    won: list[Zone] = zone(EVERYONE, sort=AS_TEXT, per_seat=True, phases=DEALT, called="won cards")
    dealer: int = fact(seat_number, "who deals this hand")
    leader: int = fact(seat_number, "who leads the current trick; null in cut", phases=DEALT)
    trump: str = fact(OneOf(tuple(SUITS)), "trump suit; null in cut", phases=DEALT)
    flipped: str | None = fact(
        lambda n: Maybe(OneOf(tuple(deck(n, {})))), "what the cut showed; null after a tap", phases=DEALT
    )


def options(seats: int) -> dict[str, Option]:
    partners = BOOLEAN if seats == 4 else OneOf((False,))
    return {
        "target": Option(Int(1, 100), 4, "game points that end the game"),
        "partners": Option(partners, False, "seats 0 and 2 play together against 1 and 3; four seats only"),
    }


def deck(seats: int, options: dict[str, Any]) -> Sequence[str]:
    """List the 40 cards, 39 for three seats: rule deck."""
    return DECK_OF_THREE if seats == 3 else DECK


def deal(state: State, chance: Chance) -> None:
    """Pick the first dealer and shuffle for the first hand."""
    _begin_hand(state, chance.pick(state.seats), chance)


def _begin_hand(state: State, dealer: int, chance: Chance) -> None:
    gather(state)
    put(state, state.stock, chance.shuffle(deck(state.seats, state.options)))
    state.dealer = dealer
    enter(state, "cut")


def _cut(state: State, at: int, chance: Chance) -> None:
    """Set trumps by the lowest lifted card, and put it under the stock or back into it: cut, cut_special."""
    stock = state.stock
    move(state, stock, stock, slice(at - 1))
    flipped = stock[0]
    move(state, stock, state.turned, 0)
    state.flipped, state.trump = flipped, _trump(flipped)
    if flipped[0] in "A7":
        move(state, state.turned, stock, flipped, to=chance.pick(len(stock) + 1))


def _trump(flipped: str | None) -> str:
    if flipped is None:
        return TAPPED
    return PARTNER_SUIT[flipped[1]] if flipped[0] in "A7" else flipped[1]


def _deal_hands(state: State) -> None:
    """Deal three cards to each seat, one at a time, from the left of the dealer, who leads: deal, lead."""
    seats = state.seats
    state.leader = (state.dealer + 1) % seats
    deal_round(state, state.hand, state.leader, state.stock[: HAND * seats], state.stock)
    enter(state, "play")


def due(state: State) -> list[int]:
    """Return the seat that cuts, or the seat whose turn it is in the trick."""
    if state.phase == "cut":
        return [(state.dealer - 1) % state.seats]
    return [(state.leader + len(state.trick)) % state.seats]


def refuse(state: State, seat: int, play: Move) -> Refusal | None:
    """Check the depth of a cut, when the ace and the seven of trumps may be played, and exchanges."""
    kind = play["type"]
    if kind == "play":
        card = play["card"]
        if card not in state.hand[seat]:
            return not_held(card)
        return _refuse_guarded(state, seat, card) if card in GUARDED[state.trump] else None
    if kind == "cut" and not 1 <= play["at"] <= _most_lifted(state):
        depth = f"a cut lifts 1 to {_most_lifted(state)} of the {len(state.stock)} cards"
        return Refusal("bisca.cut_depth", depth)
    if kind == "exchange" and not _may_exchange(state, seat):
        return _refuse_exchange(state, seat)
    return None


def _most_lifted(state: State) -> int:
    return len(state.stock) - 1


def _refuse_guarded(state: State, seat: int, card: str) -> Refusal | None:
    rule = _held_back_by(state, seat, card)
    if rule == "bisca.ace_waits":
        seven = spoken(SEVEN[state.trump])
        return Refusal(rule, f"the {spoken(card)} waits until the {seven} has been played")
    if rule == "bisca.seven_last":
        last = "may not be the last card of a trick while you hold another card"
        return Refusal(rule, f"the {spoken(card)} {last}")
    return None


def _held_back_by(state: State, seat: int, card: str) -> str | None:
    """Return the rule that holds back the ace or the seven of trump, or None; never a whole hand: forced."""
    trump, hand = state.trump, state.hand[seat]
    if card == ACE[trump]:
        seven = SEVEN[trump]
        waits = len(hand) > 1 and seven not in state.trick and not any(seven in pile for pile in state.won)
        return "bisca.ace_waits" if waits else None
    last = len(state.trick) == state.seats - 1
    if last and state.seats > 2 and not GUARDED[trump].issuperset(hand):
        return "bisca.seven_last"
    return None


def _may_exchange(state: State, seat: int) -> bool:
    held = TWO[state.trump] in state.hand[seat]  # asked first, because it is seldom
    return held and bool(state.turned) and _trick_number(state) == EXCHANGE_TRICK


def _refuse_exchange(state: State, seat: int) -> Refusal:
    """Return why the seat may not exchange."""
    number = _trick_number(state)
    if number != EXCHANGE_TRICK:
        reason = f"the two of trump is exchanged in trick {EXCHANGE_TRICK} only, and this is trick {number}"
        return Refusal("bisca.exchange_time", reason)
    if not state.turned:
        return Refusal("bisca.exchange_turned", "no card is turned up, so there is none to exchange for")
    return Refusal("bisca.exchange_two", f"you do not hold the {spoken(TWO[state.trump])}")


def _trick_number(state: State) -> int:
    return 1 + sum(map(len, state.won)) // state.seats


def listed(state: State, seat: int) -> list[dict[str, Any]]:
    if state.phase == "cut":
        return [*CUTS[: _most_lifted(state)], TAP]
    hand, guarded = state.hand[seat], GUARDED[state.trump]
    plays = [PLAYS[c] for c in hand if c not in guarded or _held_back_by(state, seat, c) is None]
    return [*plays, EXCHANGE] if _may_exchange(state, seat) else plays


def team(state: State, seat: int) -> list[int]:
    return across(state, seat) if state.options["partners"] else [seat]


def apply(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Make a move; the last card ends a trick, and the last trick ends a hand."""
    kind = play["type"]
    if kind == "play":
        move(state, state.hand[seat], state.trick, play["card"])
        if len(state.trick) == state.seats:
            _end_trick(state, chance)
    elif kind == "exchange":
        move(state, state.turned, state.hand[seat])
        move(state, state.hand[seat], state.turned, TWO[state.trump])
    else:
        if kind == "cut":
            _cut(state, play["at"], chance)
        else:
            state.flipped, state.trump = None, TAPPED
        _deal_hands(state)


def _end_trick(state: State, chance: Chance) -> None:
    seats, trick, trump, leader = state.seats, state.trick, state.trump, state.leader
    best = max(trick, key=POWER[trump][trick[0][1]])
    winner = state.won_by = (leader + trick.index(best)) % seats
    if ACE[trump] in trick and SEVEN[trump] in trick:
        score(state, team(state, (leader + trick.index(ACE[trump])) % seats), 1)
    move(state, trick, state.won[winner])
    state.leader = winner
    if state.stock:
        _draw(state, winner)
    elif not any(state.hand):
        _end_hand(state, chance)


def _draw(state: State, winner: int) -> None:
    """Let each seat draw a card, the winner first; the turned card is the last one: rule draw."""
    for seat in clockwise(state, winner):
        move(state, state.stock or state.turned, state.hand[seat], 0)


def _end_hand(state: State, chance: Chance) -> None:
    """Score the hand, then end the game or begin the next hand: rules score, end, next_hand."""
    sides = [team(state, seat) for seat in range(2 if state.options["partners"] else state.seats)]
    counts = [sum([POINTS[card] for seat in side for card in state.won[seat]]) for side in sides]
    most = max(counts)
    if counts.count(most) == 1:
        score(state, sides[counts.index(most)], 2 if most > DOUBLE else 1)
    finish(state, ending(state))
    if state.result is None:
        _begin_hand(state, (state.dealer + 1) % state.seats, chance)


def ending(state: State) -> dict[str, Any] | None:
    """Return the result that the scores give once a hand is over, or None: rule end."""
    if state.phase == "cut" or any(state.hand):
        return None
    ahead = leaders(state)
    over = max(state.scores) >= state.options["target"] and ahead == team(state, ahead[0])
    return outcome(state, ahead, "target") if over else None


def check(state: State) -> None:
    check_team_scores(state)
    if state.phase == "cut":
        check_size(state.stock, len(deck(state.seats, state.options)))
        return
    trump = _trump(state.flipped)
    require(state.trump == trump, "facts.trump", f"must be {trump!r}: facts.flipped says so")
    if state.phase == "play":
        _check_play(state)
    check_whole_tricks(state, state.won)


def _check_play(state: State) -> None:
    left = len(state.stock) + len(state.turned)
    whole = left % state.seats == 0
    require(whole, "zones.stock", f"must hold, with the turned card, a multiple of {state.seats} cards")
    size = HAND if left else max(map(len, state.hand))
    require(1 <= size <= HAND, "zones", f"before a trick everybody holds 1 to {HAND} cards")
    check_trick(state, state.trick, state.hand, state.leader, size)
    flipped = state.flipped
    allowed = [[flipped]] if left and flipped is not None and flipped[0] not in "A7" else [[]]
    if allowed != [[]] and _trick_number(state) >= EXCHANGE_TRICK:
        allowed.append([TWO[state.trump]])
    fits = state.turned in allowed
    require(fits, "zones.turned", "must be the flipped card, later perhaps the two of trump")
