"""Pedro (Double Pedro, Cinch): two pairs bid for trumps, throw away, fill up and play for 14 points.

Hidden: each hand from the others, the stock from everyone. Rules: `referee/rules/pedro.md`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any

from referee.cards import SUITS, by_suit, spoken, spoken_list
from referee.cards import deck as french
from referee.chance import Chance
from referee.position import (
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
    zone,
)
from referee.shapes import BOOLEAN, CARD, INTEGER, Field, Int, ListOf, Maybe, OneOf, Option
from referee.tricks import Led, check_size, check_to_act, check_trick, led
from referee.verdicts import Malformed, Refusal, not_held

ID = "pedro"
VERSION = 1
NAME = "Pedro"
SEATS = (4,)
PHASES = {
    "cut": ("cut",), "bid": ("bid", "pass"), "declare": ("declare",), "discard": ("discard",),
    "play": ("play",), "over": (),
}  # fmt: skip
STEP = {phase: i for i, phase in enumerate(PHASES)}
SEAT, SUIT = Int(0, 3), OneOf(tuple(SUITS))
_hand_order = by_suit().__getitem__

MOVES = {
    "cut": {"at": Field(INTEGER, "how many cards are lifted off the top and put below", role="position")},
    "bid": {"points": Field(INTEGER, "the points that the pair undertakes to win")},
    "pass": {},
    "declare": {"suit": Field(SUIT, "the suit that becomes trumps", role="suit")},
    "discard": {
        "cards": Field(ListOf(CARD), "cards of one's hand, thrown away", sort=_hand_order, zones="hand")
    },
    "play": {"card": Field(CARD, "a card of one's hand, played face up to the trick", zones="hand")},
}
ROLES = {"dealer": "seat", "declarer": "seat", "leader": "seat", "trump": "suit"}
COMPLETE = True

DECK = french()
DEALT = 9
KEPT = 6  # cards in each hand after filling up, and so the tricks of a hand
LEAST = DEALT - KEPT  # cards that everybody throws away at least
STOCK = len(DECK) - 4 * DEALT
MOST = 14  # points in the pack
PASSED = 0  # in `bids`

PLAYS = {card: {"type": "play", "card": card} for card in DECK}
CUTS = [{"type": "cut", "at": at} for at in range(1, len(DECK))]
PASS = {"type": "pass"}
BIDS = [{"type": "bid", "points": points} for points in range(1, MOST + 1)]
DECLARATIONS = [{"type": "declare", "suit": suit} for suit in SUITS]

# What a trump suit makes of the cards: rules left_pedro, rank and values. Trumps lowest first.
LEFT = {"C": "5S", "S": "5C", "D": "5H", "H": "5D"}
TRUMPS = {t: (*french("234", t), LEFT[t], *french("56789TJQKA", t)) for t in SUITS}
LEADS = {t: {s: led(DECK, TRUMPS[t] if s == t else french(suits=s), TRUMPS[t]) for s in SUITS} for t in SUITS}
VALUES = {"A": 1, "J": 1, "T": 1, "2": 1, "5": 5}
SCORING = {t: frozenset(card for card in TRUMPS[t] if card[0] in VALUES) for t in SUITS}


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    """A hand from the cut to its last trick."""

    stock: Zone = zone(NOBODY)
    hand: list[Zone] = zone(OWNER, sort=_hand_order, per_seat=True)
    discards: list[Zone] = zone(EVERYONE, sort=_hand_order, per_seat=True)
    aside: Zone = zone(EVERYONE, sort=_hand_order)
    trick: Zone = zone(EVERYONE)
    points: list[Zone] = zone(EVERYONE, sort=_hand_order, per_seat=True)
    tricks: list[Zone] = zone(EVERYONE, sort=_hand_order, per_seat=True)
    dealer: int = fact(SEAT, "dealer of this hand")
    bids: list[int | None] = fact(ListOf(Maybe(Int(0, MOST)), 4, 4), "by seat; null: not spoken, 0: passed")
    declarer: int | None = fact(Maybe(SEAT), "the highest bidder, once all have spoken")
    trump: str | None = fact(Maybe(SUIT), "trumps, once declared")
    leader: int | None = fact(Maybe(SEAT), "who leads the current trick; null before play")


def options(seats: int) -> dict[str, Option]:
    """Offer the target and points for the pair that did not bid."""
    return {
        "target": Option(Int(1, 1000), 50, "points that end the game"),
        "defenders_score": Option(BOOLEAN, False, "a made bid leaves the other pair the points it took"),
    }


def deck(seats: int, options: dict[str, Any]) -> Sequence[str]:
    """List the 52 cards."""
    return DECK


# --- deal -------------------------------------------------------------------------------------------


def deal(state: State, chance: Chance) -> None:
    """Pick the first dealer and shuffle for the first hand."""
    _begin_hand(state, chance.pick(4), chance)


def _begin_hand(state: State, dealer: int, chance: Chance) -> None:
    gather(state)
    put(state, state.stock, chance.shuffle(DECK))
    state.phase = "cut"
    state.dealer = dealer
    state.bids = [None] * 4
    state.declarer = state.trump = state.leader = None
    state.to_act = [(dealer - 1) % 4]


def _cut_and_deal(state: State, at: int) -> None:
    """Put the lifted cards below and deal nine each, three at a time: rules cut and deal."""
    move(state, state.stock, state.stock, state.stock[:at], at=0)
    for i in range(12):
        move(state, state.stock, state.hand[(state.dealer + 1 + i) % 4], state.stock[:3], at=0)
    state.phase = "bid"
    state.to_act = [(state.dealer + 1) % 4]


# --- refusals and legal moves -----------------------------------------------------------------------


def refuse(state: State, seat: int, play: Move) -> Refusal | None:
    """Cuts and bids have a range, discards their limits, and a suit led is followed or trumped."""
    kind = play["type"]
    if kind == "play":
        return _refuse_card(state, seat, play["card"])
    if kind == "discard":
        return _refuse_discard(state, seat, play["cards"])
    if kind == "bid":
        highest = _highest(state)
        if not 1 <= play["points"] <= MOST:
            return Refusal("pedro.bid_range", f"a bid is from 1 to {MOST} points")
        if play["points"] <= highest:
            reason = f"seat {state.bids.index(highest)} has bid {highest} already, and a bid must be higher"
            return Refusal("pedro.bid_higher", reason)
    if kind == "cut" and not 1 <= play["at"] < len(DECK):
        return Refusal("pedro.cut", f"a cut lifts 1 to {len(DECK) - 1} cards")
    return None


def _highest(state: State) -> int:
    return max([bid or PASSED for bid in state.bids])


def _refuse_card(state: State, seat: int, card: str) -> Refusal | None:
    hand = state.hand[seat]
    if card not in hand:
        return not_held(card)
    if card in _playable(state, hand):
        return None
    held = spoken_list(card for card in hand if card in _led(state).follows)
    reason = f"the {spoken(state.trick[0])} was led and you hold the {held}: follow it or play a trump"
    return Refusal("pedro.follow", reason)


def _playable(state: State, hand: Zone) -> Collection[str]:
    """Give the cards among which those that may be played are: rule follow."""
    if state.trick:
        asked = _led(state)
        if not asked.follows.isdisjoint(hand):
            return asked.follows_or_trumps
    return hand


def _led(state: State) -> Led:
    trump, card = state.trump, state.trick[0]
    assert trump is not None
    return LEADS[trump][trump if card == LEFT[trump] else card[1]]


def _refuse_discard(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    assert state.trump is not None
    for i, card in enumerate(cards):
        if card not in state.hand[seat]:
            return not_held(card)
        if card in cards[:i]:
            return not_held(card, "your hand twice")
    scoring = [card for card in cards if card in SCORING[state.trump]]
    if scoring:
        reason = f"trumps that score are not thrown away: the {spoken_list(scoring)}"
        return Refusal("pedro.discard_scoring", reason)
    if len(cards) < LEAST:
        return Refusal("pedro.discard_three", f"at least {LEAST} cards are thrown away, not {len(cards)}")
    if len(cards) > _limit(state):
        reason = f"what the stock has left to replace them allows {_limit(state)} cards at most"
        return Refusal("pedro.stock_limit", reason)
    return None


def _limit(state: State) -> int:
    """Say how many cards may go now, by what earlier discards will draw: rule stock_limit."""
    return LEAST + STOCK - sum([len(pile) - LEAST for pile in state.discards if pile])


def legal(state: State, seat: int) -> list[dict[str, Any]]:
    """List cuts, a pass and the higher bids, suits, sets of cards to throw away, or cards to play."""
    if seat not in state.to_act:
        return []
    if state.phase == "play":
        playable = _playable(state, state.hand[seat])
        return [PLAYS[card] for card in state.hand[seat] if card in playable]
    if state.phase == "bid":
        return [PASS, *BIDS[_highest(state) :]]
    if state.phase == "discard":
        assert state.trump is not None
        free = [card for card in state.hand[seat] if card not in SCORING[state.trump]]
        sets = chain.from_iterable(combinations(free, size) for size in range(LEAST, _limit(state) + 1))
        return [{"type": "discard", "cards": cards} for cards in map(list, sets)]
    return CUTS[:] if state.phase == "cut" else DECLARATIONS[:]


def team(state: State, seat: int) -> list[int]:
    """Give the seats that win and lose with this one, itself included."""
    return [seat % 2, seat % 2 + 2]


# --- apply ------------------------------------------------------------------------------------------


def apply(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Make the move and what follows: deal, declarer, filling up, the end of a trick, of a hand, the next."""
    kind = play["type"]
    if kind == "play":
        move_card(state, state.hand[seat], state.trick, play["card"])
        if len(state.trick) < 4:
            state.to_act = [(seat + 1) % 4]
        else:
            _end_trick(state, chance)
    elif kind == "discard":
        # Sorted, so that the order in which they were named carries no message.
        move(state, state.hand[seat], state.discards[seat], sorted(play["cards"], key=_hand_order))
        state.to_act = [(seat + 1) % 4]
        if seat == state.dealer:
            _fill_up(state)
    elif kind == "cut":
        _cut_and_deal(state, play["at"])
    elif kind == "declare":
        state.trump = play["suit"]
        state.phase = "discard"
        state.to_act = [(state.dealer + 1) % 4]
    else:
        _speak(state, seat, play["points"] if kind == "bid" else PASSED, chance)


def _speak(state: State, seat: int, bid: int, chance: Chance) -> None:
    """Note a bid or a pass; after the dealer's there is a declarer or a new deal: all_pass, declarer."""
    state.bids = [bid if s == seat else spoken for s, spoken in enumerate(state.bids)]
    if seat != state.dealer:
        state.to_act = [(seat + 1) % 4]
    elif _highest(state) == PASSED:
        _begin_hand(state, (state.dealer + 1) % 4, chance)
    else:
        state.declarer = state.bids.index(_highest(state))
        state.phase = "declare"
        state.to_act = [state.declarer]


def _fill_up(state: State) -> None:
    """Fill each hand to six and turn the rest of the stock up: rules refill and aside."""
    for i in range(1, 5):
        hand = state.hand[(state.dealer + i) % 4]
        if len(hand) < KEPT:
            move(state, state.stock, hand, state.stock[: KEPT - len(hand)], at=0)
    if state.stock:
        move(state, state.stock, state.aside, state.stock[:], at=0)
    assert state.declarer is not None
    state.phase = "play"
    state.leader = state.declarer
    state.to_act = [state.declarer]


def _end_trick(state: State, chance: Chance) -> None:
    """Set the scoring trumps apart and let the winner lead: rules trick and set_apart."""
    trick, trump, leader = state.trick, state.trump, state.leader
    assert trump is not None
    assert leader is not None
    winner = (leader + trick.index(max(trick, key=_led(state).power))) % 4
    scoring = [card for card in trick if card in SCORING[trump]]
    if scoring:
        move(state, trick, state.points[winner], scoring)
    if trick:
        move(state, trick, state.tricks[winner], trick[:], at=0)
    state.leader = state.won_by = winner
    state.to_act = [winner]
    if not state.hand[winner]:
        _end_hand(state, chance)


# --- end and scores ---------------------------------------------------------------------------------


def _end_hand(state: State, chance: Chance) -> None:
    """Score the bid, then end the game or begin the next hand: rules made, set, game_end, next_dealer."""
    declarer = state.declarer
    assert declarer is not None
    took = [_worth(state, state.points[pair] + state.points[pair + 2]) for pair in (0, 1)]
    ours, theirs, bid = declarer % 2, 1 - declarer % 2, _highest(state)
    if took[ours] < bid:
        gained = {ours: 0, theirs: bid}
    else:
        gained = {ours: took[ours], theirs: took[theirs] if state.options["defenders_score"] else 0}
    state.scores = [score + gained[seat % 2] for seat, score in enumerate(state.scores)]
    state.result = _result(state, declarer)
    if state.result is None:
        _begin_hand(state, (state.dealer + 1) % 4, chance)
    else:
        state.phase = "over"
        state.to_act = []


def _worth(state: State, cards: Sequence[str]) -> int:
    """Add up the values of the scoring trumps: a written position may set other cards apart too."""
    assert state.trump is not None
    return sum(VALUES[card[0]] for card in cards if card in SCORING[state.trump])


def _result(state: State, declarer: int) -> dict[str, Any] | None:
    """Give the result that the scores amount to; the declarer's pair comes first: rule game_end."""
    for pair in (declarer % 2, 1 - declarer % 2):
        if state.scores[pair] >= state.options["target"]:
            return {"winners": [pair, pair + 2], "losers": [1 - pair, 3 - pair], "reason": "target"}
    return None


# --- positions written by hand ----------------------------------------------------------------------


def check(state: State) -> None:
    """Refuse a position that no hand goes on from; how it came about is not asked."""
    phase = state.phase
    if state.scores[:2] != state.scores[2:]:
        raise Malformed("scores", "partners carry the same number")
    for name, since in (("declarer", "declare"), ("trump", "discard"), ("leader", "play")):
        if (getattr(state, name) is None) == (STEP[phase] >= STEP[since]):
            raise Malformed(f"facts.{name}", f"must be null before phase {since} and set from then on")
    _check_bids(state)
    spoken = _in_turn(state, "facts.bids", "bid", [bid is not None for bid in state.bids])
    if state.leader is not None:
        _check_tricks(state, state.leader)
        return
    thrown = _in_turn(state, "zones", "discard", [bool(pile) for pile in state.discards])
    if any(pile and not LEAST <= len(pile) <= DEALT for pile in state.discards) or _limit(state) < LEAST:
        raise Malformed("zones", f"each seat throws {LEAST} to {DEALT} cards away, as the stock can replace")
    check_size(state.stock, len(DECK) if phase == "cut" else STOCK)
    for hand, pile in zip(state.hand, state.discards, strict=True):
        check_size(hand, 0 if phase == "cut" else DEALT - len(pile))
    turn = (state.dealer - 1 if phase == "cut" else state.dealer + 1 + spoken + thrown) % 4
    check_to_act(state, [state.declarer if phase == "declare" else turn])


def _in_turn(state: State, place: str, phase: str, done: list[bool]) -> int:
    """Count who has bid or thrown away: nobody before that phase, all after it, the dealer last."""
    order = [done[(state.dealer + i) % 4] for i in range(1, 5)]
    count = sum(order)
    now = STEP[state.phase] - STEP[phase]
    if not all(order[:count]) or (count == 4) != (now > 0) or (count > 0 and now < 0):
        raise Malformed(place, f"each seat has its turn in phase {phase}, the dealer last")
    return count


def _check_bids(state: State) -> None:
    highest = max([bid for bid in state.bids if bid], default=None)
    if state.declarer is not None and (highest is None or state.bids[state.declarer] != highest):
        raise Malformed("facts.declarer", "must be the highest bidder")


def _check_tricks(state: State, leader: int) -> None:
    check_size(state.stock, 0)
    taken = sum(map(len, state.points + state.tricks))
    left = KEPT - taken // 4
    if taken % 4 or left < 0 or (left > 0) != (state.phase == "play"):
        raise Malformed("zones", f"points and tricks must hold whole tricks, {KEPT} when the game is over")
    if state.phase == "play":
        check_trick(state, state.trick, state.hand, leader, left)
        return
    for place in (*state.hand, state.trick):
        check_size(place, 0)
    check_to_act(state, [])
    if state.declarer is None or state.result != _result(state, state.declarer):
        raise Malformed("result", "is not the one that the scores give")
