"""Bisca: a point-trick game for 2 to 4 seats, with hands of three cards refilled from a stock.

Players need not follow suit.

Hidden: each hand from the others, the stock from everyone. Rules: `referee/games/rules/bisca.md`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from referee import authoring as ref
from referee.authoring import EVERYONE, NOBODY, OWNER, Chance, Move, Position, Zone, fact, move, require, zone
from referee.cards import SUITS, spoken
from referee.cards import deck as french
from referee.tricks import led

ID, VERSION, NAME, SEATS = "bisca", 1, "Bisca", (2, 3, 4)
TILE = {"minutes": 15, "level": 2, "cards": ("AD", "7S", "KC")}
ROLES = {"dealer": "seat", "leader": "seat", "trump": "suit"}
SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
PARTNER_SUIT = {"C": "S", "S": "C", "D": "H", "H": "D"}
WORDS = {
    "trump": "Trump: {}",
    "flipped": {
        "": "The cut showed {}",
        **{
            rank + suit: f"The cut showed {rank}{SIGNS[suit]}, so {SIGNS[other]} is trump"
            for rank in "A7"
            for suit, other in PARTNER_SUIT.items()
        },
    },
}
REASONS = {"target": "the target is reached"}

RANKS = "23456QJK7A"  # low to high
DECK = french(RANKS)
DECK_OF_THREE = tuple(card for card in DECK if card != "2C")
POINTS = {card: {"A": 11, "7": 10, "K": 4, "J": 3, "Q": 2}.get(card[0], 0) for card in DECK}
CATALOGUE = {card: {"points": points} for card, points in POINTS.items()}
HAND, EXCHANGE_TRICK, TAPPED = 3, 3, "H"
DOUBLE = 90  # more card points than this are worth two game points
DEALT = ("play", "over")  # the phases after the cut
ACE, SEVEN, TWO = ({suit: rank + suit for suit in SUITS} for rank in "A72")
GUARDED = {suit: frozenset((ACE[suit], SEVEN[suit])) for suit in SUITS}
POWER = {
    trump: {suit: led(DECK, french(RANKS, suit), french(RANKS, trump)).power for suit in SUITS}
    for trump in SUITS
}
LIFTED = ref.Field(
    ref.INTEGER,
    "how many cards are lifted; the lowest of them is flipped",
    role="position",
    within=range(1, 40),
)
PLAYED = ref.Field(ref.CARD, "a card of one's hand, played face up to the trick", zones="hand")


@ref.state
class State(Position):
    stock: Zone = zone(NOBODY, phases=("cut", "play"))
    turned: Zone = zone(EVERYONE, phases=("play",), called="turned card")
    trick: Zone = zone(EVERYONE, phases=("play",))
    hand: list[Zone] = zone(OWNER, sort=ref.AS_TEXT, per_seat=True, phases=("play",))
    won: list[Zone] = zone(EVERYONE, sort=ref.AS_TEXT, per_seat=True, phases=DEALT, called="won cards")
    dealer: int = fact(ref.seat_number, "who deals this hand")
    leader: int = fact(ref.seat_number, "who leads the current trick; null in cut", phases=DEALT)
    trump: str = fact(ref.OneOf(tuple(SUITS)), "trump suit; null in cut", phases=DEALT)
    flipped: str | None = fact(
        lambda n: ref.Maybe(ref.OneOf(tuple(deck(n, {})))),
        "what the cut showed; null after a tap",
        phases=DEALT,
    )


def options(seats: int) -> ref.Options:
    partners = ref.BOOLEAN if seats == 4 else ref.OneOf((False,))
    return {
        "target": ref.Option(ref.Int(1, 100), 4, "game points that end the game"),
        "partners": ref.Option(
            partners, False, "seats 0 and 2 play together against 1 and 3; four seats only"
        ),
    }


def deck(seats: int, options: Mapping[str, Any]) -> Sequence[str]:
    return DECK_OF_THREE if seats == 3 else DECK


def deal(state: State, chance: Chance) -> None:
    _begin_hand(state, chance.pick(state.seats), chance)


def _begin_hand(state: State, dealer: int, chance: Chance) -> None:
    ref.gather(state)
    ref.put(state, state.stock, chance.shuffle(deck(state.seats, state.options)))
    state.dealer = dealer
    ref.enter(state, "cut")


def due(state: State) -> list[int]:
    if state.phase == "cut":
        return [(state.dealer - 1) % state.seats]
    return [(state.leader + len(state.trick)) % state.seats]


def team(state: State, seat: int) -> list[int]:
    return ref.across(state, seat) if state.options["partners"] else [seat]


# --- the cut ------------------------------------------------------------------------------------------
def _cut(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Set trumps by the lowest lifted card, and put it under the stock or back into it: cut, cut_special."""
    stock = state.stock
    move(state, stock, stock, slice(play["at"] - 1))
    flipped = stock[0]
    move(state, stock, state.turned, 0)
    if flipped[0] in "A7":
        move(state, state.turned, stock, flipped, to=chance.pick(len(stock) + 1))
    _deal_hands(state, flipped)


def _tap(state: State, seat: int, play: Move, chance: Chance) -> None:
    _deal_hands(state, None)


def _trump(flipped: str | None) -> str:
    if flipped is None:
        return TAPPED
    return PARTNER_SUIT[flipped[1]] if flipped[0] in "A7" else flipped[1]


def _deal_hands(state: State, flipped: str | None) -> None:
    """Deal three cards to each seat, one at a time, from the left of the dealer, who leads: deal, lead."""
    seats = state.seats
    state.flipped, state.trump = flipped, _trump(flipped)
    state.leader = (state.dealer + 1) % seats
    ref.deal_round(state, state.hand, state.leader, state.stock[: HAND * seats], state.stock)
    ref.enter(state, "play")


# --- a card to the trick ------------------------------------------------------------------------------
def _ace_waits(state: State, seat: int, play: Move) -> bool:
    """Return whether this is the ace of trump, of a hand of several, while its seven has not been played."""
    trump = state.trump
    if play["card"] != ACE[trump] or len(state.hand[seat]) == 1:
        return False
    return SEVEN[trump] not in state.trick and not any(SEVEN[trump] in pile for pile in state.won)


def _seven_last(state: State, seat: int, play: Move) -> bool:
    """Return whether this is the seven of trump, to be the last of a trick while the hand has others."""
    if play["card"] != SEVEN[state.trump] or len(state.trick) < state.seats - 1 or state.seats == 2:
        return False
    return not GUARDED[state.trump].issuperset(state.hand[seat])


def _held_back(state: State, seat: int, play: Move) -> bool:
    return _ace_waits(state, seat, play) or _seven_last(state, seat, play)


def _play(state: State, seat: int, play: Move, chance: Chance) -> None:
    move(state, state.hand[seat], state.trick, play["card"])
    if len(state.trick) == state.seats:
        _end_trick(state, chance)


def _end_trick(state: State, chance: Chance) -> None:
    seats, trick, trump, leader = state.seats, state.trick, state.trump, state.leader
    best = max(trick, key=POWER[trump][trick[0][1]])
    winner = state.won_by = (leader + trick.index(best)) % seats
    if ACE[trump] in trick and SEVEN[trump] in trick:
        ref.score(state, team(state, (leader + trick.index(ACE[trump])) % seats), 1)
    move(state, trick, state.won[winner])
    state.leader = winner
    if state.stock:
        for seat in ref.clockwise(state, winner):  # the turned card is the last one: rule draw
            move(state, state.stock or state.turned, state.hand[seat], 0)
    elif not any(state.hand):
        _end_hand(state, chance)


def _end_hand(state: State, chance: Chance) -> None:
    """Score the hand, then end the game or begin the next hand: rules score, end, next_hand."""
    sides = [team(state, seat) for seat in range(2 if state.options["partners"] else state.seats)]
    counts = [sum([POINTS[card] for seat in side for card in state.won[seat]]) for side in sides]
    most = max(counts)
    if counts.count(most) == 1:
        ref.score(state, sides[counts.index(most)], 2 if most > DOUBLE else 1)
    if not ref.finish(state, ending(state)):
        _begin_hand(state, (state.dealer + 1) % state.seats, chance)


# --- the exchange -------------------------------------------------------------------------------------
def _trick_number(state: State) -> int:
    return 1 + sum(map(len, state.won)) // state.seats


def _lacks_two(state: State, seat: int) -> bool:
    return TWO[state.trump] not in state.hand[seat]


def _exchange(state: State, seat: int, play: Move, chance: Chance) -> None:
    move(state, state.turned, state.hand[seat])
    move(state, state.hand[seat], state.turned, TWO[state.trump])


CUT = ref.move_type("cut", "cut", _cut, fields={"at": LIFTED}, rules=[
    ref.only("bisca.cut_depth", "at", lambda s, seat: range(1, len(s.stock)),
             lambda s, seat: f"a cut lifts 1 to {len(s.stock) - 1} of the {len(s.stock)} cards"),
])  # fmt: skip
TAP = ref.move_type("tap", "cut", _tap)
PLAY = ref.move_type("play", "play", _play, fields={"card": PLAYED}, rules=[
    ref.rule("bisca.ace_waits", _ace_waits, lambda s, seat, m: (
        f"the {spoken(m['card'])} waits until the {spoken(SEVEN[s.trump])} has been played")),
    ref.rule("bisca.seven_last", _seven_last, lambda s, seat, m: (
        f"the {spoken(m['card'])} may not be the last card of a trick while you hold another card")),
])  # fmt: skip
EXCHANGE = ref.move_type("exchange", "play", _exchange, [
    ref.rule("bisca.exchange_time", lambda s, seat: _trick_number(s) != EXCHANGE_TRICK, lambda s, seat: (
        f"the two of trump is exchanged in trick {EXCHANGE_TRICK} only,"
        f" and this is trick {_trick_number(s)}")),
    ref.rule("bisca.exchange_turned", lambda s, seat: not s.turned,
             "no card is turned up, so there is none to exchange for"),
    ref.rule("bisca.exchange_two", _lacks_two, lambda s, seat: f"you do not hold the {spoken(TWO[s.trump])}"),
])  # fmt: skip


def _in_play(state: State, seat: int) -> ref.Moves:
    """List cards and the exchange; few cards are guarded, and few hands have the two."""
    guarded, plays = GUARDED[state.trump], PLAY.moves
    moves = [plays[c] for c in state.hand[seat] if c not in guarded or not _held_back(state, seat, plays[c])]
    return moves if _lacks_two(state, seat) or EXCHANGE.broken(state, seat, {}) else [*moves, EXCHANGE.move]


BLOCKS = (CUT, TAP, PLAY, EXCHANGE)
ref.complete(globals(), {"play": _in_play})


def ending(state: State) -> ref.Result:
    """Return the result that the scores give once a hand is over, or None: rule end."""
    if state.phase == "cut" or any(state.hand):
        return None
    ahead = ref.leaders(state)
    over = max(state.scores) >= state.options["target"] and ahead == team(state, ahead[0])
    return ref.outcome(state, ahead, "target") if over else None


def check(state: State) -> None:
    ref.check_team_scores(state)
    if state.phase == "cut":
        ref.check_size(state.stock, len(deck(state.seats, state.options)))
        return
    trump = _trump(state.flipped)
    require(state.trump == trump, "facts.trump", f"must be {trump!r}: facts.flipped says so")
    if state.phase == "play":
        _check_play(state)
    ref.check_whole_tricks(state, state.won)


def _check_play(state: State) -> None:
    left = len(state.stock) + len(state.turned)
    whole = left % state.seats == 0
    require(whole, "zones.stock", f"must hold, with the turned card, a multiple of {state.seats} cards")
    size = HAND if left else max(map(len, state.hand))
    require(1 <= size <= HAND, "zones", f"before a trick everybody holds 1 to {HAND} cards")
    ref.check_trick(state, state.trick, state.hand, state.leader, size)
    flipped = state.flipped
    allowed = [[flipped]] if left and flipped is not None and flipped[0] not in "A7" else [[]]
    if allowed != [[]] and _trick_number(state) >= EXCHANGE_TRICK:
        allowed.append([TWO[state.trump]])
    fits = state.turned in allowed
    require(fits, "zones.turned", "must be the flipped card, later perhaps the two of trump")
