"""Cats and dogs: a short trick game with 18 cards for 1 to 5 seats, its weakest cards worth most.

Hidden: each hand from the others, the cards out of play from everyone, and with one seat the table's
face-down cards. Rules: `referee/rules/cats_and_dogs.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.chance import Chance
from referee.position import (
    AS_STRINGS,
    EVERYONE,
    NOBODY,
    OWNER,
    Move,
    Position,
    Zone,
    fact,
    gather,
    move_card,
    put,
    seat_number,
    zone,
)
from referee.shapes import CARD, Field, Int, Kind, ListOf, Option
from referee.verdicts import Malformed, Refusal, not_held

ID = "cats_and_dogs"
VERSION = 1
NAME = "Cats and Dogs"
SEATS = (1, 2, 3, 4, 5)
PHASES = {"play": ("play",), "over": ()}
MOVES = {"play": {"card": Field(CARD, "a card of one's hand, played face up to the trick", zones="hand")}}
ROLES = {"round": "counter", "lead": "seat", "recent": "seat"}
COMPLETE = True

DECK = tuple(faction + digit for faction in "CD" for digit in "123456789")
STRENGTH = {card: int(card[1]) for card in DECK}
SIGNED = {card: STRENGTH[card] if card[0] == "C" else -STRENGTH[card] for card in DECK}
RIBBONS = {card: (3, 2, 2, 1, 1, 1, 0, 0, 0)[STRENGTH[card] - 1] for card in DECK}
CATALOGUE = {
    card: {"name": f"{kind} {card[1]}", "suit": card[0], "rank": card[1], "colour": colour, "points": points}
    for card, points in RIBBONS.items()
    for kind, colour in [("cat", "orange") if card[0] == "C" else ("dog", "blue")]
}
PLAYS = {card: {"type": "play", "card": card} for card in DECK}
TRICKS = {1: 5, 2: 5, 3: 5, 4: 4, 5: 3}
GOAL = 21
SOLO_ROUNDS = 4
# Seats in order of play, by number of seats and by who leads.
ROUNDS = {n: [[(lead + i) % n for i in range(n)] for lead in range(n)] for n in SEATS}
TABLE = -1  # the player of the table's cards, where there are any

_play_of = PLAYS.__getitem__
_strength = STRENGTH.__getitem__
_signed = SIGNED.__getitem__


def _with_table(seats: int) -> bool:
    return seats < 3


def _solo(seats: int) -> bool:
    return seats == 1


def _seats(seats: int) -> Kind:
    return ListOf(seat_number(seats), 0, seats)


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    """A round being played."""

    hand: list[Zone] = zone(OWNER, sort=AS_STRINGS, per_seat=True)
    trick: Zone = zone(EVERYONE)
    won: list[Zone] = zone(EVERYONE, sort=AS_STRINGS, per_seat=True)
    out: Zone = zone(NOBODY, sort=AS_STRINGS)
    open: Zone = zone(EVERYONE, exists=_with_table)
    hidden: Zone = zone(NOBODY, exists=_solo)
    table: Zone = zone(EVERYONE, sort=AS_STRINGS, exists=_with_table)
    round: int = fact(Int(1), "the round being played, from 1")
    lead: int = fact(seat_number, "who plays first to the current trick")
    recent: list[int] = fact(_seats, "winners of tricks in this game, most recent first, each once")


def options(seats: int) -> dict[str, Option]:
    """Offer no option."""
    return {}


def deck(seats: int, options: dict[str, Any]) -> Sequence[str]:
    """List the 18 cards."""
    return DECK


# --- deal -------------------------------------------------------------------------------------------


def deal(state: State, chance: Chance) -> None:
    """Begin the game: pick who leads and deal the first round."""
    state.phase = "play"
    state.recent = []
    state.round = 0
    state.lead = chance.pick(state.seats) if state.seats > 1 else 0
    _deal_round(state, chance)


def _deal_round(state: State, chance: Chance) -> None:
    gather(state)
    cards = chance.shuffle(DECK)
    size = TRICKS[state.seats]
    targets: list[Zone] = [*state.hand, state.open]
    if state.seats == 1:
        targets = [state.hidden, state.open, *state.hand]
    elif state.seats > 2:
        targets = state.hand
    for i, target in enumerate(targets):
        put(state, target, cards[i * size : (i + 1) * size])
    put(state, state.out, cards[len(targets) * size :])
    state.round += 1
    state.to_act = [state.lead]


# --- refusals and legal moves -----------------------------------------------------------------------


def refuse(state: State, seat: int, play: Move) -> Refusal | None:
    """Any card of the hand may be played to any trick; nothing else is asked."""
    card = play["card"]
    return None if card in state.hand[seat] else not_held(card)


def legal(state: State, seat: int) -> list[dict[str, Any]]:
    """List a play for each card of the hand, for the seat whose turn it is."""
    return [*map(_play_of, state.hand[seat])] if seat in state.to_act else []


def team(state: State, seat: int) -> list[int]:
    """Give the seats that win and lose with this one, itself included."""
    return [seat]


# --- apply ------------------------------------------------------------------------------------------


def apply(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Play the card; the last one of a trick resolves it, the last trick the round."""
    move_card(state, state.hand[seat], state.trick, play["card"])
    if len(state.trick) < state.seats:
        state.to_act = [(seat + 1) % state.seats]
        return
    _resolve(state, seat)
    state.to_act = [state.lead]
    if not state.hand[seat]:
        _end_round(state, chance)


def _resolve(state: State, last: int) -> None:
    """Give the trick's cards out and name the next to lead: rules trick_cards to next_lead."""
    trick, seats = state.trick, state.seats
    player = dict(zip(trick, ROUNDS[seats][state.lead], strict=True))
    if _with_table(seats):
        player |= dict.fromkeys((*state.open[:1], *state.hidden[:1]), TABLE)
    balance = 0
    for card in player:
        balance += SIGNED[card]
    cards = [*player]
    if balance == 0:
        state.lead = 0 if seats == 1 else last
    else:
        best = max(player, key=_signed) if balance > 0 else min(player, key=_signed)
        winner, faction = player[best], best[0]
        losers = [card for card in player if card[0] != faction] or [min(player, key=_strength)]
        cards = losers + [card for card in player if card not in losers]
        for card in losers:
            player[card] = winner
        state.lead = _next_lead(state, winner)
        if winner != TABLE:
            state.won_by = winner
        if winner != TABLE and state.recent[:1] != [winner]:
            state.recent = [winner, *[seat for seat in state.recent if seat != winner]]
    for card in cards:
        source = trick if card in trick else state.open if card in state.open else state.hidden
        move_card(state, source, state.table if player[card] == TABLE else state.won[player[card]], card)


def _next_lead(state: State, winner: int) -> int:
    if winner != TABLE:
        return winner
    return 0 if state.seats == 1 else 1 - state.lead


# --- end and scores ---------------------------------------------------------------------------------


def _end_round(state: State, chance: Chance) -> None:
    ribbons = [sum([RIBBONS[card] for card in pile]) for pile in state.won]
    state.scores = [score + more for score, more in zip(state.scores, ribbons, strict=True)]
    state.result = _result(state)
    if state.result is not None:
        state.phase = "over"
        state.to_act = []
        return
    if state.seats == 2 and ribbons[0] != ribbons[1]:
        state.lead = 0 if ribbons[0] > ribbons[1] else 1
    _deal_round(state, chance)


def _result(state: State) -> dict[str, Any] | None:
    """Give the result that scores, round and recent winners amount to: game_end, tie_break, solo_end."""
    most = max(state.scores)
    if state.seats == 1:
        if most >= GOAL:
            return {"winners": [0], "losers": [], "reason": "ribbons_reached"}
        if state.round >= SOLO_ROUNDS:
            return {"winners": [], "losers": [0], "reason": "rounds_used_up"}
        return None
    if most < GOAL:
        return None
    winners = [seat for seat in range(state.seats) if state.scores[seat] == most]
    reason = "most_ribbons"
    if len(winners) > 1:
        latest = next((seat for seat in state.recent if seat in winners), None)
        reason = "shared" if latest is None else "last_trick"
        winners = winners if latest is None else [latest]
    losers = [seat for seat in range(state.seats) if seat not in winners]
    return {"winners": winners, "losers": losers, "reason": reason}


# --- positions written by hand ----------------------------------------------------------------------


def check(state: State) -> None:
    """Refuse a position that no game reaches by its counts."""
    seats = state.seats
    if len(set(state.recent)) != len(state.recent):
        raise Malformed("facts.recent", "names a seat twice")
    if seats == 1 and state.round > SOLO_ROUNDS:
        raise Malformed("facts.round", f"a solo game has {SOLO_ROUNDS} rounds")
    if min(state.scores) < 0:
        raise Malformed("scores", "must be 0 or more")
    if len(state.out) != 18 - TRICKS[seats] * (len(state.hand) + (0, 2, 1, 0, 0, 0)[seats]):
        raise Malformed("zones.out", f"holds {len(state.out)} cards, which is not what the deal leaves over")
    if state.phase == "over":
        _check_over(state)
    else:
        _check_play(state)


def _check_play(state: State) -> None:
    seats = state.seats
    if len(state.trick) >= seats:
        raise Malformed("zones.trick", f"holds {seats - 1} cards at most")
    turn = (state.lead + len(state.trick)) % seats
    if state.to_act != [turn]:
        raise Malformed("to_act", f"must be [{turn}]: facts.lead and the cards in the trick say so")
    left = len(state.hand[turn])
    if not 1 <= left <= TRICKS[seats]:
        raise Malformed(f"zones.hand.{turn}", f"must hold 1 to {TRICKS[seats]} cards")
    for i in range(seats):
        seat = (state.lead + i) % seats
        due = left - 1 if i < len(state.trick) else left
        if len(state.hand[seat]) != due:
            raise Malformed(f"zones.hand.{seat}", f"must hold {due} cards at this point of the round")
    for name, exists in (("open", _with_table), ("hidden", _solo)):
        if exists(seats) and len(getattr(state, name)) != left:
            raise Malformed(f"zones.{name}", f"must hold {left} cards at this point of the round")
    if max(state.scores) >= GOAL:
        raise Malformed("scores", f"the game is over at {GOAL}")


def _check_over(state: State) -> None:
    for place in (*state.hand, state.trick, state.open, state.hidden):
        if place:
            raise Malformed(f"zones.{place.name}", "must be empty when the game is over")
    if state.to_act:
        raise Malformed("to_act", "must be empty when the game is over")
    expected = _result(state)
    if expected is None:
        raise Malformed("scores", f"nobody has {GOAL}")
    if state.result != expected:
        raise Malformed("result", "is not the one that scores, recent and round give")
