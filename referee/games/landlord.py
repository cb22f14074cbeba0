"""Landlord: a climbing game of the Dou Dizhu family for 4 or 5 seats with two packs and two jokers.

Hidden: each hand from the others, and the six cards left over until the landlord takes them.
Rules: `referee/games/rules/landlord.md`; combinations: `referee/combos.py`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee import combos

from referee.authoring import (  # isort: skip
    CARD, CARDS, EVERYONE, NOBODY, OWNER, Chance, Field, Int, Kind, ListOf, Maybe, Move, Object, OneOf,
    Option, Position, Refusal, Zone, always, check_size, deal_round, enter, fact, finish, fixed, gather,
    leaders, move, not_held, outcome, put, require, score, seat_number, to_act, zone,
)  # fmt: skip
from referee.cards import RANK_NAMES, missing, spoken, spoken_list
from referee.combos import KINDS, ORDER, PLACE, RANK, RANKS, Combo

ID, VERSION, NAME, SEATS = "landlord", 1, "Landlord", (4, 5)
PHASES = {"choose": ("take", "pass"), "play": ("play", "pass"), "over": ()}
MOVES = {
    "take": {},
    "pass": {},
    "play": {"cards": Field(CARDS, "cards of one's hand that make one combination", zones="hand")},
}
ROLES = {"hand_number": "counter", "first": "seat", "landlord": "seat"}
WORDS = {
    "face_up": "Face up in the pack: {}",
    "shown": "The landlord took {}",
    "combo": "To beat: {kind} by {seat}",
}
OUT_OF_TURN, COMPLETE = (), False  # suits and several attached cards are not multiplied out
PASSIVE = {"choose": "pass", "play": "pass"}
REASONS = {
    "landlord_won": "the landlord was first to play every card",
    "landlord_beaten": "another player was first to play every card",
    "highest_score": "the highest score after all hands",
}

DECK = tuple(card for card in ORDER for _ in range(1 if card in ("XB", "XR") else 2))
DEALT, KITTY, TOO_GOOD = 100, 6, 6
POINTS = {RANKS.index(name): 1 for name in ("2", "XB", "XR")}  # for each card; a set of six counts 2
TAKE, PASS = fixed({"type": "take"}), fixed({"type": "pass"})
TAKEN = ("play", "over")  # the phases with a landlord


def _combo(seats: int) -> Kind:
    shape: dict[str, Kind] = {"kind": OneOf(KINDS), "size": Int(1), "rank": OneOf(RANKS)}
    return Maybe(Object({**shape, "seat": seat_number(seats)}))


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    hand: list[Zone] = zone(OWNER, sort=ORDER.__getitem__, per_seat=True)
    kitty: Zone = zone(NOBODY, sort=ORDER.__getitem__, phases=("choose", "over"), called="cards left over")
    table: Zone = zone(EVERYONE, sort=ORDER.__getitem__)
    discard: Zone = zone(EVERYONE, sort=ORDER.__getitem__, called="cards played before")
    hand_number: int = fact(Int(1), "the hand being played, from 1")
    face_up: str = fact(CARD, "the card that was face up in the pack", shows=True)
    first: int = fact(seat_number, "who was dealt that card and is asked first")
    landlord: int | None = fact(
        lambda n: Maybe(seat_number(n)), "who plays alone; null until someone takes", phases=TAKEN
    )
    shown: list[str] = fact(
        ListOf(CARD, 0, KITTY), "the six cards that the landlord took", phases=TAKEN, otherwise=[], shows=True
    )
    combo: dict[str, Any] | None = fact(
        _combo, "what lies on the table; null while a lead is due", phases=TAKEN
    )


def options(seats: int) -> dict[str, Option]:
    return {"hands": Option(Int(1, 20), 1, "number of hands (deals) in the game")}


deck = always(DECK)


def deal(state: State, chance: Chance) -> None:
    """Deal the first hand."""
    state.hand_number = 0
    _deal_hand(state, chance)


def _deal_hand(state: State, chance: Chance) -> None:
    gather(state)
    cards = chance.shuffle(DECK)
    turned = chance.pick(DEALT)
    deal_round(state, state.hand, 0, cards[:DEALT])
    put(state, state.kitty, cards[DEALT:])
    state.hand_number += 1
    state.face_up = cards[turned]
    state.first = turned % state.seats
    state.to_act = [state.first]
    enter(state, "choose")


due = to_act


def refuse(state: State, seat: int, action: Move) -> Refusal | None:
    if action["type"] == "play":
        return _refuse_play(state, seat, action["cards"])
    return None if action["type"] == "take" else _refuse_pass(state, seat)


def _refuse_pass(state: State, seat: int) -> Refusal | None:
    if state.phase == "play":
        lead = "the table is empty and you lead, so you must play something"
        return Refusal("landlord.must_lead", lead) if state.combo is None else None
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


def _refuse_play(state: State, seat: int, cards: list[str]) -> Refusal | None:
    absent = missing(cards, state.hand[seat])
    if absent is not None:
        return not_held(absent)
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
    """Return the combination that must be beaten, or None for a lead."""
    combo = state.combo
    return None if combo is None else Combo(combo["kind"], combo["size"], PLACE[combo["rank"]])


def _described(combo: Combo, cards: Sequence[str]) -> str:
    return f"a {combo.kind.replace('_', ' ')} of rank {_rank_name(combo.rank)} ({spoken_list(cards)})"


def _rank_name(rank: int, count: int = 1) -> str:
    name = RANK_NAMES.get(RANKS[rank]) or spoken(RANKS[rank])
    return name if count == 1 else name + ("es" if name == "six" else "s")


def candidates(state: State, seat: int) -> list[dict[str, Any]]:
    """Return the combinations that the hand offers; see landlord.listing."""
    offered = combos.offered(state.hand[seat], None)
    return [*({"type": "play", "cards": cards} for cards in offered), TAKE, PASS]


def listed(state: State, seat: int) -> list[dict[str, Any]]:
    """Return taking, or the combinations that beat the table, and a pass; see landlord.listing."""
    moves = [TAKE]
    if state.phase == "play":
        offered = combos.offered(state.hand[seat], _against(state))
        moves = [{"type": "play", "cards": cards} for cards in offered]
    if _refuse_pass(state, seat) is None:
        moves.append(PASS)
    return moves


def team(state: State, seat: int) -> list[int]:
    return (
        [seat] if state.landlord in (None, seat) else [s for s in range(state.seats) if s != state.landlord]
    )


def apply(state: State, seat: int, action: Move, chance: Chance) -> None:
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
    move(state, state.kitty, state.hand[seat])
    state.to_act = [seat]
    enter(state, "play")


def _give_up_turn(state: State, seat: int) -> None:
    """Pass the turn on; if it comes back to the seat that played the combination, that seat leads."""
    turn = (seat + 1) % state.seats
    state.to_act = [turn]
    if state.combo is not None and state.combo["seat"] == turn:
        move(state, state.table, state.discard)
        state.won_by, state.combo = turn, None


def _play(state: State, seat: int, cards: list[str], chance: Chance) -> None:
    combo = combos.reading(cards, _against(state))
    assert combo is not None  # judged legal
    move(state, state.table, state.discard)
    move(state, state.hand[seat], state.table, cards)
    state.combo = {"kind": combo.kind, "size": combo.size, "rank": RANKS[combo.rank], "seat": seat}
    if state.hand[seat]:
        state.to_act = [(seat + 1) % state.seats]
    else:
        _end_hand(state, seat, chance)


def _end_hand(state: State, out: int, chance: Chance) -> None:
    """Score the hand, which this seat won with its last card; deal the next one or end the game."""
    point = 1 if out == state.landlord else -1
    score(state, range(state.seats), -point)
    score(state, [state.landlord or 0], point * state.seats)
    if state.hand_number < state.options["hands"]:
        _deal_hand(state, chance)
    else:
        finish(state, ending(state))


def ending(state: State) -> dict[str, Any] | None:
    """Return the result once the last hand is over, or None."""
    if all(state.hand) or state.hand_number < state.options["hands"]:
        return None
    won = "landlord_beaten" if state.hand[state.landlord or 0] else "landlord_won"
    reason = won if state.options["hands"] == 1 else "highest_score"
    return outcome(state, leaders(state), reason)


def known(view: dict[str, Any]) -> dict[str, list[str]]:
    """Return which hidden cards the facts place: that which was face up, and those that were taken."""
    facts, played = view["facts"], Counter(view["zones"]["table"] + view["zones"]["discard"])
    taken = Counter(facts["shown"])
    placed = {f"hand.{facts['landlord']}": [*(taken - played).elements()]}
    if facts["face_up"] not in taken | played:
        placed[f"hand.{facts['first']}"] = [*placed.get(f"hand.{facts['first']}", ()), facts["face_up"]]
    return placed


def check(state: State) -> None:
    require(sum(state.scores) == 0, "scores", "must sum to 0")
    for name, cards in (("face_up", [state.face_up]), ("shown", state.shown)):
        require(RANK.keys() >= {*cards}, f"facts.{name}", "must be cards of the deck")
    if state.phase == "over":
        empty = [seat for seat, place in enumerate(state.hand) if not place]
        out = state.combo is not None and empty == [state.combo["seat"]]
        require(out, "zones", "exactly one hand must be empty, that of the seat of facts.combo")
        return
    require(len(state.to_act) == 1, "to_act", f"must be one seat in phase {state.phase}")
    if state.phase == "play":
        _check_play(state)
        return
    for place in state.hand:
        check_size(place, DEALT // state.seats)
    check_size(state.kitty, KITTY)
    held = state.face_up in state.hand[state.first]
    require(held, "facts.first", f"does not hold {state.face_up}, the card that was face up")


def _check_play(state: State) -> None:
    for seat, place in enumerate(state.hand):
        most = DEALT // state.seats + (KITTY if seat == state.landlord else 0)
        require(1 <= len(place) <= most, f"zones.{place.name}", f"must hold 1 to {most} cards")
    require(state.landlord is not None, "facts.landlord", "must be a seat in phase play")
    played = [*state.table, *state.discard]
    there = missing(state.shown, [*state.hand[state.landlord or 0], *played]) is None
    there = there and len(state.shown) == KITTY
    require(there, "facts.shown", "must be six cards that the landlord holds or that are played")
    turned = state.face_up in (*state.hand[state.first], *state.shown, *played)
    require(turned, "facts.face_up", "must be in the hand of facts.first, shown or played")
    against = _against(state)
    lies = (against is None) == (not state.table)
    require(lies, "facts.combo", "must be null where the table is empty, and only there")
    if state.combo is not None and against is not None:
        read = against in combos.readings(state.table) and state.combo["seat"] not in state.to_act
        require(read, "facts.combo", "must be a reading of the table's cards, and not of the seat to act")
