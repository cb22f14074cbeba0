"""Dark Mark: a small trick game in which every seat has two secrets; fewest tricks win.

Hidden: each hand from the others, the stock from everyone, and which card and suit a seat has chosen. Rules:
`rules/dark_mark.md`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from referee import authoring as ref
from referee.authoring import EVERYONE, NOBODY, OWNER, Chance, Move, Position, Zone, fact, move, require, zone
from referee.cards import by_rank, spoken, strengths
from referee.cards import deck as french

ID, VERSION, NAME, SEATS = "dark_mark", 1, "Dark Mark", (2, 3)
SUIT = ref.OneOf(("C", "D", "H", "S"))
ROLES = {"leader": "seat", "named": "suit"}
REASONS = {"fewest_tricks": "the fewest tricks", "tie": "as few tricks as others"}
LOWEST_WINS = True

DECK = french()
HAND = 4
IN_HAND, STRENGTH = by_rank(), strengths()


@ref.state
class State(Position):
    """A game being played."""

    hand: list[Zone] = zone(OWNER, sort=IN_HAND.__getitem__, per_seat=True, phases=("mark", "play"))
    trick: Zone = zone(EVERYONE, phases=("play",))
    won: list[Zone] = zone(EVERYONE, sort=IN_HAND.__getitem__, per_seat=True)
    stock: Zone = zone(NOBODY)
    leader: int = fact(ref.seat_number, "who leads the current trick")
    waits: list[int] = fact(lambda n: ref.ListOf(ref.seat_number(n), 0, n), "who has not marked a card")
    marked: list[str | None] = fact(ref.Maybe(ref.CARD), "the card that a seat has marked", private=True)
    named: list[str | None] = fact(ref.Maybe(SUIT), "the suit that a seat has named", private=True)


# --- deal -------------------------------------------------------------------------------------------
def deal(state: State, chance: Chance) -> None:
    """Deal four cards to each seat."""
    state.leader = 0
    state.waits = list(range(state.seats))
    state.marked, state.named = [None] * state.seats, [None] * state.seats
    cards = chance.shuffle(DECK)
    ref.deal_round(state, state.hand, 0, cards[: HAND * state.seats])
    ref.put(state, state.stock, cards[HAND * state.seats :])
    ref.enter(state, "mark")


def due(state: State) -> list[int]:
    """Return the seats that have not marked a card, or the seat whose turn it is in the trick."""
    return list(state.waits) or [(state.leader + len(state.trick)) % state.seats]


# --- moves: what each asks for, and what it does ----------------------------------------------------
def _mark(state: State, seat: int, play: Move, chance: Chance) -> None:
    state.marked[seat], state.named[seat] = play["card"], play["suit"]
    state.waits.remove(seat)
    if not state.waits:
        ref.enter(state, "play")


def _following(state: State, seat: int) -> Sequence[str] | None:
    """Return the cards of the hand that follow the suit that was led, or None if any card may be played."""
    if not state.trick:
        return None
    return [card for card in state.hand[seat] if card[1] == state.trick[0][1]] or None


def _not_following(state: State, seat: int, play: Move) -> str:
    return f"your {spoken(play['card'])} does not follow the {spoken(state.trick[0])}"


def _play(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Play the card; the last one of a trick gives it to the highest of the suit led."""
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


MARKED = {
    "card": ref.Field(ref.CARD, "a card of one's hand", secret=True, zones="hand"),
    "suit": ref.Field(SUIT, "any suit", secret=True, role="suit"),
}
PLAYED = {"card": ref.Field(ref.CARD, "a card of one's hand, played face up to the trick", zones="hand")}
FOLLOW = ref.only("dark_mark.follow", "card", _following, _not_following)
BLOCKS = (
    ref.move_type("mark", "mark", _mark, fields=MARKED),
    ref.move_type("play", "play", _play, [FOLLOW], fields=PLAYED),
)
ref.complete(globals())


# --- end and scores ---------------------------------------------------------------------------------
def ending(state: State) -> dict[str, Any] | None:
    """Return the result once all cards are played, or None."""
    if any(state.hand):
        return None
    best = min(state.scores)
    winners = [seat for seat in range(state.seats) if state.scores[seat] == best]
    return ref.outcome(state, winners, "fewest_tricks" if len(winners) == 1 else "tie")


# --- what programs need -----------------------------------------------------------------------------
def guess(view: dict[str, Any], seat: int, below: Callable[[int], int]) -> dict[str, Any]:
    """Guess which card a seat has marked: one that it still holds or that has been played."""
    zones, facts = view["zones"], view["facts"]
    if seat in facts["waits"]:
        return {"marked": None, "named": None}
    cards = [*zones[f"hand.{seat}"], *zones["trick"]]
    cards += [card for name, pile in zones.items() if name.startswith("won.") for card in pile]
    return {"marked": cards[below(len(cards))], "named": SUIT.values[below(len(SUIT.values))]}


# --- positions written by hand ----------------------------------------------------------------------
def check(state: State) -> None:
    """Refuse a position whose cards, secrets, scores and result do not fit together."""
    ref.check_whole_tricks(state, state.won)
    tricks = [len(pile) // state.seats for pile in state.won]
    require(state.scores == tricks, "scores", f"must be {tricks}, the tricks won")
    played = [*state.trick, *(card for pile in state.won for card in pile)]
    for seat in range(state.seats):
        card, waits = state.marked[seat], seat in state.waits
        right = (card is None and state.named[seat] is None) == waits and (
            waits or (state.named[seat] is not None and card in (*state.hand[seat], *played))
        )
        require(
            right, f"facts.private.{seat}.marked", "must be a card that the seat has had, once it has marked"
        )
    require((state.phase == "mark") == bool(state.waits), "facts.waits", "must be empty once all have marked")
    if state.phase == "over":
        require(sum(tricks) == HAND, "zones", f"must hold {HAND} tricks that were won")
        return
    left = HAND - sum(tricks)
    require(left > 0, "zones", "must leave a trick to be played")
    ref.check_trick(state, state.trick, state.hand, state.leader, left)
