"""Landlord: a climbing game of the Dou Dizhu family for 4 or 5 seats with two packs and two jokers.

Hidden: each hand from the others, and the six cards left over until the landlord takes them.
Rules: `referee/games/rules/landlord.md`; combinations: `referee/combos.py`.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from referee import authoring as ref
from referee import combos
from referee.authoring import EVERYONE, NOBODY, OWNER, Chance, Move, Position, Zone, fact, move, require, zone
from referee.cards import RANK_NAMES, missing, spoken, spoken_list
from referee.combos import KINDS, ORDER, PLACE, RANK, RANKS, Combo

ID, VERSION, NAME, SEATS = "landlord", 1, "Landlord", (4, 5)
TILE = {"minutes": 15, "level": 2, "cards": ("2S", "KH", "AC")}
ROLES = {"hand_number": "counter", "first": "seat", "landlord": "seat"}
WORDS = {
    "face_up": "Face up in the pack: {}",
    "shown": "Kitty: {}",
    "combo": "To beat: {kind} by {seat}",
}
COMPLETE = False  # suits and several attached cards are not multiplied out
PASSIVE = {"choose": "pass", "play": "pass"}
REASONS = {
    "landlord_won": "the landlord was first to play every card",
    "landlord_beaten": "another player was first to play every card",
    "highest_score": "the highest score after all hands",
}

DECK = tuple(card for card in ORDER for _ in range(1 if card in ("XB", "XR") else 2))
DEALT, KITTY, TOO_GOOD = 100, 6, 6
NAMED = 4  # cards that a refusal names; more it counts
POINTS = {RANKS.index(name): 1 for name in ("2", "XB", "XR")}  # for each card; a set of six counts 2
PLAYED = ref.Field(ref.CARDS, "cards of one's hand that make one combination", zones="hand")
TAKEN = ("play", "over")  # the phases with a landlord
OPTIONS = {
    "hands": ref.Option(ref.Int(1, 20), 1, "number of hands (deals) in the game"),
    "attach_any": ref.switch("what is attached may be of the rank of the main part"),
}


def _held(state: Any, seat: int) -> range | int | None:
    """Return how many cards a seat holds: as dealt before play, then some of them."""
    dealt = DEALT // state.seats
    in_play = range(1, dealt + (KITTY if seat == state.landlord else 0) + 1)
    return {"choose": dealt, "play": in_play}.get(state.phase)


def _combo(seats: int) -> ref.Kind:
    shape: dict[str, ref.Kind] = {"kind": ref.OneOf(KINDS), "size": ref.Int(1), "rank": ref.OneOf(RANKS)}
    return ref.Maybe(ref.Object({**shape, "seat": ref.seat_number(seats)}))


@ref.state
class State(Position):
    hand: list[Zone] = zone(OWNER, sort=ORDER.__getitem__, per_seat=True, size=lambda s, seat: _held(s, seat))
    kitty: Zone = zone(
        NOBODY,
        sort=ORDER.__getitem__,
        phases=("choose", "over"),
        called="cards left over",
        size=lambda s: KITTY if s.phase == "choose" else None,
    )
    table: Zone = zone(EVERYONE, sort=ORDER.__getitem__)
    discard: Zone = zone(EVERYONE, sort=ORDER.__getitem__, called="cards played before")
    hand_number: int = fact(ref.Int(1), "the hand being played, from 1")
    face_up: str = fact(ref.CARD, "the card that was face up in the pack", shows=True)
    first: int = fact(ref.seat_number, "who was dealt that card and is asked first")
    landlord: int = fact(
        lambda n: ref.Maybe(ref.seat_number(n)), "who plays alone; null until someone takes", phases=TAKEN
    )
    shown: list[str] = fact(
        ref.ListOf(ref.CARD, 0, KITTY),
        "the six cards that the landlord took",
        phases=TAKEN,
        otherwise=[],
        shows=True,
    )
    combo: dict[str, Any] | None = fact(
        _combo, "what lies on the table; null while a lead is due", phases=TAKEN
    )


def deal(state: State, chance: Chance) -> None:
    state.hand_number = 0
    _deal_hand(state, chance)


def _deal_hand(state: State, chance: Chance) -> None:
    ref.gather(state)
    cards = chance.shuffle(DECK)
    turned = chance.pick(DEALT)
    ref.deal_round(state, state.hand, 0, cards[:DEALT])
    ref.put(state, state.kitty, cards[DEALT:])
    state.hand_number += 1
    state.face_up = cards[turned]
    state.first = turned % state.seats
    state.to_act = [state.first]
    ref.enter(state, "choose")


def team(state: State, seat: int) -> list[int]:
    alone = state.landlord in (None, seat)
    return [seat] if alone else [other for other in range(state.seats) if other != state.landlord]


# --- rules --------------------------------------------------------------------------------------------
def _asked_last(state: State, seat: int) -> bool:
    return (state.first - seat) % state.seats == state.seats - 1


def _good_cards(state: State, seat: int) -> tuple[int, dict[int, int]]:
    """Return what a hand is worth for rule too_good, and how many cards of which ranks are worth it."""
    counts = Counter(RANK[card] for card in state.hand[seat])
    good = {rank: count for rank, count in counts.items() if count >= 6 or rank in POINTS}
    return sum(POINTS.get(rank, 0) * n + (2 if n >= 6 else 0) for rank, n in good.items()), good


def _too_good(state: State, seat: int) -> str:
    points, good = _good_cards(state, seat)
    held = ", ".join(f"{count} {_rank_name(rank, count)}" for rank, count in good.items())
    return f"your hand counts {points} points ({held}); with {TOO_GOOD} or more you may not pass"


def _too_low(state: State, seat: int, play: Move) -> bool:
    """Return whether the cards are a combination that could follow if it were higher."""
    return any(combos.comparable(combo, against) for combo, against in _falling_short(state, play))


def _called(cards: Sequence[str]) -> str:
    return spoken_list(cards) if len(cards) <= NAMED else f"these {len(cards)} cards"


def _other_kind(state: State, seat: int, play: Move) -> bool:
    return bool(_falling_short(state, play))


def _readings(state: State, cards: Sequence[str]) -> list[Combo]:
    return combos.readings(cards, state.options["attach_any"])


def _falling_short(state: State, play: Move) -> list[tuple[Combo, Combo]]:
    """Return the readings of the cards, each with what lies on the table, if none of them beats that."""
    against = _against(state)
    if against is None:
        return []
    found = _readings(state, play["cards"])
    beaten = any(combos.beats(combo, against) for combo in found)
    return [] if beaten else [(combo, against) for combo in found]


def _lower(state: State, seat: int, play: Move) -> str:
    short = _falling_short(state, play)
    combo, against = next(pair for pair in short if combos.comparable(*pair))
    lies = f"on the table lies {_described(against, state.table)}"
    return f"{lies}; {_described(combo, play['cards'])} is not higher"


def _another(state: State, seat: int, play: Move) -> str:
    combo, against = _falling_short(state, play)[0]
    lies = f"on the table lies {_described(against, state.table)}"
    needed = f"only the same kind with {against.size} cards, a bomb or the rocket may follow"
    return f"{lies}; {_described(combo, play['cards'])} is another combination, and {needed}"


def _against(state: State) -> Combo | None:
    """Return the combination that must be beaten, or None for a lead."""
    combo = state.combo
    return None if combo is None else Combo(combo["kind"], combo["size"], PLACE[combo["rank"]])


def _described(combo: Combo, cards: Sequence[str]) -> str:
    return f"a {combo.kind.replace('_', ' ')} of rank {_rank_name(combo.rank)} ({spoken_list(cards)})"


def _rank_name(rank: int, count: int = 1) -> str:
    name = RANK_NAMES.get(RANKS[rank]) or spoken(RANKS[rank])
    return name if count == 1 else name + ("es" if name == "six" else "s")


def _offers(state: State, seat: int, against: Combo | None = None) -> ref.Moves:
    """Return the combinations that the hand offers, or those that beat another one; see landlord.listing."""
    offered = combos.offered(state.hand[seat], against, state.options["attach_any"])
    return [{"type": "play", "cards": cards} for cards in offered]


# --- moves --------------------------------------------------------------------------------------------
def _take(state: State, seat: int, play: Move, chance: Chance) -> None:
    state.landlord = seat
    state.shown = list(state.kitty)
    move(state, state.kitty, state.hand[seat])
    state.to_act = [seat]
    ref.enter(state, "play")


def _let_choose(state: State, seat: int, play: Move, chance: Chance) -> None:
    state.to_act = [(seat - 1) % state.seats]


def _give_up_turn(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Pass the turn on; if it comes back to the seat that played the combination, that seat leads."""
    turn = (seat + 1) % state.seats
    state.to_act = [turn]
    if state.combo is not None and state.combo["seat"] == turn:
        move(state, state.table, state.discard)
        state.won_by, state.combo = turn, None


def _play(state: State, seat: int, play: Move, chance: Chance) -> None:
    cards = play["cards"]
    combo = combos.reading(cards, _against(state), state.options["attach_any"])
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
    ref.score(state, range(state.seats), -point)
    ref.score(state, [state.landlord], point * state.seats)
    if state.hand_number < state.options["hands"]:
        _deal_hand(state, chance)
    else:
        ref.finish(state, ending(state))


BLOCKS = (
    ref.move_type("take", "choose", _take),
    ref.move_type("pass", "choose", _let_choose, [
        ref.rule("landlord.last_must_take", _asked_last,
                 "all the others have passed, so you must be the landlord"),
        ref.rule("landlord.too_good", lambda s, seat: _good_cards(s, seat)[0] >= TOO_GOOD, _too_good),
    ]),
    ref.move_type("play", "play", _play, [
        ref.rule("landlord.combination", lambda s, seat, m: not _readings(s, m["cards"]),
                 lambda s, seat, m: f"{_called(m['cards'])}: together that is no combination"),
        ref.rule("landlord.higher", _too_low, _lower),
        ref.rule("landlord.same_combination", _other_kind, _another),
    ], fields={"cards": PLAYED}, candidates=_offers,
        listed=lambda s, seat: _offers(s, seat, _against(s))),
    ref.move_type("pass", "play", _give_up_turn, [
        ref.rule("landlord.must_lead", lambda s, seat: s.combo is None,
                 "the table is empty and you lead, so you must play something"),
    ]),
)  # fmt: skip
ref.complete(globals())


def ending(state: State) -> ref.Result:
    if all(state.hand) or state.hand_number < state.options["hands"]:
        return None
    won = "landlord_beaten" if state.hand[state.landlord] else "landlord_won"
    reason = won if state.options["hands"] == 1 else "highest_score"
    return ref.outcome(state, ref.leaders(state), reason)


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
    held = state.face_up in state.hand[state.first]
    require(held, "facts.first", f"does not hold {state.face_up}, the card that was face up")


def _check_play(state: State) -> None:
    require(state.landlord is not None, "facts.landlord", "must be a seat in phase play")
    played = [*state.table, *state.discard]
    there = missing(state.shown, [*state.hand[state.landlord], *played]) is None
    there = there and len(state.shown) == KITTY
    require(there, "facts.shown", "must be six cards that the landlord holds or that are played")
    turned = state.face_up in (*state.hand[state.first], *state.shown, *played)
    require(turned, "facts.face_up", "must be in the hand of facts.first, shown or played")
    against = _against(state)
    lies = (against is None) == (not state.table)
    require(lies, "facts.combo", "must be null where the table is empty, and only there")
    if state.combo is not None and against is not None:
        read = against in _readings(state, state.table) and state.combo["seat"] not in state.to_act
        require(read, "facts.combo", "must be a reading of the table's cards, and not of the seat to act")
