"""Pedro (Double Pedro, Cinch): two pairs bid for trumps, discard, refill their hands, and play for 14 points.

Hidden: each hand from the others, the stock from everyone. Rules: `referee/games/rules/pedro.md`.
"""

from collections.abc import Sequence, Set
from typing import Any

from referee import authoring as ref
from referee.authoring import EVERYONE, NOBODY, OWNER, Chance, Move, Position, Zone, fact, move, require, zone
from referee.cards import SUITS, by_suit, spoken, spoken_list
from referee.cards import deck as french
from referee.choices import Sets
from referee.tricks import Led, led

ID, VERSION, NAME, SEATS = "pedro", 1, "Pedro", (4,)
PHASE_ORDER = ("cut", "bid", "declare", "discard", "play", "over")
DECLARED, TRUMPS_KNOWN, PLAYED = PHASE_ORDER[2:], PHASE_ORDER[3:], PHASE_ORDER[4:]
SEAT, SUIT = ref.Int(0, 3), ref.OneOf(tuple(SUITS))
_hand_order = by_suit().__getitem__
TILE = {"minutes": 25, "level": 3, "cards": ("5D", "5H", "AD")}
ROLES = {"dealer": "seat", "declarer": "seat", "leader": "seat", "trump": "suit"}
WORDS = {"bids": {"": "Bids: {}", "0": "pass"}, "trump": "Trump: {}"}
PASSIVE, REASONS = {"bid": "pass"}, {"target": "the target is reached"}

DECK = french()
DEALT, KEPT = 9, 6  # cards in each hand when dealt, and after the refill, which is also the number of tricks
THREE = slice(3)  # cards dealt to a seat at a time
LEAST, STOCK = DEALT - KEPT, len(DECK) - 4 * DEALT  # discarded at least; cards left after the deal
MOST, PASSED = 14, 0  # points in the pack; a pass in `bids`

LIFTED = ref.Field(
    ref.INTEGER, "how many cards are lifted off the top and put below", role="position", within=range(1, 52)
)
POINTS = ref.Field(ref.INTEGER, "the points that the pair undertakes to win", within=range(1, 15))
THROWN = ref.Field(ref.ListOf(ref.CARD), "cards of one's hand, thrown away", sort=_hand_order, zones="hand")
CARD = ref.Field(ref.CARD, "a card of one's hand, played face up to the trick", zones="hand")
OPTIONS = {
    "target": ref.Option(ref.Int(1, 1000), 50, "points that end the game"),
    "defenders_score": ref.switch("a made bid leaves the other pair the points it took"),
}

# What each trump suit means for the cards: rules left_pedro, rank and values. Trumps, lowest first.
LEFT = {"C": "5S", "S": "5C", "D": "5H", "H": "5D"}
TRUMPS = {t: (*french("234", t), LEFT[t], *french("56789TJQKA", t)) for t in SUITS}
LEADS = {t: {s: led(DECK, TRUMPS[t] if s == t else french(suits=s), TRUMPS[t]) for s in SUITS} for t in SUITS}
LED = {t: {card: LEADS[t][t if card == LEFT[t] else card[1]] for card in DECK} for t in SUITS}
VALUES = {"A": 1, "J": 1, "T": 1, "2": 1, "5": 5}
SCORING = {t: frozenset(card for card in TRUMPS[t] if card[0] in VALUES) for t in SUITS}


@ref.state
class State(Position):
    stock: Zone = zone(
        NOBODY,
        phases=("cut", "bid", "declare", "discard"),
        size=lambda s: len(DECK) if s.phase == "cut" else STOCK,
    )
    hand: list[Zone] = zone(OWNER, sort=_hand_order, per_seat=True, size=lambda s, seat: _held(s, seat))
    discards: list[Zone] = zone(EVERYONE, sort=_hand_order, per_seat=True, called="discarded cards")
    aside: Zone = zone(EVERYONE, sort=_hand_order, phases=PLAYED, called="cards set aside")
    trick: Zone = zone(EVERYONE, phases=("play",))
    points: list[Zone] = zone(EVERYONE, sort=_hand_order, per_seat=True, phases=PLAYED, called="won trumps")
    tricks: list[Zone] = zone(EVERYONE, sort=_hand_order, per_seat=True, phases=PLAYED, called="won tricks")
    dealer: int = fact(SEAT, "dealer of this hand")
    bids: list[int | None] = fact(
        ref.ListOf(ref.Maybe(ref.Int(0, MOST)), 4, 4), "by seat; null: not spoken, 0: passed"
    )
    declarer: int = fact(SEAT, "the highest bidder, once all have spoken", phases=DECLARED)
    trump: str = fact(SUIT, "trumps, once declared", phases=TRUMPS_KNOWN)
    leader: int = fact(SEAT, "who leads the current trick; null before play", phases=PLAYED)


def deal(state: State, chance: Chance) -> None:
    _begin_hand(state, chance.pick(4), chance)


def _begin_hand(state: State, dealer: int, chance: Chance) -> None:
    ref.gather(state)
    ref.put(state, state.stock, chance.shuffle(DECK))
    state.dealer, state.bids = dealer, [None] * 4
    ref.enter(state, "cut")


def due(state: State) -> list[int]:
    if state.phase == "play":
        return [(state.leader + len(state.trick)) % 4]
    if state.phase == "declare":
        return [state.declarer]
    if state.phase == "cut":
        return [(state.dealer - 1) % 4]
    done = 4 - state.bids.count(None) if state.phase == "bid" else sum(map(bool, state.discards))
    return [(state.dealer + 1 + done) % 4]


team = ref.across


def _highest(state: State) -> int:
    return max([bid or PASSED for bid in state.bids])


def _higher(state: State, seat: int) -> range:
    return range(_highest(state) + 1, MOST + 1)


def _playable(state: State, seat: int) -> Set[str] | None:
    """Return a set that contains the cards of the hand that may be played, None for all: rule follow."""
    if state.trick:
        asked = _led(state)
        if not asked.follows.isdisjoint(state.hand[seat]):
            return asked.follows_or_trumps
    return None


def _follow(state: State, seat: int) -> str:
    held = spoken_list(card for card in state.hand[seat] if card in _led(state).follows)
    return f"the {spoken(state.trick[0])} was led and you hold the {held}: follow it or play a trump"


def _led(state: State) -> Led:
    return LED[state.trump][state.trick[0]]


def _scoring(state: State, seat: int) -> Set[str]:
    return SCORING[state.trump]


def _limit(state: State) -> int:
    """Return how many cards may be discarded now, given what earlier seats will draw: rule stock_limit."""
    return LEAST + STOCK - sum([len(pile) - LEAST for pile in state.discards if pile])


def _too_few(state: State, seat: int, play: Move) -> bool:
    return len(play["cards"]) < LEAST


def _too_many(state: State, seat: int, play: Move) -> bool:
    return len(play["cards"]) > _limit(state)


def _discards(state: State, seat: int) -> Sequence[dict[str, Any]]:
    """List the sets of cards that do not score, of as many cards as may be thrown away."""
    scoring = _scoring(state, seat)
    free = [card for card in state.hand[seat] if card not in scoring]
    least = LEAST if _too_few(state, seat, {"cards": ()}) else 0
    most = _limit(state) if _too_many(state, seat, {"cards": free}) else len(free)
    return Sets("discard", free, range(least, most + 1))


# --- moves --------------------------------------------------------------------------------------------
def _cut(state: State, seat: int, play: Move, chance: Chance) -> None:
    move(state, state.stock, state.stock, slice(play["at"]))
    for receiver in 3 * ref.clockwise(state, state.dealer + 1):
        move(state, state.stock, state.hand[receiver], THREE)
    ref.enter(state, "bid")


def _declare(state: State, seat: int, play: Move, chance: Chance) -> None:
    state.trump = play["suit"]
    ref.enter(state, "discard")


def _discard(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Throw cards away, sorted, so that the order in which they were named cannot carry a message."""
    move(state, state.hand[seat], state.discards[seat], sorted(play["cards"], key=_hand_order))
    if seat == state.dealer:
        _fill_up(state)


def _play(state: State, seat: int, play: Move, chance: Chance) -> None:
    move(state, state.hand[seat], state.trick, play["card"])
    if len(state.trick) == 4:
        _end_trick(state, chance)


def _speak(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Record a bid or a pass; after the dealer, there is a declarer or a new deal: all_pass, declarer."""
    bid = play.get("points", PASSED)
    state.bids = [bid if s == seat else spoken for s, spoken in enumerate(state.bids)]
    if seat == state.dealer and _highest(state) == PASSED:
        _begin_hand(state, (state.dealer + 1) % 4, chance)
    elif seat == state.dealer:
        state.declarer = state.bids.index(_highest(state))
        ref.enter(state, "declare")


def _fill_up(state: State) -> None:
    """Refill each hand to six cards and turn up the rest of the stock: rules refill and aside."""
    for seat in ref.clockwise(state, state.dealer + 1):
        move(state, state.stock, state.hand[seat], slice(max(0, KEPT - len(state.hand[seat]))))
    move(state, state.stock, state.aside)
    state.leader = state.declarer
    ref.enter(state, "play")


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
        ref.score(state, ref.across(state, pair), points)
    if not ref.finish(state, ending(state)):
        _begin_hand(state, (state.dealer + 1) % 4, chance)


CUT = ref.move_type("cut", "cut", _cut, fields={"at": LIFTED}, rules=[
    ref.only("pedro.cut", "at", lambda s, seat: range(1, len(DECK)),
             f"a cut lifts 1 to {len(DECK) - 1} cards"),
])  # fmt: skip
BID = ref.move_type("bid", "bid", _speak, fields={"points": POINTS}, rules=[
    ref.only("pedro.bid_range", "points", lambda s, seat: range(1, MOST + 1),
             f"a bid is from 1 to {MOST} points"),
    ref.only("pedro.bid_higher", "points", _higher, lambda s, seat: (
        f"seat {s.bids.index(_highest(s))} has bid {_highest(s)} already, and a bid must be higher")),
])  # fmt: skip
PASS = ref.move_type("pass", "bid", _speak)
DECLARE = ref.move_type("declare", "declare", _declare, fields={
    "suit": ref.Field(SUIT, "the suit that becomes trumps", role="suit")})  # fmt: skip
DISCARD = ref.move_type("discard", "discard", _discard, fields={"cards": THROWN}, listed=_discards, rules=[
    ref.rule("pedro.discard_scoring", lambda s, seat, m: not _scoring(s, seat).isdisjoint(m["cards"]),
             lambda s, seat, m: "trumps that score are not thrown away: the " + spoken_list(
                 card for card in m["cards"] if card in SCORING[s.trump])),
    ref.rule("pedro.discard_three", _too_few, lambda s, seat, m: (
        f"at least {LEAST} cards are thrown away, not {len(m['cards'])}")),
    ref.rule("pedro.stock_limit", _too_many, lambda s, seat: (
        f"what the stock has left to replace them allows {_limit(s)} cards at most")),
])  # fmt: skip
PLAY = ref.move_type("play", "play", _play, fields={"card": CARD}, rules=[
    ref.only("pedro.follow", "card", _playable, _follow),
])  # fmt: skip


BLOCKS = (CUT, PASS, BID, DECLARE, DISCARD, PLAY)
ref.complete(globals())


def ending(state: State) -> ref.Result:
    """Return the result once a hand is over, or None; the declarer's pair comes first: rule game_end."""
    if state.phase not in PLAYED or any(state.hand):
        return None
    for pair in (state.declarer % 2, 1 - state.declarer % 2):
        if state.scores[pair] >= state.options["target"]:
            return ref.outcome(state, ref.across(state, pair), "target")
    return None


def _held(state: State, seat: int) -> int | None:
    """Return how many cards a seat holds; while tricks are played, that follows from these."""
    if state.phase in ("cut", "over"):
        return 0
    return None if state.phase == "play" else DEALT - len(state.discards[seat])


def check(state: State) -> None:
    ref.check_team_scores(state)
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
            ref.check_trick(state, state.trick, state.hand, state.leader, left)
        return
    _check_turns(state, "zones", "discard", [bool(pile) for pile in state.discards])
    fit = all(LEAST <= len(pile) <= DEALT for pile in state.discards if pile) and _limit(state) >= LEAST
    require(fit, "zones", f"each seat throws {LEAST} to {DEALT} cards away, as the stock can replace")


def _check_turns(state: State, place: str, phase: str, done: list[bool]) -> None:
    """Check that seats had their turns in order, the dealer last: none before the phase, all after it."""
    steps = PHASE_ORDER
    order = [done[seat] for seat in ref.clockwise(state, state.dealer + 1)]
    count, now = sum(order), steps.index(state.phase) - steps.index(phase)
    fits = all(order[:count]) and (count == 4) == (now > 0) and (count == 0 or now >= 0)
    require(fits, place, f"each seat has its turn in phase {phase}, the dealer last")
