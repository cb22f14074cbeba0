"""High Card: a small trick game to start from; the highest card takes the trick, most tricks win.

Hidden: each hand from the others, and the stock from everyone. Rules: `rules/high_card.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.authoring import (
    CARD,
    EVERYONE,
    NOBODY,
    OWNER,
    Chance,
    Field,
    Move,
    Option,
    Position,
    Refusal,
    Zone,
    alone,
    check_trick,
    check_whole_tricks,
    deal_round,
    enter,
    fact,
    finish,
    move,
    not_held,
    outcome,
    put,
    require,
    seat_number,
    zone,
)
from referee.cards import by_rank, spoken, strengths
from referee.cards import deck as french

ID, VERSION, NAME, SEATS = "high_card", 1, "High Card", (2, 3, 4)
PHASES = {"play": ("play",), "over": ()}
MOVES = {"play": {"card": Field(CARD, "a card of one's hand, played face up to the trick", zones="hand")}}
ROLES = {"leader": "seat"}
OUT_OF_TURN = ()
COMPLETE = True
REASONS = {"most_tricks": "the most tricks", "tie": "as many tricks as others"}

DECK = french()
HAND = 5
IN_HAND, STRENGTH = by_rank(), strengths()


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    """A game being played."""

    hand: list[Zone] = zone(OWNER, sort=IN_HAND.__getitem__, per_seat=True, phases=("play",))
    trick: Zone = zone(EVERYONE, phases=("play",))
    won: list[Zone] = zone(EVERYONE, sort=IN_HAND.__getitem__, per_seat=True)
    stock: Zone = zone(NOBODY)
    leader: int = fact(seat_number, "who leads the current trick")


def options(seats: int) -> dict[str, Option]:
    """Offer no option."""
    return {}


def deck(seats: int, options: dict[str, Any]) -> Sequence[str]:
    """List the 52 cards."""
    return DECK


# --- deal -------------------------------------------------------------------------------------------
def deal(state: State, chance: Chance) -> None:
    """Pick who leads and deal five cards to each seat."""
    state.leader = chance.pick(state.seats)
    cards = chance.shuffle(DECK)
    deal_round(state, state.hand, state.leader, cards[: HAND * state.seats])
    put(state, state.stock, cards[HAND * state.seats :])
    enter(state, "play")


def due(state: State) -> list[int]:
    """Return the seat whose turn it is in the trick."""
    return [(state.leader + len(state.trick)) % state.seats]


# --- refusals and legal moves -----------------------------------------------------------------------
def refuse(state: State, seat: int, play: Move) -> Refusal | None:
    """Ask for the suit that was led, as long as the hand has it."""
    card, hand = play["card"], state.hand[seat]
    if card not in hand:
        return not_held(card)
    led = state.trick[0][1] if state.trick else card[1]
    if card[1] != led and any(other[1] == led for other in hand):
        return Refusal(
            "high_card.follow", f"your {spoken(card)} does not follow the {spoken(state.trick[0])}"
        )
    return None


def candidates(state: State, seat: int) -> list[dict[str, Any]]:
    """Return a play for each card of the hand."""
    return [{"type": "play", "card": card} for card in state.hand[seat]]


team = alone


# --- apply ------------------------------------------------------------------------------------------
def apply(state: State, seat: int, play: Move, chance: Chance) -> None:
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
    finish(state, ending(state))


# --- end and scores ---------------------------------------------------------------------------------
def ending(state: State) -> dict[str, Any] | None:
    """Return the result once all cards are played, or None."""
    if any(state.hand):
        return None
    best = max(state.scores)
    winners = [seat for seat in range(state.seats) if state.scores[seat] == best]
    return outcome(state, winners, "most_tricks" if len(winners) == 1 else "tie")


# --- positions written by hand ----------------------------------------------------------------------
def check(state: State) -> None:
    """Refuse a position whose cards, scores and result do not fit together."""
    check_whole_tricks(state, state.won)
    tricks = [len(pile) // state.seats for pile in state.won]
    require(state.scores == tricks, "scores", f"must be {tricks}, the tricks won")
    if state.phase == "over":
        require(sum(tricks) == HAND, "zones", f"must hold {HAND} tricks that were won")
        return
    left = HAND - sum(tricks)
    require(left > 0, "zones", "must leave a trick to be played")
    check_trick(state, state.trick, state.hand, state.leader, left)
