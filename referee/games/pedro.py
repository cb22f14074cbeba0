"""Pedro (Double Pedro, Cinch): two pairs bid for trumps, discard, refill their hands, and play for 14 points.

Hidden: each hand from the others, the stock from everyone. Rules: `referee/games/rules/pedro.md`.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from referee.authoring import (  # isort: skip
    BOOLEAN, CARD, EVERYONE, INTEGER, NOBODY, OWNER, Chance, Field, Int, ListOf, Maybe, Move, OneOf, Option,
    Position, Refusal, Zone, across, always, check_size, check_team_scores, check_trick, clockwise, enter,
    fact, finish, fixed, gather, move, not_held, outcome, put, require, score, zone,
)  # fmt: skip
from referee.cards import SUITS, by_suit, missing, spoken, spoken_list
from referee.cards import deck as french
from referee.choices import Sets
from referee.tricks import Led, led

ID, VERSION, NAME, SEATS = "pedro", 1, "Pedro", (4,)
PHASES = {
    "cut": ("cut",), "bid": ("bid", "pass"), "declare": ("declare",), "discard": ("discard",),
    "play": ("play",), "over": (),
}  # fmt: skip
DECLARED, TRUMPS_KNOWN, PLAYED = tuple(PHASES)[2:], tuple(PHASES)[3:], tuple(PHASES)[4:]
SEAT, SUIT = Int(0, 3), OneOf(tuple(SUITS))
_hand_order = by_suit().__getitem__
LIFTED: Any = {"role": "position", "within": range(1, 52)}

MOVES = {
    "cut": {"at": Field(INTEGER, "how many cards are lifted off the top and put below", **LIFTED)},
    "bid": {"points": Field(INTEGER, "the points that the pair undertakes to win", within=range(1, 15))},
    "pass": {},
    "declare": {"suit": Field(SUIT, "the suit that becomes trumps", role="suit")},
    "discard": {
        "cards": Field(ListOf(CARD), "cards of one's hand, thrown away", sort=_hand_order, zones="hand")
    },
    "play": {"card": Field(CARD, "a card of one's hand, played face up to the trick", zones="hand")},
}
ROLES = {"dealer": "seat", "declarer": "seat", "leader": "seat", "trump": "suit"}
WORDS = {"bids": {"": "Bids: {}", "0": "pass"}, "trump": "Trump: {}"}
OUT_OF_TURN, COMPLETE = (), True
PASSIVE, REASONS = {"bid": "pass"}, {"target": "the target is reached"}

DECK = french()
DEALT, KEPT = 9, 6  # cards in each hand when dealt, and after the refill, which is also the number of tricks
THREE = slice(3)  # cards dealt to a seat at a time
LEAST, STOCK = DEALT - KEPT, len(DECK) - 4 * DEALT  # discarded at least; cards left after the deal
MOST, PASSED = 14, 0  # points in the pack; a pass in `bids`

PLAYS = {card: fixed({"type": "play", "card": card}) for card in DECK}
CUTS = [fixed({"type": "cut", "at": at}) for at in range(1, len(DECK))]
PASS = fixed({"type": "pass"})
BIDS = [fixed({"type": "bid", "points": points}) for points in range(1, MOST + 1)]
DECLARATIONS = [fixed({"type": "declare", "suit": suit}) for suit in SUITS]

# What each trump suit means for the cards: rules left_pedro, rank and values. Trumps, lowest first.
LEFT = {"C": "5S", "S": "5C", "D": "5H", "H": "5D"}
TRUMPS = {t: (*french("234", t), LEFT[t], *french("56789TJQKA", t)) for t in SUITS}
LEADS = {t: {s: led(DECK, TRUMPS[t] if s == t else french(suits=s), TRUMPS[t]) for s in SUITS} for t in SUITS}
LED = {t: {card: LEADS[t][t if card == LEFT[t] else card[1]] for card in DECK} for t in SUITS}
VALUES = {"A": 1, "J": 1, "T": 1, "2": 1, "5": 5}
SCORING = {t: frozenset(card for card in TRUMPS[t] if card[0] in VALUES) for t in SUITS}


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    stock: Zone = zone(NOBODY, phases=("cut", "bid", "declare", "discard"))
    hand: list[Zone] = zone(OWNER, sort=_hand_order, per_seat=True)
    discards: list[Zone] = zone(EVERYONE, sort=_hand_order, per_seat=True, called="discarded cards")
    aside: Zone = zone(EVERYONE, sort=_hand_order, phases=PLAYED, called="cards set aside")
    trick: Zone = zone(EVERYONE, phases=PLAYED)
    points: list[Zone] = zone(EVERYONE, sort=_hand_order, per_seat=True, phases=PLAYED, called="won trumps")
    tricks: list[Zone] = zone(EVERYONE, sort=_hand_order, per_seat=True, phases=PLAYED, called="won tricks")
    dealer: int = fact(SEAT, "dealer of this hand")
    bids: list[int | None] = fact(ListOf(Maybe(Int(0, MOST)), 4, 4), "by seat; null: not spoken, 0: passed")
    declarer: int = fact(SEAT, "the highest bidder, once all have spoken", phases=DECLARED)
    trump: str = fact(SUIT, "trumps, once declared", phases=TRUMPS_KNOWN)
    leader: int = fact(SEAT, "who leads the current trick; null before play", phases=PLAYED)


def options(seats: int) -> dict[str, Option]:
    return {
        "target": Option(Int(1, 1000), 50, "points that end the game"),
        "defenders_score": Option(BOOLEAN, False, "a made bid leaves the other pair the points it took"),
    }


deck = always(DECK)


def deal(state: State, chance: Chance) -> None:
    """Pick the first dealer and shuffle for the first hand."""
    _begin_hand(state, chance.pick(4), chance)


def _begin_hand(state: State, dealer: int, chance: Chance) -> None:
    gather(state)
    put(state, state.stock, chance.shuffle(DECK))
    state.dealer, state.bids = dealer, [None] * 4
    enter(state, "cut")


def due(state: State) -> list[int]:
    """Return the seat that cuts, bids, declares or discards, or whose turn it is in the trick."""
    if state.phase == "play":
        return [(state.leader + len(state.trick)) % 4]
    if state.phase == "declare":
        return [state.declarer]
    if state.phase == "cut":
        return [(state.dealer - 1) % 4]
    done = 4 - state.bids.count(None) if state.phase == "bid" else sum(map(bool, state.discards))
    return [(state.dealer + 1 + done) % 4]


def refuse(state: State, seat: int, play: Move) -> Refusal | None:
    """Check the range of cuts and bids, the limits of discards, and that a suit is followed or trumped."""
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
    playable = _playable(state, hand)
    if playable is None or card in playable:
        return None
    held = spoken_list(card for card in hand if card in _led(state).follows)
    reason = f"the {spoken(state.trick[0])} was led and you hold the {held}: follow it or play a trump"
    return Refusal("pedro.follow", reason)


def _playable(state: State, hand: Zone) -> Set[str] | None:
    """Return a set that contains the cards of the hand that may be played, None for all: rule follow."""
    if state.trick:
        asked = _led(state)
        if not asked.follows.isdisjoint(hand):
            return asked.follows_or_trumps
    return None


def _led(state: State) -> Led:
    return LED[state.trump][state.trick[0]]


def _refuse_discard(state: State, seat: int, cards: Sequence[str]) -> Refusal | None:
    absent = missing(cards, state.hand[seat])
    if absent is not None:
        return not_held(absent, "your hand twice") if absent in state.hand[seat] else not_held(absent)
    scoring = SCORING[state.trump]
    if not scoring.isdisjoint(cards):
        held = spoken_list(card for card in cards if card in scoring)
        reason = f"trumps that score are not thrown away: the {held}"
        return Refusal("pedro.discard_scoring", reason)
    if len(cards) < LEAST:
        return Refusal("pedro.discard_three", f"at least {LEAST} cards are thrown away, not {len(cards)}")
    if len(cards) > _limit(state):
        reason = f"what the stock has left to replace them allows {_limit(state)} cards at most"
        return Refusal("pedro.stock_limit", reason)
    return None


def _limit(state: State) -> int:
    """Return how many cards may be discarded now, given what earlier seats will draw: rule stock_limit."""
    return LEAST + STOCK - sum([len(pile) - LEAST for pile in state.discards if pile])


def listed(state: State, seat: int) -> Sequence[dict[str, Any]]:
    if state.phase == "play":
        hand = state.hand[seat]
        playable = _playable(state, hand)
        return [PLAYS[card] for card in hand if playable is None or card in playable]
    if state.phase == "bid":
        return [PASS, *BIDS[_highest(state) :]]
    if state.phase == "discard":
        scoring = SCORING[state.trump]
        free = [card for card in state.hand[seat] if card not in scoring]
        return Sets("discard", free, range(LEAST, _limit(state) + 1))
    return CUTS[:] if state.phase == "cut" else DECLARATIONS[:]


team = across


def apply(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Make the move and what follows from it: the deal, the refill, the end of a trick or of a hand."""
    kind = play["type"]
    if kind == "play":
        move(state, state.hand[seat], state.trick, play["card"])
        if len(state.trick) == 4:
            _end_trick(state, chance)
    elif kind == "discard":
        # Sorted, so that the order in which the cards were named cannot carry a message.
        move(state, state.hand[seat], state.discards[seat], sorted(play["cards"], key=_hand_order))
        if seat == state.dealer:
            _fill_up(state)
    elif kind == "cut":
        move(state, state.stock, state.stock, slice(play["at"]))
        for seat in 3 * clockwise(state, state.dealer + 1):
            move(state, state.stock, state.hand[seat], THREE)
        enter(state, "bid")
    elif kind == "declare":
        state.trump = play["suit"]
        enter(state, "discard")
    else:
        _speak(state, seat, play["points"] if kind == "bid" else PASSED, chance)


def _speak(state: State, seat: int, bid: int, chance: Chance) -> None:
    """Record a bid or a pass; after the dealer, there is a declarer or a new deal: all_pass, declarer."""
    state.bids = [bid if s == seat else spoken for s, spoken in enumerate(state.bids)]
    if seat == state.dealer and _highest(state) == PASSED:
        _begin_hand(state, (state.dealer + 1) % 4, chance)
    elif seat == state.dealer:
        state.declarer = state.bids.index(_highest(state))
        enter(state, "declare")


def _fill_up(state: State) -> None:
    """Refill each hand to six cards and turn up the rest of the stock: rules refill and aside."""
    for seat in clockwise(state, state.dealer + 1):
        move(state, state.stock, state.hand[seat], slice(max(0, KEPT - len(state.hand[seat]))))
    move(state, state.stock, state.aside)
    state.leader = state.declarer
    enter(state, "play")


def _end_trick(state: State, chance: Chance) -> None:
    """Set the scoring trumps apart, and let the winner lead: rules trick and set_apart."""
    trick = state.trick
    winner = (state.leader + trick.index(max(trick, key=_led(state).power))) % 4
    scoring = SCORING[state.trump]
    if not scoring.isdisjoint(trick):
        move(state, trick, state.points[winner], [card for card in trick if card in scoring])
    move(state, trick, state.tricks[winner])
    state.leader = state.won_by = winner
    if not state.hand[winner]:
        _end_hand(state, chance)


def _end_hand(state: State, chance: Chance) -> None:
    """Score the bid, then end the game or begin the next hand: rules made, set, game_end, next_dealer."""
    taken = [state.points[pair] + state.points[pair + 2] for pair in (0, 1)]
    # In a handwritten position, other cards may be set apart too.
    took = [sum(VALUES[card[0]] for card in cards if card in SCORING[state.trump]) for cards in taken]
    ours, theirs, bid = state.declarer % 2, 1 - state.declarer % 2, _highest(state)
    if took[ours] < bid:
        gained = {ours: 0, theirs: bid}
    else:
        gained = {ours: took[ours], theirs: took[theirs] if state.options["defenders_score"] else 0}
    for pair, points in gained.items():
        score(state, across(state, pair), points)
    finish(state, ending(state))
    if state.result is None:
        _begin_hand(state, (state.dealer + 1) % 4, chance)


def ending(state: State) -> dict[str, Any] | None:
    """Return the result once a hand is over, or None; the declarer's pair comes first: rule game_end."""
    if state.phase not in PLAYED or any(state.hand):
        return None
    for pair in (state.declarer % 2, 1 - state.declarer % 2):
        if state.scores[pair] >= state.options["target"]:
            return outcome(state, across(state, pair), "target")
    return None


def check(state: State) -> None:
    check_team_scores(state)
    _check_turns(state, "facts.bids", "bid", [bid is not None for bid in state.bids])
    if state.phase in DECLARED:
        highest = _highest(state) != PASSED and state.bids[state.declarer] == _highest(state)
        require(highest, "facts.declarer", "must be the highest bidder")
    if state.phase in PLAYED:
        taken = sum(map(len, state.points + state.tricks))
        left = KEPT - taken // 4
        whole = taken % 4 == 0 and left >= 0 and (left > 0) == (state.phase == "play")
        require(whole, "zones", f"points and tricks must hold whole tricks, {KEPT} when the game is over")
        if state.phase == "play":
            check_trick(state, state.trick, state.hand, state.leader, left)
            return
        for place in (*state.hand, state.trick):
            check_size(place, 0)
        return
    _check_turns(state, "zones", "discard", [bool(pile) for pile in state.discards])
    fit = all(LEAST <= len(pile) <= DEALT for pile in state.discards if pile) and _limit(state) >= LEAST
    require(fit, "zones", f"each seat throws {LEAST} to {DEALT} cards away, as the stock can replace")
    check_size(state.stock, len(DECK) if state.phase == "cut" else STOCK)
    for hand, pile in zip(state.hand, state.discards, strict=True):
        check_size(hand, 0 if state.phase == "cut" else DEALT - len(pile))


def _check_turns(state: State, place: str, phase: str, done: list[bool]) -> None:
    """Check that seats had their turns in order, the dealer last: none before the phase, all after it."""
    steps = list(PHASES)
    order = [done[seat] for seat in clockwise(state, state.dealer + 1)]
    count, now = sum(order), steps.index(state.phase) - steps.index(phase)
    fits = all(order[:count]) and (count == 4) == (now > 0) and (count == 0 or now >= 0)
    require(fits, place, f"each seat has its turn in phase {phase}, the dealer last")
