"""Mau-Mau: shed cards on one pile by rank or suit; special cards attack, skip, reverse, race and hush.

Hidden: each hand from the others, and the stock from everyone. Announcing, catching and talking are open
to every seat at any time. Rules: `referee/games/rules/mau_mau.md`.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations
from typing import Any

from referee.authoring import (  # isort: skip
    BOOLEAN, CARDS, EVERYONE, NOBODY, OWNER, Chance, Field, Int, Maybe, Move, OneOf, Option, Position,
    Refusal, Talk, Text, Zone, alone, always, deal_round, enter, fact, finish, fixed, gather, move, not_held,
    outcome, put, require, seat_list, seat_number, zone,
)  # fmt: skip
from referee.cards import SUIT_NAMES, SUITS, by_rank, spoken, spoken_list
from referee.cards import deck as french

ID, VERSION, NAME, SEATS = "mau_mau", 1, "Mau-Mau", (2, 3, 4, 5, 6)
IN_TURN, OUT_OF_TURN = ("play", "draw", "take", "pass"), ("announce", "catch", "say")
PHASES = {"play": (*IN_TURN, *OUT_OF_TURN), "thumbs": ("thumb", *OUT_OF_TURN), "over": ()}
SUIT = OneOf(tuple(SUITS))
CALLS = {name: fixed({"type": name}) for name in ("draw", "take", "pass", "thumb", "announce")}
MOVES: dict[str, dict[str, Field]] = {
    "play": {
        "cards": Field(CARDS, "cards of one rank in the order laid; the last lies on top", zones="hand"),
        "suit": Field(SUIT, "the suit called with aces", optional=True, role="suit"),
        "announce": Field(BOOLEAN, "true announces the last card along with the play", optional=True),
    },
    **{name: {} for name in CALLS},
    "catch": {"seat": Field(Int(0, SEATS[-1] - 1), "who has not announced a last card", role="seat")},
    "say": {
        "text": Field(Text(1, 500), "what is said"),
        "finger": Field(BOOLEAN, "true while a finger lies on the pile", optional=True),
    },
}
ROLES = {"suit": "suit"} | dict.fromkeys(("dealer", "turn", "announce_due", "thumbs"), "seat")
WORDS = {
    "direction": {"1": "Clockwise", "-1": "Counterclockwise"},
    "drawn": {"true": "A card has been drawn"},
    "attack": dict.fromkeys(("2", "5H", "TH", "KH"), "Under attack: answer it or take cards"),
    "pending": "The attack costs {} cards",
    "suit": "Suit called: {}",
    "announce_due": "Must announce a last card: {}",
    "thumbs": "Thumbs on the table: {}",
}
COMPLETE = False  # any order below the top card and any text are legal too
PASSIVE, REASONS = {"play": "pass"}, {"out of cards": "no card is left in one hand"}

DECK = french()
ACES = frozenset({"AC", "AD", "AH", "AS"})
SPECIAL = ACES | {card for card in DECK if card[0] in "J826"} | {"5H", "3C"}
# The cards that fit a top card, by its rank and its suit.
FITTING = {top: frozenset(card for card in DECK if card[0] == top[0] or card[1] == top[1]) for top in DECK}
# Attack → what it may cost; the cards one of which answers it; what is played on that.
COSTS = {None: (0,), "2": (2, 4, 6, 8), "5H": (5,), "TH": (10,), "KH": (25,)}
ANSWERS: dict[str | None, Set[str]] = {None: set(), "2": {"2C", "2D", "2H", "2S"}}
ANSWERS |= {"5H": {"TH"}, "TH": {"KH"}, "KH": set()}
NEVER_LAST, ATTACK = {at: SPECIAL | ANSWERS[at] for at in ANSWERS}, Maybe(OneOf(("2", "5H", "TH", "KH")))
HEARTS_CHAIN = {None: ("5H", 5), "5H": ("TH", 10), "TH": ("KH", 25)}
CATCHES = [fixed({"type": "catch", "seat": seat}) for seat in range(6)]
SAYING, TALK = fixed({"type": "say", "text": "..."}), Talk(move="say")
Laying = tuple[list[str], dict[str, Any]]  # the cards of a play, and the play
ANNOUNCED = 1  # how many cards a play leaves that announces the last card


@cache
def _layings(held: tuple[str, ...]) -> list[Laying]:
    """List the plays of some of these cards of a rank: by number, by set, by top card, by suit called."""
    plays: list[dict[str, Any]] = []
    for chosen in chain.from_iterable(combinations(held, number + 1) for number in range(len(held))):
        for top in chosen:
            play = {"type": "play", "cards": [*(card for card in chosen if card != top), top]}
            plays += [play | {"suit": suit} for suit in SUITS] if top in ACES else [play]
    return [(play["cards"], fixed(play)) for play in plays]


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    hand: list[Zone] = zone(OWNER, sort=by_rank().__getitem__, per_seat=True)
    stock: Zone = zone(NOBODY)
    pile: Zone = zone(EVERYONE)
    dealer: int = fact(seat_number, "who dealt")
    turn: int = fact(seat_number, "whose turn it is or follows; in the end the winner")
    direction: int = fact(OneOf((1, -1)), "1: to the left, -1: to the right")
    drawn: bool = fact(BOOLEAN, "the seat in turn has drawn in this turn")
    attack: str | None = fact(ATTACK, "what the seat in turn must answer or take", phases=("play",))
    pending: int = fact(Int(0, 25), "the cards that the attack costs", phases=("play",), otherwise=0)
    suit: str | None = fact(Maybe(SUIT), "the suit called with the ace on top")
    announce_due: list[int] = fact(seat_list, "who owes an announcement")
    thumbs: list[int] = fact(seat_list, "thumbs on the table, in order", phases=("thumbs",), otherwise=[])


def options(seats: int) -> dict[str, Option]:
    return {
        "must_play": Option(BOOLEAN, True, "who can play may not draw instead"),
        "ace_wild": Option(BOOLEAN, False, "an ace fits on every card, but answers no attack"),
    }


deck = always(DECK)


def deal(state: State, chance: Chance) -> None:
    """Pick the dealer, deal seven cards to each seat, and turn one card up."""
    seats = state.seats
    state.dealer = chance.pick(seats)
    cards = chance.shuffle(DECK)
    deal_round(state, state.hand, state.dealer + 1, cards[: 7 * seats])
    put(state, state.pile, cards[7 * seats : 7 * seats + 1])
    put(state, state.stock, cards[7 * seats + 1 :])
    state.attack = state.suit = None
    state.pending, state.announce_due, state.direction = 0, [], 1
    state.turn, state.drawn = (state.dealer + 1) % seats, False
    enter(state, "play")


def due(state: State) -> list[int]:
    """Return the seat in turn, or in a race those whose thumbs are not on the table."""
    if state.phase == "play":
        return [state.turn]
    return [seat for seat in range(state.seats) if seat not in state.thumbs]


def refuse(state: State, seat: int, play: Move) -> Refusal | None:
    """Return the first rule that a move breaks, or None; for a play, cards not held come before the turn."""
    kind = play["type"]
    if kind == "catch" and play["seat"] >= state.seats:
        return Refusal("common.unknown_move", f"seat must be an integer from 0 to {state.seats - 1}")
    if kind == "catch" and play not in _on_last_cards(state, seat):
        return Refusal("mau_mau.catch", f"seat {play['seat']} owes you no announcement")
    if kind == "announce" and play not in _on_last_cards(state, seat):
        return Refusal("mau_mau.announce", "you have no last card left to announce")
    if kind == "thumb" and seat in state.thumbs:
        return Refusal("mau_mau.thumb", "your thumb is on the table already")
    if kind == "play":
        for card in play["cards"]:
            if card not in state.hand[seat]:
                return not_held(card)
        if len(set(play["cards"])) < len(play["cards"]):
            return Refusal("common.not_held", "no card can be named twice in one play")
    if kind in IN_TURN and seat != state.turn:
        return Refusal("mau_mau.turn", f"it is seat {state.turn}'s turn")
    if kind == "play":
        return _refuse_play(state, seat, play)
    if kind not in IN_TURN:
        return None
    plays = _plays(state, seat)
    return None if kind == _instead(state, plays) else _refuse_instead(state, kind, plays)


def _on_last_cards(state: State, seat: int) -> list[dict[str, Any]]:
    """Return what a seat may do about announcements that are due: announce its own, catch others."""
    if not state.announce_due:
        return []
    own = [CALLS["announce"]] if seat in state.announce_due else []
    return [*own, *[CATCHES[other] for other in state.announce_due if other != seat]]


def _instead(state: State, plays: Sequence[Laying]) -> str:
    """Return what a seat with these plays may do instead: take, pass, draw, or "" if it must play."""
    if state.attack:
        return "take"
    if state.drawn:
        return "pass"
    if plays and state.options["must_play"]:
        return ""
    return "draw" if state.stock or state.pile[1:] else "pass"


def _refuse_instead(state: State, kind: str, plays: Sequence[Laying]) -> Refusal:
    """Return why a seat with these plays may not do this now."""
    if kind == "take":
        return Refusal("mau_mau.take", "there is no attack whose cards to take")
    if state.attack:
        return Refusal("mau_mau.attack", _asked(state))
    left = bool(state.stock or state.pile[1:])
    if kind == "draw" and (state.drawn or not left):
        why = "you have drawn in this turn already" if state.drawn else "no card is left to draw"
        return Refusal("mau_mau.draw", why)
    if kind == "pass" and left:
        return Refusal("mau_mau.pass", "you may pass only after you have drawn a card")
    return Refusal("mau_mau.must_play", f"you can play the {spoken_list(plays[0][0])}")


def _refuse_play(state: State, seat: int, play: Move) -> Refusal | None:
    cards = play["cards"]
    top, left = cards[-1], len(state.hand[seat]) - len(cards)
    for card in cards:
        if card[0] != top[0]:
            return Refusal("mau_mau.same_rank", f"the {spoken(card)} is not of the rank of the {spoken(top)}")
    if _matching(state).isdisjoint(cards):
        rule = "mau_mau.attack" if state.attack else "mau_mau.fits"
        return Refusal(rule, f"{_asked(state)}; the {spoken_list(cards)} will not do")
    if left == 0 and top in NEVER_LAST[state.attack]:
        return Refusal("mau_mau.last_card", f"the {spoken(top)} is special and may not be your last card")
    if ("suit" in play) != (top in ACES):
        want = "must call a suit" if top in ACES else "calls no suit"
        return Refusal("mau_mau.suit", f"a play of the {spoken_list(cards)} {want}")
    if play.get("announce") and left != ANNOUNCED:
        return Refusal("mau_mau.announce", f"a last card is announced, and this leaves you {left} cards")
    return None


def _matching(state: State) -> Set[str]:
    """Return the cards one of which every play must contain: rules fits, two and hearts."""
    if state.attack:
        return ANSWERS[state.attack]
    fitting = FITTING[state.pile[-1][0] + (state.suit or state.pile[-1][1])]
    return fitting | ACES if state.options["ace_wild"] else fitting


def _asked(state: State) -> str:
    """Return what every play must contain now."""
    if state.attack:
        answers = " or ".join(map(spoken, sorted(ANSWERS[state.attack]))) or "nothing"
        return f"the attack is answered with {answers}, or {state.pending} cards are taken"
    suit = SUIT_NAMES[state.suit or state.pile[-1][1]]
    return f"the {spoken(state.pile[-1])} on the pile asks for its rank or {suit}"


def _plays(state: State, seat: int) -> list[Laying]:
    """Return the legal plays in the order listed, without announcements."""
    hand, matching, special = state.hand[seat], _matching(state), NEVER_LAST[state.attack]
    plays: list[Laying] = []
    if matching.isdisjoint(hand):  # often
        return plays
    for rank in dict.fromkeys([card[0] for card in hand if card in matching]):
        for laying in _layings(tuple([card for card in hand if card[0] == rank])):
            cards = laying[0]
            if not matching.isdisjoint(cards) and (len(cards) < len(hand) or cards[-1] not in special):
                plays.append(laying)
    return plays


def candidates(state: State, seat: int) -> list[dict[str, Any]]:
    """Return the plays, drawing, taking or passing, and what every seat may do out of turn."""
    hand = state.hand[seat]
    same = [tuple(card for card in hand if card[0] == rank) for rank in dict.fromkeys(c[0] for c in hand)]
    plays = [(play, play | {"announce": True}) for cards in same for _, play in _layings(cards)]
    return [*chain.from_iterable(plays), *CALLS.values(), *CATCHES[: state.seats], SAYING]


def listed(state: State, seat: int) -> list[dict[str, Any]]:
    moves: list[dict[str, Any]] = []
    if seat in state.to_act and state.phase == "play":
        plays, all_except_one = _plays(state, seat), len(state.hand[seat]) - ANNOUNCED
        for cards, play in plays:
            moves.append(play)
            if len(cards) == all_except_one:
                moves.append(play | {"announce": True})
        instead = _instead(state, plays)
        if instead:
            moves.append(CALLS[instead])
    elif seat in state.to_act:
        moves.append(CALLS["thumb"])
    moves += _on_last_cards(state, seat)
    moves.append(SAYING)
    return moves


team = alone


def talk(state: State) -> Talk:
    """Make every message the move `say`, which costs a card under a 6."""
    return TALK


def apply(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Make a move; the effects of a play follow in the order of the rules."""
    kind = play["type"]
    if kind == "play":
        _lay(state, seat, play)
    elif kind == "draw":
        _draw(state, seat, 1, chance)
        state.drawn = True
    elif kind in ("take", "pass"):
        _draw(state, seat, state.pending, chance)  # a pass draws none, because there is no attack
        state.attack, state.pending = None, 0
        state.turn, state.drawn = (seat + state.direction) % state.seats, False
    elif kind == "thumb":
        state.thumbs.append(seat)
        slow = due(state)
        if len(slow) == 1:  # the only one without a thumb on the table
            _draw(state, slow[0], 1, chance)
            enter(state, "play")
    elif kind == "announce":
        state.announce_due.remove(seat)
    elif kind == "catch":
        state.announce_due.remove(play["seat"])
        _draw(state, play["seat"], 1, chance)
    elif state.pile[-1][0] == "6" and not play.get("finger"):
        _draw(state, seat, 1, chance)


def _lay(state: State, seat: int, play: Move) -> None:
    cards, hand = play["cards"], state.hand[seat]
    move(state, hand, state.pile, cards)
    state.suit, state.drawn = play.get("suit"), False
    if not hand:
        state.turn, state.announce_due = seat, []
        state.scores[seat] = 1
        finish(state, ending(state))
        return
    if len(hand) == 1 and not play.get("announce"):
        state.announce_due = sorted([*state.announce_due, seat])
    rank, step = cards[0][0], 1
    if rank == "J" and len(cards) % 2:
        state.direction = -state.direction
        step = 0 if state.seats == 2 else 1
    elif rank == "8":
        step += len(cards)
    if rank == "2":
        state.attack, state.pending = "2", min(8, state.pending + 2 * len(cards))
    elif state.attack or "5H" in cards:
        state.attack, state.pending = HEARTS_CHAIN[state.attack]
    state.turn = (seat + state.direction * step) % state.seats
    if "3C" in cards:
        enter(state, "thumbs")


def _draw(state: State, seat: int, number: int, chance: Chance) -> None:
    """Draw cards, as many as there are; a seat with more than one card owes no announcement."""
    hand = state.hand[seat]
    while number and (state.stock or state.pile[1:]):
        if not state.stock:
            move(state, state.pile, state.stock, slice(-1))
            put(state, state.stock, chance.shuffle(gather(state, state.stock)))
        held = len(hand)
        move(state, state.stock, hand, slice(number))
        number -= len(hand) - held
    if seat in state.announce_due and len(hand) != 1:
        state.announce_due.remove(seat)


def ending(state: State) -> dict[str, Any] | None:
    """Return the result once a hand is empty, or None."""
    out = [seat for seat, hand in enumerate(state.hand) if not hand]
    return outcome(state, out, "out of cards") if out else None


def standing(state: State) -> list[float]:
    """Return how near each seat is to its last card: 1 for none left, and towards 0 the more it has."""
    return [4 / (4 + len(hand)) for hand in state.hand]


def check(state: State) -> None:
    require(len(state.pile) > 0, "zones.pile", "must hold a card at least")
    top, costs = state.pile[-1], COSTS[state.attack]
    require(state.suit is None or top[0] == "A", "facts.suit", "must be null without an ace on top")
    require(state.pending in costs, "facts.pending", f"must be one of {costs} with this attack")
    attacked = not state.attack or (not state.drawn and top[0] == state.attack[0])
    require(attacked, "facts.attack", "needs its rank on top and nothing drawn")
    owing = [seat for seat, hand in enumerate(state.hand) if len(hand) == 1 and seat in state.announce_due]
    require(state.announce_due == owing, "facts.announce_due", "must be seats with just one card, ascending")
    if state.phase == "thumbs":
        begun = not state.drawn and top[0] == "3" and "3C" in state.pile
        require(begun, "phase", "a race needs a 3 on top, 3C in the pile and nothing drawn in the turn")
        most, racing = state.seats - 2, set(state.thumbs)
        once = len(state.thumbs) == len(racing) <= most
        require(once, "facts.thumbs", f"must name {most} seats at most, once")
    out = [seat for seat, hand in enumerate(state.hand) if not hand]
    over = state.phase == "over"
    require(len(out) == int(over), "zones", "just one hand must be empty in phase over, and none before")
    scores = [int(not hand) for hand in state.hand]
    require(state.scores == scores, "scores", "must be 1 for the seat out of cards, else 0")
    if over:
        last = [state.turn] == out and not state.drawn
        require(last, "facts.turn", f"must be {out[0]}, the winner, with nothing drawn in the turn")
