"""Landlord: a climbing game of the Dou Dizhu family for 4 or 5 seats with two packs and two jokers.

Hidden: each hand from the others, and the six cards left over until the landlord takes them.
Rules: `referee/rules/landlord.md`; combinations: `referee/combos.py`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee import combos
from referee.cards import RANK_NAMES, spoken, spoken_list
from referee.chance import Chance
from referee.combos import KINDS, ORDER, PLACE, RANK, RANKS, Combo
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
    put,
    seat_number,
    zone,
)
from referee.shapes import CARD, CARDS, Field, Int, Kind, ListOf, Maybe, Object, OneOf, Option
from referee.verdicts import Malformed, Refusal, not_held

ID = "landlord"
VERSION = 1
NAME = "Landlord"
SEATS = (4, 5)
PHASES = {"choose": ("take", "pass"), "play": ("play", "pass"), "over": ()}
MOVES = {
    "take": {},
    "pass": {},
    "play": {"cards": Field(CARDS, "cards of one's hand that make one combination", zones="hand")},
}
ROLES = {"hand_number": "counter", "first": "seat", "landlord": "seat"}
COMPLETE = False  # suits and several attached cards are not multiplied out

DECK = tuple(card for card in ORDER for _ in range(1 if card in ("XB", "XR") else 2))
DEALT = 100
KITTY = 6
POINTS = {RANKS.index(name): 1 for name in ("2", "XB", "XR")}  # for each card; a set of six counts 2
TOO_GOOD = 6
TAKE = {"type": "take"}
PASS = {"type": "pass"}


def _maybe_seat(seats: int) -> Kind:
    return Maybe(seat_number(seats))


def _combo(seats: int) -> Kind:
    shape: dict[str, Kind] = {
        "kind": OneOf(KINDS),
        "size": Int(1),
        "rank": OneOf(RANKS),
        "seat": seat_number(seats),
    }
    return Maybe(Object(shape))


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    """A hand in which the landlord is being found or plays."""

    hand: list[Zone] = zone(OWNER, sort=ORDER.__getitem__, per_seat=True)
    kitty: Zone = zone(NOBODY, sort=ORDER.__getitem__)
    table: Zone = zone(EVERYONE, sort=ORDER.__getitem__)
    discard: Zone = zone(EVERYONE, sort=ORDER.__getitem__)
    hand_number: int = fact(Int(1), "the hand being played, from 1")
    face_up: str = fact(CARD, "the card that was face up in the pack")
    first: int = fact(seat_number, "who was dealt that card and is asked first")
    landlord: int | None = fact(_maybe_seat, "who plays alone; null until someone takes")
    shown: list[str] = fact(ListOf(CARD, 0, KITTY), "the six cards that the landlord took")
    combo: dict[str, Any] | None = fact(_combo, "what lies on the table; null while a lead is due")


def options(seats: int) -> dict[str, Option]:
    """Offer the number of hands."""
    return {"hands": Option(Int(1, 20), 1, "number of hands (deals) in the game")}


def deck(seats: int, options: dict[str, Any]) -> Sequence[str]:
    """List the 106 cards."""
    return DECK


# --- deal -------------------------------------------------------------------------------------------


def deal(state: State, chance: Chance) -> None:
    """Begin the game: deal its first hand."""
    state.hand_number = 0
    _deal_hand(state, chance)


def _deal_hand(state: State, chance: Chance) -> None:
    gather(state)
    cards = chance.shuffle(DECK)
    turned = chance.pick(DEALT)
    for seat in range(state.seats):
        put(state, state.hand[seat], cards[seat : DEALT : state.seats])
    put(state, state.kitty, cards[DEALT:])
    state.phase = "choose"
    state.hand_number += 1
    state.face_up = cards[turned]
    state.first = turned % state.seats
    state.landlord = None
    state.shown = []
    state.combo = None
    state.to_act = [state.first]


# --- refusals and legal moves -----------------------------------------------------------------------


def refuse(state: State, seat: int, action: Move) -> Refusal | None:
    """Name the first rule that a move breaks."""
    if action["type"] == "play":
        return _refuse_play(state, seat, action["cards"])
    if action["type"] == "take":
        return None
    return _refuse_pass(state, seat) if state.phase == "choose" else _refuse_yield(state)


def _refuse_pass(state: State, seat: int) -> Refusal | None:
    if (state.first - seat) % state.seats == state.seats - 1:
        return Refusal("landlord.last_must_take", "all the others have passed, so you must be the landlord")
    counts = Counter(RANK[card] for card in state.hand[seat])
    points = sum(2 for count in counts.values() if count >= 6)
    points += sum(POINTS.get(rank, 0) * count for rank, count in counts.items())
    if points < TOO_GOOD:
        return None
    counted = [(rank, count) for rank, count in counts.items() if count >= 6 or rank in POINTS]
    held = ", ".join(f"{count} {_rank_name(rank, count)}" for rank, count in counted)
    reason = f"your hand counts {points} points ({held}); with {TOO_GOOD} or more you may not pass"
    return Refusal("landlord.too_good", reason)


def _refuse_yield(state: State) -> Refusal | None:
    if state.combo is None:
        return Refusal("landlord.must_lead", "the table is empty and you lead, so you must play something")
    return None


def _refuse_play(state: State, seat: int, cards: list[str]) -> Refusal | None:
    left = list(state.hand[seat])
    for card in cards:
        if card not in left:
            return not_held(card)
        left.remove(card)
    found = combos.readings(cards)
    if not found:
        return Refusal("landlord.combination", f"{spoken_list(cards)}: together that is no combination")
    against = _against(state)
    if against is None or any(combos.beats(combo, against) for combo in found):
        return None
    lies = f"on the table lies {_described(against, state.table)}"
    for combo in found:
        if combos.comparable(combo, against):
            return Refusal("landlord.higher", f"{lies}; {_described(combo, cards)} is not higher")
    needed = f"only the same kind with {against.size} cards, a bomb or the rocket may follow"
    reason = f"{lies}; {_described(found[0], cards)} is another combination, and {needed}"
    return Refusal("landlord.same_combination", reason)


def _against(state: State) -> Combo | None:
    """Give the combination that has to be beaten, None on a lead."""
    combo = state.combo
    return None if combo is None else Combo(combo["kind"], combo["size"], PLACE[combo["rank"]])


def _described(combo: Combo, cards: Sequence[str]) -> str:
    return f"a {combo.kind.replace('_', ' ')} of rank {_rank_name(combo.rank)} ({spoken_list(cards)})"


def _rank_name(rank: int, count: int = 1) -> str:
    name = RANK_NAMES.get(RANKS[rank]) or spoken(RANKS[rank])
    return name if count == 1 else name + ("es" if name == "six" else "s")


def legal(state: State, seat: int) -> list[dict[str, Any]]:
    """List the combinations that the hand offers and that beat the table, then a pass where allowed.

    Everything listed is legal, and something is listed where anything is legal; see landlord.listing.
    """
    if seat not in state.to_act:
        return []
    if state.phase == "choose":
        return [TAKE] if _refuse_pass(state, seat) else [TAKE, PASS]
    moves: list[dict[str, Any]] = [
        {"type": "play", "cards": cards} for cards in combos.offered(state.hand[seat], _against(state))
    ]
    if state.combo is not None:
        moves.append(PASS)
    return moves


def team(state: State, seat: int) -> list[int]:
    """Give the seats that win and lose with this one, itself included."""
    alone = state.landlord in (None, seat)
    return [seat] if alone else [s for s in range(state.seats) if s != state.landlord]


# --- apply ------------------------------------------------------------------------------------------


def apply(state: State, seat: int, action: Move, chance: Chance) -> None:
    """Make a legal move and all that follows from it."""
    kind = action["type"]
    if kind == "play":
        _play(state, seat, action["cards"], chance)
    elif kind == "take":
        _take(state, seat)
    elif state.phase == "choose":
        state.to_act = [(seat - 1) % state.seats]
    else:
        _give_up_turn(state, seat)


def _take(state: State, seat: int) -> None:
    state.landlord = seat
    state.shown = list(state.kitty)
    move(state, state.kitty, state.hand[seat], state.shown)
    state.phase = "play"
    state.to_act = [seat]


def _give_up_turn(state: State, seat: int) -> None:
    """Pass the turn on; where it comes back to who played the combination, that seat leads anything."""
    turn = (seat + 1) % state.seats
    state.to_act = [turn]
    if state.combo is not None and state.combo["seat"] == turn:
        move(state, state.table, state.discard, list(state.table))
        state.won_by, state.combo = turn, None


def _play(state: State, seat: int, cards: list[str], chance: Chance) -> None:
    combo = combos.reading(cards, _against(state))
    assert combo is not None  # judged legal
    if state.table:
        move(state, state.table, state.discard, list(state.table))
    move(state, state.hand[seat], state.table, cards)
    state.combo = {"kind": combo.kind, "size": combo.size, "rank": RANKS[combo.rank], "seat": seat}
    if state.hand[seat]:
        state.to_act = [(seat + 1) % state.seats]
    else:
        _end_hand(state, seat, chance)


# --- end and scores ---------------------------------------------------------------------------------


def _end_hand(state: State, out: int, chance: Chance) -> None:
    """Score the hand that this seat won by its last card; deal the next one or end the game."""
    point = 1 if out == state.landlord else -1
    for seat in range(state.seats):
        state.scores[seat] += point * (state.seats - 1) if seat == state.landlord else -point
    if state.hand_number < state.options["hands"]:
        _deal_hand(state, chance)
        return
    reason = "highest_score"
    if state.options["hands"] == 1:
        reason = "landlord_won" if out == state.landlord else "landlord_beaten"
    most = max(state.scores)
    state.phase = "over"
    state.to_act = []
    state.result = {
        "winners": [seat for seat, score in enumerate(state.scores) if score == most],
        "losers": [seat for seat, score in enumerate(state.scores) if score != most],
        "reason": reason,
    }


# --- positions written by hand ----------------------------------------------------------------------


def check(state: State) -> None:
    """Refuse a position that no game reaches by its counts."""
    if sum(state.scores) != 0:
        raise Malformed("scores", "must sum to 0")
    for place, cards in (("facts.face_up", [state.face_up]), ("facts.shown", state.shown)):
        if any(card not in RANK for card in cards):
            raise Malformed(place, "must be cards of the deck")
    if state.phase == "over":
        _check_over(state)
        return
    if len(state.to_act) != 1:
        raise Malformed("to_act", f"must be one seat in phase {state.phase}")
    if state.phase == "choose":
        _check_choose(state)
    else:
        _check_play(state)


def _check_choose(state: State) -> None:
    for place in state.hand:
        if len(place) != DEALT // state.seats:
            raise Malformed(f"zones.{place.name}", f"must hold {DEALT // state.seats} cards")
    if len(state.kitty) != KITTY:
        raise Malformed("zones.kitty", f"must hold {KITTY} cards until there is a landlord")
    if state.landlord is not None:
        raise Malformed("facts.landlord", "must be null in phase choose")
    if state.shown:
        raise Malformed("facts.shown", "must be empty in phase choose")
    if state.combo is not None:
        raise Malformed("facts.combo", "must be null in phase choose")
    if state.face_up not in state.hand[state.first]:
        raise Malformed("facts.first", f"does not hold {state.face_up}, the card that was face up")


def _check_play(state: State) -> None:
    if state.landlord is None:
        raise Malformed("facts.landlord", "must be a seat in phase play")
    if state.kitty:
        raise Malformed("zones.kitty", "must be empty once there is a landlord")
    for seat, place in enumerate(state.hand):
        most = DEALT // state.seats + (KITTY if seat == state.landlord else 0)
        if not 1 <= len(place) <= most:
            raise Malformed(f"zones.{place.name}", f"must hold 1 to {most} cards")
    played = [*state.table, *state.discard]
    if len(state.shown) != KITTY or Counter(state.shown) - Counter([*state.hand[state.landlord], *played]):
        raise Malformed("facts.shown", "must be six cards that the landlord holds or that are played")
    if state.face_up not in (*state.hand[state.first], *state.shown, *played):
        raise Malformed("facts.face_up", "must be in the hand of facts.first, shown or played")
    _check_combo(state)


def _check_combo(state: State) -> None:
    if (state.combo is None) != (not state.table):
        raise Malformed("facts.combo", "must be null where the table is empty, and only there")
    against = _against(state)
    if state.combo is None or against is None:
        return
    if against not in combos.readings(state.table):
        raise Malformed("facts.combo", "is no reading of the cards on the table")
    if state.combo["seat"] in state.to_act:
        raise Malformed("facts.combo", "its seat cannot be the one to act")


def _check_over(state: State) -> None:
    if state.to_act:
        raise Malformed("to_act", "must be empty when the game is over")
    empty = [seat for seat, place in enumerate(state.hand) if not place]
    if state.combo is None or empty != [state.combo["seat"]]:
        raise Malformed("zones", "exactly one hand must be empty, that of the seat of facts.combo")
