"""High Card: a small trick game to start from; the highest card takes the trick, most tricks win.

Hidden: each hand from the others, and the stock from everyone. Rules: `rules/high_card.md`.
"""

from collections.abc import Sequence

from referee import authoring as ref
from referee.authoring import EVERYONE, NOBODY, OWNER, Chance, Move, Position, Zone, fact, move, require, zone
from referee.cards import by_rank, spoken, strengths
from referee.cards import deck as french

ID, VERSION, NAME, SEATS = "high_card", 1, "High Card", (2, 3, 4)
ROLES = {"leader": "seat"}
PASSIVE: dict[str, str] = {}  # phase → the move that does nothing, made for late seats: {"bid": "pass"}
REASONS = {"most_tricks": "the most tricks", "tie": "as many tricks as others"}

DECK = french()
HAND = 5
IN_HAND, STRENGTH = by_rank(), strengths()


@ref.state
class State(Position):
    """A game being played."""

    hand: list[Zone] = zone(OWNER, sort=IN_HAND.__getitem__, per_seat=True, phases=("play",))
    trick: Zone = zone(EVERYONE, phases=("play",))
    won: list[Zone] = zone(EVERYONE, sort=IN_HAND.__getitem__, per_seat=True)
    stock: Zone = zone(NOBODY, size=lambda state: len(DECK) - HAND * state.seats)
    leader: int = fact(ref.seat_number, "who leads the current trick")


# --- deal -------------------------------------------------------------------------------------------
def deal(state: State, chance: Chance) -> None:
    """Pick who leads and deal five cards to each seat."""
    state.leader = chance.pick(state.seats)
    cards = chance.shuffle(DECK)
    ref.deal_round(state, state.hand, state.leader, cards[: HAND * state.seats])
    ref.put(state, state.stock, cards[HAND * state.seats :])
    ref.enter(state, "play")


def due(state: State) -> list[int]:
    """Return the seat whose turn it is in the trick."""
    return [(state.leader + len(state.trick)) % state.seats]


# --- moves: what each asks for, and what it does ----------------------------------------------------
def _following(state: State, seat: int) -> Sequence[str] | None:
    """Return the cards of the hand that follow the suit that was led, or None if any card may be played."""
    if not state.trick:
        return None
    return [card for card in state.hand[seat] if card[1] == state.trick[0][1]] or None


def _not_following(state: State, seat: int, play: Move) -> str:
    return f"your {spoken(play['card'])} does not follow the {spoken(state.trick[0])}"


def _play(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Play the card; the last one of a trick gives it to the highest card of the suit led."""
    move(state, state.hand[seat], state.trick, play["card"])
    if len(state.trick) < state.seats:
        return
    led = state.trick[0][1]
    best = max((card for card in state.trick if card[1] == led), key=STRENGTH.__getitem__)
    winner = state.won_by = (state.leader + state.trick.index(best)) % state.seats
    move(state, state.trick, state.won[winner])
    state.leader = winner
    state.scores[winner] += 1
    ref.finish(state, ending(state))


CARD = ref.Field(ref.CARD, "a card of one's hand, played face up to the trick", zones="hand")
PLAY = ref.move_type(
    "play",
    "play",
    _play,
    fields={"card": CARD},
    rules=[ref.only("high_card.follow", "card", _following, _not_following)],
)
BLOCKS = (PLAY,)
ref.complete(globals())  # adds what follows from BLOCKS and DECK; there are no teams and no options


# --- end and scores ---------------------------------------------------------------------------------
def ending(state: State) -> ref.Result:
    """Return the result once all cards are played, or None."""
    if any(state.hand):
        return None
    best = max(state.scores)
    winners = [seat for seat in range(state.seats) if state.scores[seat] == best]
    return ref.outcome(state, winners, "most_tricks" if len(winners) == 1 else "tie")


# --- positions written by hand ----------------------------------------------------------------------
def check(state: State) -> None:
    """Refuse a position whose cards, scores and result do not fit together."""
    ref.check_whole_tricks(state, state.won)
    tricks = [len(pile) // state.seats for pile in state.won]
    require(state.scores == tricks, "scores", f"must be {tricks}, the tricks won")
    if state.phase == "over":
        require(sum(tricks) == HAND, "zones", f"must hold {HAND} tricks that were won")
        return
    left = HAND - sum(tricks)
    require(left > 0, "zones", "must leave a trick to be played")
    ref.check_trick(state, state.trick, state.hand, state.leader, left)
