"""Pies ("the dog"): beat the top card of the heap and add another card, or pick up the whole heap.

The queen of clubs gives each seat a colour. The last seat with cards in a deal loses a card of its colour,
and with the ace it loses the game. Hidden: each hand from the others. Rules: `referee/games/rules/pies.md`.
"""

from collections.abc import Sequence
from typing import Any

from referee import authoring as ref
from referee.authoring import EVERYONE, OWNER, Chance, Move, Position, Zone, fact, move, require, zone
from referee.cards import SUIT_NAMES, by_suit, spoken, strengths
from referee.cards import deck as french

ID, VERSION, NAME, SEATS = "pies", 1, "Pies", (4,)
TILE = {"minutes": 20, "level": 2, "cards": ("QC", "AH", "TS")}
ROLES = {"tura": "counter", "colours": "suit", "moves": "counter"}
WORDS = {"opening": {"true": "The first card of the game is due"}, "colours": "Colours: {}"}
REASONS = {"ace": "the dog has lost an ace", "move_limit": "the limit of moves is reached"}

LED = ref.Field(ref.CARD, "a card of one's hand, led to the empty table", zones="hand")
BEATEN_WITH = ref.Field(ref.CARD, "a card of one's hand that beats the top card", zones="hand")
ADDED = ref.Field(ref.CARD, "a second card of one's hand, to be beaten by the next seat", zones="hand")

RANKS = "9TJQKA"
DECK = french(RANKS)
STRENGTH = strengths(RANKS)
OPENING, QUEEN = "9D", "QC"
CLOCKWISE = "CSHD"  # whose colour is which, from the seat of the clubs on
HIGHER = {card: {c for c in DECK if c[1] == card[1] and STRENGTH[c] > STRENGTH[card]} for card in DECK}
LAID = {"beat": range(1, len(DECK)), "add": range(2, len(DECK))}  # cards on the table, by phase
_key = by_suit(RANKS).__getitem__
OPTIONS = {
    "blocking": ref.Option(ref.OneOf(("top", "table")), "top", "what blocks: the top card or the whole heap"),
    "recolour": ref.switch("every queen of clubs sets the colours anew"),
    "move_limit": ref.Option(ref.Int(0, 1_000_000), 0, "moves after which the game is drawn; 0: no limit"),
}


@ref.state
class State(Position):
    hand: list[Zone] = zone(OWNER, sort=_key, per_seat=True, size=lambda s, seat: _held(s, seat))
    table: Zone = zone(EVERYONE, phases=("beat", "add", "over"), size=lambda s: LAID.get(s.phase))
    removed: Zone = zone(EVERYONE, sort=_key, called="cards out of the game")
    tura: int = fact(ref.Int(1), "number of the present deal, from 1")
    opening: bool = fact(ref.BOOLEAN, "true until the first card of the game is led")
    colours: list[str] | None = fact(
        ref.Maybe(ref.ListOf(ref.OneOf(tuple(CLOCKWISE)), 4, 4)), "each seat's colour"
    )
    moves: int = fact(ref.COUNT, "moves made in the game so far")


def deal(state: State, chance: Chance) -> None:
    """Deal the first tura; the seat that holds the nine of diamonds will open with it."""
    state.tura, state.opening, state.colours, state.moves = 1, True, None, 0
    state.scores = [len(RANKS)] * state.seats
    _deal_tura(state, chance, DECK)
    _lead_next(state, next(seat for seat in range(state.seats) if OPENING in state.hand[seat]))


def _deal_tura(state: State, chance: Chance, cards: Sequence[str]) -> None:
    ref.deal_round(state, state.hand, chance.pick(state.seats), chance.shuffle(cards))


def _lead_next(state: State, seat: int) -> None:
    state.phase, state.to_act = "lead", [seat]


# --- rules --------------------------------------------------------------------------------------------
def _opening(state: State, seat: int) -> Sequence[str] | None:
    return (OPENING,) if state.opening else None


def _fitting(state: State, seat: int) -> list[str]:
    """Return the cards of the hand that are higher than the top card, or beat any card: queen, own_colour."""
    higher, colour = HIGHER[state.table[-1]], state.colours[seat] if state.colours else ""
    return [card for card in state.hand[seat] if card in higher or card == QUEEN or card[1] == colour]


def _queen_blocked(state: State, seat: int, play: Move) -> bool:
    return play["card"] == QUEEN not in HIGHER[state.table[-1]] and _blocker(state, QUEEN) is not None


def _own_blocked(state: State, seat: int, play: Move) -> bool:
    card, colours = play["card"], state.colours
    if colours is None or card[1] != colours[seat] or card in HIGHER[state.table[-1]]:
        return False
    return _blocker(state, card) is not None


def _blocker(state: State, card: str) -> str | None:
    """Return a card that blocks the queen of clubs or an own colour (a higher one of its suit), or None."""
    heap = state.table if state.options["blocking"] == "table" else state.table[-1:]
    higher = HIGHER[card]
    return None if higher.isdisjoint(heap) else next(below for below in heap if below in higher)


def _must_beat(state: State, seat: int, play: Move, cards: Sequence[str] | None = None) -> bool:
    """Return whether the seat can beat the top card; a list passes on the cards that it has found."""
    return bool(_beating(state, seat) if cards is None else cards)


def _beating(state: State, seat: int) -> list[str]:
    """Return the cards with which a seat beats the top card; one that is higher is never blocked."""
    higher = HIGHER[state.table[-1]]
    return [card for card in _fitting(state, seat) if card in higher or _blocker(state, card) is None]


# --- moves --------------------------------------------------------------------------------------------
def _lay(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Lay the card; then, in this order: colours, the end of the tura, the next seat, the move limit."""
    card, state.opening = play["card"], False
    state.moves += 1
    anew = state.colours is None or state.options["recolour"]
    if card == QUEEN and anew and _blocker(state, card) is None:
        state.colours = [CLOCKWISE[(i - seat) % state.seats] for i in range(state.seats)]
        gone = [removed[1] for removed in state.removed]
        state.scores = [len(RANKS) - gone.count(colour) for colour in state.colours]
    move(state, state.hand[seat], state.table, card)
    holding = [*filter(None, state.hand)]
    if len(holding) == 1:
        _end_tura(state, state.hand.index(holding[0]), chance)
    elif play["type"] == "beat" and state.hand[seat]:
        state.phase = "add"
    else:
        state.phase, state.to_act = "beat", [_next_with_cards(state, seat)]
    ref.finish(state, ending(state))


def _take(state: State, seat: int, play: Move, chance: Chance) -> None:
    state.moves += 1
    move(state, state.table, state.hand[seat])
    _lead_next(state, _next_with_cards(state, seat))
    ref.finish(state, ending(state))


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
    _deal_tura(state, chance, ref.gather(state, *state.hand, state.table))
    _lead_next(state, (loser + 1) % state.seats)


def _blocked(state: State, seat: int, play: Move) -> str:
    above = _blocker(state, play["card"])
    return f"the {spoken(str(above))} on the table is higher than your {spoken(play['card'])}"


LEAD = ref.move_type("lead", "lead", _lay, fields={"card": LED}, rules=[
    ref.only("pies.opening", "card", _opening, lambda s, seat, m: (
        f"the {spoken(OPENING)} opens the game, not the {spoken(m['card'])}")),
])  # fmt: skip
BEAT = ref.move_type("beat", "beat", _lay, fields={"card": BEATEN_WITH}, rules=[
    ref.rule("pies.queen_blocked", _queen_blocked, _blocked),
    ref.rule("pies.own_blocked", _own_blocked, lambda s, seat, m: (
        f"{_blocked(s, seat, m)}, though {SUIT_NAMES[m['card'][1]]} are your colour")),
    ref.only("pies.beat", "card", _fitting, lambda s, seat, m: (
        f"your {spoken(m['card'])} does not beat the {spoken(s.table[-1])} on top:"
        f" it is {'lower' if m['card'][1] == s.table[-1][1] else 'of another suit'}")),
])  # fmt: skip
ADD = ref.move_type("add", "add", _lay, fields={"card": ADDED})
TAKE = ref.move_type("take", "beat", _take, [
    ref.rule("pies.must_beat", _must_beat, lambda s, seat: (
        f"your {spoken(_beating(s, seat)[0])} beats the {spoken(s.table[-1])} on top,"
        " so you may not take")),
])  # fmt: skip
KEEP = ref.move_type("take", "add", _take, [
    ref.rule("pies.no_take", lambda s, seat, m: True,
             "you have just beaten and must add a second card, not take the heap"),
])  # fmt: skip
BLOCKS = (LEAD, BEAT, ADD, TAKE, KEEP)


def _to_beat(state: State, seat: int) -> ref.Moves:
    cards = _beating(state, seat)
    moves = [*map(BEAT.moves.__getitem__, cards)]
    return moves if _must_beat(state, seat, TAKE.move, cards) else [*moves, TAKE.move]


ref.complete(globals(), {"beat": _to_beat})


def ending(state: State) -> ref.Result:
    """Return the result once a seat has lost its ace, or at the limit of moves, or None."""
    if 0 in state.scores:
        return ref.outcome(state, ref.leaders(state), "ace", losers=[state.scores.index(0)])
    if 0 < state.moves == state.options["move_limit"]:
        return ref.outcome(state, [], "move_limit", losers=[])
    return None


def known(view: dict[str, Any]) -> dict[str, list[str]]:
    return {f"hand.{view['to_act'][0]}": [OPENING]} if view["facts"]["opening"] else {}


def _held(state: State, seat: int) -> int | range | None:
    """Return how many cards a seat holds: six at first, one or more if it is to act, none beside a dog."""
    if state.opening:
        return len(DECK) // 4
    if 0 in state.scores:
        return 0 if state.scores[seat] else None
    return range(1, len(DECK) + 1) if seat in state.to_act else None


def check(state: State) -> None:
    """Check colours, removed cards, scores and turn; `moves` and `tura` are only counted."""
    _check_removed(state)
    limit, over, dogs = state.options["move_limit"], state.phase == "over", state.scores.count(0)
    require(not limit or state.moves < limit + over, "facts.moves", f"must be {limit} at most, at the end")
    require(dogs <= over, "zones.removed", "must hold no ace until the game is over, and then one")
    require(over or len(state.to_act) == 1, "to_act", "must be one seat")
    if state.opening:
        require(state.phase == "lead", "facts.opening", "must be false once a card has been led")
        require(state.tura == 1, "facts.tura", "must be 1 before the first card of the game")
        require(state.colours is None, "facts.colours", "must be null before the first card of the game")
        opens = [seat for seat, hand in enumerate(state.hand) if OPENING in hand]
        require(state.to_act == opens, "to_act", f"must be {opens}, the holder of {OPENING}")
    if not dogs:
        left = sum(map(bool, state.hand)) > 1
        require(left, "zones", "must leave two seats or more with cards: otherwise the tura is over")


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
