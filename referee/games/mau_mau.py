"""Mau-Mau: shed cards on one pile by rank or suit; special cards attack, skip, reverse, race and hush.

Hidden: each hand from the others, and the stock from everyone. Announcing, catching and talking are open
to every seat at any time. Rules: `referee/games/rules/mau_mau.md`.
"""

from collections.abc import Sequence, Set
from functools import cache
from itertools import chain, combinations
from typing import Any

from referee import authoring as ref
from referee.authoring import EVERYONE, NOBODY, OWNER, Chance, Move, Position, Zone, fact, move, require, zone
from referee.cards import SUIT_NAMES, SUITS, by_rank, spoken, spoken_list
from referee.cards import deck as french

ID, VERSION, NAME, SEATS = "mau_mau", 1, "Mau-Mau", (2, 3, 4, 5, 6)
SUIT = ref.OneOf(tuple(SUITS))
TILE = {"minutes": 10, "level": 1, "cards": ("7H", "JC", "8D")}
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
PASSIVE, REASONS = {"play": "pass"}, {"out_of_cards": "no card is left in one hand"}

DECK = french()
ACES = frozenset({"AC", "AD", "AH", "AS"})
SPECIAL = ACES | {card for card in DECK if card[0] in "J826"} | {"5H", "3C"}
# The cards that fit a top card, by its rank and its suit.
FITTING = {top: frozenset(card for card in DECK if card[0] == top[0] or card[1] == top[1]) for top in DECK}
# Attack → what it may cost; the cards one of which answers it; what is played on that.
COSTS = {None: (0,), "2": (2, 4, 6, 8), "5H": (5,), "TH": (10,), "KH": (25,)}
ATTACKS = ref.Maybe(ref.OneOf(("2", "5H", "TH", "KH")))
ANSWERS: dict[str | None, Set[str]] = {None: set(), "2": {"2C", "2D", "2H", "2S"}}
ANSWERS |= {"5H": {"TH"}, "TH": {"KH"}, "KH": set()}
NEVER_LAST = {at: SPECIAL | ANSWERS[at] for at in ANSWERS}
HEARTS_CHAIN = {None: ("5H", 5), "5H": ("TH", 10), "TH": ("KH", 25)}
SAYING, TALK = ref.fixed({"type": "say", "text": "..."}), ref.Talk(move="say")
PLAYED = {
    "cards": ref.Field(ref.CARDS, "cards of one rank in the order laid; the last lies on top", zones="hand"),
    "suit": ref.Field(SUIT, "the suit called with aces", optional=True, role="suit"),
    "announce": ref.Field(ref.BOOLEAN, "true announces the last card along with the play", optional=True),
}
CAUGHT = ref.Field(ref.Int(0, SEATS[-1] - 1), "who has not announced a last card", role="seat")
SAID = {
    "text": ref.Field(ref.Text(1, 500), "what is said"),
    "finger": ref.Field(ref.BOOLEAN, "true while a finger lies on the pile", optional=True),
}
OPTIONS = {
    "must_play": ref.switch("who can play may not draw instead", on=True),
    "ace_wild": ref.switch("an ace fits on every card, but answers no attack"),
    "strict_last": ref.switch("no card of the last play may be special, those under its top card included"),
    "start_acts": ref.switch("a special card turned up at the start acts, as if the dealer had played it"),
}
Laying = tuple[list[str], dict[str, Any]]  # the cards of a play, and the play
ANNOUNCED = 1  # cards that a play leaves which announces the last


@cache
def _layings(held: tuple[str, ...]) -> list[Laying]:
    """List the plays of some of these cards of a rank: by number, by set, by top card, by suit called."""
    plays: list[dict[str, Any]] = []
    for chosen in chain.from_iterable(combinations(held, number + 1) for number in range(len(held))):
        for top in chosen:
            play = {"type": "play", "cards": [*(card for card in chosen if card != top), top]}
            plays += [play | {"suit": suit} for suit in SUITS] if top in ACES else [play]
    return [(play["cards"], ref.fixed(play)) for play in plays]


@ref.state
class State(Position):
    hand: list[Zone] = zone(OWNER, sort=by_rank().__getitem__, per_seat=True)
    stock: Zone = zone(NOBODY)
    pile: Zone = zone(EVERYONE)
    dealer: int = fact(ref.seat_number, "who dealt")
    turn: int = fact(ref.seat_number, "whose turn it is or follows; in the end the winner")
    direction: int = fact(ref.OneOf((1, -1)), "1: to the left, -1: to the right")
    drawn: bool = fact(ref.BOOLEAN, "the seat in turn has drawn in this turn")
    attack: str | None = fact(ATTACKS, "what the seat in turn must answer or take", phases=("play",))
    pending: int = fact(ref.Int(0, 25), "the cards that the attack costs", phases=("play",), otherwise=0)
    suit: str | None = fact(ref.Maybe(SUIT), "the suit called with the ace on top")
    announce_due: list[int] = fact(ref.seat_list, "who owes an announcement")
    thumbs: list[int] = fact(ref.seat_list, "thumbs on the table, in order", phases=("thumbs",), otherwise=[])


def deal(state: State, chance: Chance) -> None:
    seats = state.seats
    state.dealer = chance.pick(seats)
    cards = chance.shuffle(DECK)
    ref.deal_round(state, state.hand, state.dealer + 1, cards[: 7 * seats])
    ref.put(state, state.pile, cards[7 * seats : 7 * seats + 1])
    ref.put(state, state.stock, cards[7 * seats + 1 :])
    state.attack = state.suit = None
    state.pending, state.announce_due, state.direction = 0, [], 1
    state.turn, state.drawn = (state.dealer + 1) % seats, False
    ref.enter(state, "play")
    if state.options["start_acts"]:
        _act(state, state.dealer, state.pile)


def due(state: State) -> list[int]:
    if state.phase == "play":
        return [state.turn]
    return [seat for seat in range(state.seats) if seat not in state.thumbs]


def talk(state: State) -> ref.Talk:
    """Make every message the move `say`, which costs a card under a 6."""
    return TALK


# --- rules --------------------------------------------------------------------------------------------
def _attacked(state: State, seat: int) -> bool:
    return bool(state.attack)


def _no_draw(state: State, seat: int) -> bool:
    return state.drawn or not (state.stock or len(state.pile) > 1)


def _must_play(state: State, seat: int, play: Move, plays: Sequence[object] | None = None) -> bool:
    """Return whether the seat can play and so must; a list passes on the plays that it has found."""
    if state.drawn or not state.options["must_play"]:
        return False
    return bool(_plays(state, seat) if plays is None else plays)


def _does_not_fit(state: State, seat: int, play: Move) -> bool:
    return _matching(state).isdisjoint(play["cards"])


def _special_last(state: State, seat: int, play: Move) -> bool:
    return len(play["cards"]) == len(state.hand[seat]) and bool(_special(state, play))


def _special(state: State, play: Move) -> list[str]:
    """Return the special cards of a play that may not be the last: that on top, or with `strict_last` all."""
    judged = play["cards"] if state.options["strict_last"] else play["cards"][-1:]
    return [card for card in judged if card in NEVER_LAST[state.attack]]


def _announcing(state: State, seat: int) -> int:
    """Return how many cards a play lays that may announce the last one."""
    return len(state.hand[seat]) - ANNOUNCED


def _wrong_suit(state: State, seat: int, play: Move) -> bool:
    return ("suit" in play) != (play["cards"][-1] in ACES)


def _to_catch(state: State, seat: int) -> Sequence[int]:
    return [other for other in state.announce_due if other != seat]


def _matching(state: State) -> Set[str]:
    """Return the cards one of which every play must contain: rules fits, two and hearts."""
    if state.attack:
        return ANSWERS[state.attack]
    fitting = FITTING[state.pile[-1][0] + (state.suit or state.pile[-1][1])]
    return fitting | ACES if state.options["ace_wild"] else fitting


def _asked(state: State) -> str:
    if state.attack:
        answers = " or ".join(map(spoken, sorted(ANSWERS[state.attack]))) or "nothing"
        return f"the attack is answered with {answers}, or {state.pending} cards are taken"
    suit = SUIT_NAMES[state.suit or state.pile[-1][1]]
    return f"the {spoken(state.pile[-1])} on the pile asks for its rank or {suit}"


def _mixed(state: State, seat: int, play: Move) -> str:
    top = play["cards"][-1]
    other = next(card for card in play["cards"] if card[0] != top[0])
    return f"the {spoken(other)} is not of the rank of the {spoken(top)}"


def _will_not_do(state: State, seat: int, play: Move) -> str:
    return f"{_asked(state)}; the {spoken_list(play['cards'])} will not do"


def _plays(state: State, seat: int) -> list[Laying]:
    """Return the legal plays in the order listed, without announcements."""
    hand, matching = state.hand[seat], _matching(state)
    plays: list[Laying] = []
    if matching.isdisjoint(hand):  # often
        return plays
    for rank in dict.fromkeys([card[0] for card in hand if card in matching]):
        for laying in _layings(tuple([card for card in hand if card[0] == rank])):
            cards, play = laying
            if not matching.isdisjoint(cards) and (
                len(cards) < len(hand) or not _special_last(state, seat, play)
            ):
                plays.append(laying)
    return plays


def _proposed(state: State, seat: int) -> ref.Moves:
    """Return every way to lay cards of one rank, without and with an announcement."""
    hand = state.hand[seat]
    same = [tuple(card for card in hand if card[0] == rank) for rank in dict.fromkeys(c[0] for c in hand)]
    return [
        move for cards in same for _, play in _layings(cards) for move in (play, play | {"announce": True})
    ]


def _in_play(state: State, seat: int) -> ref.Moves:
    moves = _in_turn(state, seat) if seat in state.to_act else []
    if state.announce_due:
        moves += [*ANNOUNCE.listed(state, seat), *CATCH.listed(state, seat)]
    return [*moves, SAYING]


def _in_turn(state: State, seat: int) -> list[dict[str, Any]]:
    plays, announcing = _plays(state, seat), _announcing(state, seat)
    moves = []
    for cards, play in plays:
        moves.append(play)
        if len(cards) == announcing:
            moves.append(play | {"announce": True})
    if _attacked(state, seat):
        return [*moves, TAKE.move]
    instead = PASS.move if _no_draw(state, seat) else DRAW.move
    return moves if _must_play(state, seat, instead, plays) else [*moves, instead]


# --- moves --------------------------------------------------------------------------------------------
def _draw_one(state: State, seat: int, play: Move, chance: Chance) -> None:
    _draw(state, seat, 1, chance)
    state.drawn = True


def _give_way(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Take the cards of an attack, or pass: that draws none, because there is no attack."""
    _draw(state, seat, state.pending, chance)
    state.attack, state.pending = None, 0
    state.turn, state.drawn = (seat + state.direction) % state.seats, False


def _put_thumb(state: State, seat: int, play: Move, chance: Chance) -> None:
    state.thumbs.append(seat)
    slow = due(state)
    if len(slow) == 1:  # the only one without a thumb on the table
        _draw(state, slow[0], 1, chance)
        ref.enter(state, "play")


def _announce(state: State, seat: int, play: Move, chance: Chance) -> None:
    state.announce_due.remove(seat)


def _catch(state: State, seat: int, play: Move, chance: Chance) -> None:
    state.announce_due.remove(play["seat"])
    _draw(state, play["seat"], 1, chance)


def _say(state: State, seat: int, play: Move, chance: Chance) -> None:
    if state.pile[-1][0] == "6" and not play.get("finger"):
        _draw(state, seat, 1, chance)


def _lay(state: State, seat: int, play: Move, chance: Chance) -> None:
    cards, hand = play["cards"], state.hand[seat]
    move(state, hand, state.pile, cards)
    state.suit, state.drawn = play.get("suit"), False
    if not hand:
        state.turn, state.announce_due = seat, []
        state.scores[seat] = 1
        ref.finish(state, ending(state))
        return
    if len(hand) == 1 and not play.get("announce"):
        state.announce_due = sorted([*state.announce_due, seat])
    _act(state, seat, cards)


def _act(state: State, seat: int, cards: Sequence[str]) -> None:
    """Let cards that a seat has laid do their work, and give the turn on."""
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
        ref.enter(state, "thumbs")


def _draw(state: State, seat: int, number: int, chance: Chance) -> None:
    """Draw cards, as many as there are; a seat with more than one card owes no announcement."""
    hand = state.hand[seat]
    while number and (state.stock or state.pile[1:]):
        if not state.stock:
            move(state, state.pile, state.stock, slice(-1))
            ref.put(state, state.stock, chance.shuffle(ref.gather(state, state.stock)))
        held = len(hand)
        move(state, state.stock, hand, slice(number))
        number -= len(hand) - held
    if seat in state.announce_due and len(hand) != 1:
        state.announce_due.remove(seat)


TURN = ref.rule("mau_mau.turn", lambda s, seat: seat != s.turn, lambda s, seat: f"it is seat {s.turn}'s turn")
ATTACK = ref.rule("mau_mau.attack", _attacked, lambda s, seat: _asked(s))
MUST_PLAY = ref.rule("mau_mau.must_play", _must_play, lambda s, seat: (
    f"you can play the {spoken_list(_plays(s, seat)[0][0])}"))  # fmt: skip
PLAY = ref.move_type("play", "play", _lay, fields=PLAYED, candidates=_proposed, rules=[
    TURN,
    ref.rule("mau_mau.same_rank", lambda s, seat, m: len({card[0] for card in m["cards"]}) > 1, _mixed),
    ref.rule("mau_mau.attack", lambda s, seat, m: s.attack and _does_not_fit(s, seat, m), _will_not_do),
    ref.rule("mau_mau.fits", lambda s, seat, m: not s.attack and _does_not_fit(s, seat, m), _will_not_do),
    ref.rule("mau_mau.last_card", _special_last, lambda s, seat, m: (
        f"the {spoken(_special(s, m)[-1])} is special and may not be your last card")),
    ref.rule("mau_mau.suit", _wrong_suit, lambda s, seat, m: (
        f"a play of the {spoken_list(m['cards'])} {'calls no' if 'suit' in m else 'must call a'} suit")),
    ref.rule("mau_mau.announce", lambda s, seat, m: (
        m.get("announce") and len(m["cards"]) != _announcing(s, seat)), lambda s, seat, m: (
        "a last card is announced, and this leaves you"
        f" {len(s.hand[seat]) - len(m['cards'])} cards")),
])  # fmt: skip
ANNOUNCE = ref.move_type("announce", ("play", "thumbs"), _announce, out_of_turn=True, rules=[
    ref.rule("mau_mau.announce", lambda s, seat: seat not in s.announce_due,
             "you have no last card left to announce"),
])  # fmt: skip
CATCH = ref.move_type("catch", ("play", "thumbs"), _catch, out_of_turn=True, fields={"seat": CAUGHT}, rules=[
    ref.rule("common.unknown_move", lambda s, seat, m: m["seat"] >= s.seats, lambda s, seat: (
        f"seat must be an integer from 0 to {s.seats - 1}")),
    ref.only("mau_mau.catch", "seat", _to_catch, lambda s, seat, m: (
        f"seat {m['seat']} owes you no announcement")),
])  # fmt: skip
THUMB = ref.move_type("thumb", "thumbs", _put_thumb, [
    ref.rule("mau_mau.thumb", lambda s, seat: seat in s.thumbs, "your thumb is on the table already"),
])  # fmt: skip
DRAW = ref.move_type("draw", "play", _draw_one, [
    TURN, ATTACK,
    ref.rule("mau_mau.draw", _no_draw, lambda s, seat: (
        "you have drawn in this turn already" if s.drawn else "no card is left to draw")),
    MUST_PLAY,
])  # fmt: skip
TAKE = ref.move_type("take", "play", _give_way, [
    TURN, ref.rule("mau_mau.take", lambda s, seat: not _attacked(s, seat),
                   "there is no attack whose cards to take"),
])  # fmt: skip
PASS = ref.move_type("pass", "play", _give_way, [
    TURN, ATTACK,
    ref.rule("mau_mau.pass", lambda s, seat: not _no_draw(s, seat),
             "you may pass only after you have drawn a card"),
    MUST_PLAY,
])  # fmt: skip
SAY = ref.move_type("say", ("play", "thumbs"), _say, fields=SAID, out_of_turn=True,
                    candidates=lambda state, seat: [SAYING])  # fmt: skip
BLOCKS = (PLAY, DRAW, TAKE, PASS, THUMB, ANNOUNCE, CATCH, SAY)
ref.complete(globals(), {"play": _in_play})


def ending(state: State) -> ref.Result:
    out = [seat for seat, hand in enumerate(state.hand) if not hand]
    return ref.outcome(state, out, "out_of_cards") if out else None


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
