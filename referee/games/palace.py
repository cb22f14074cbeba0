"""Palace: get rid of the hand, the face-up and the face-down cards; each play is higher than the last.

Every seat may complete four of a rank on the pile, even out of turn. Hidden: each hand from the others; the
face-down cards and the stock from everyone. Rules: `referee/games/rules/palace.md`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from referee.authoring import (  # isort: skip
    BOOLEAN, CARD, CARDS, COUNT, EVERYONE, NOBODY, OWNER, Chance, Field, Int, ListOf, Move, Option, Position,
    Refusal, Zone, alone, check_size, deal_round, enter, fact, finish, fixed, move, not_held, outcome, put,
    require, seat_list, seat_number, zone,
)  # fmt: skip
from referee.cards import RANKS, by_rank, missing, spoken, spoken_list
from referee.cards import deck as french

ID, VERSION, NAME, SEATS = "palace", 1, "Palace", (2, 3, 4, 5, 6)
PHASES = {"swap": ("swap", "ready"), "play": ("play", "pick_up", "flip", "complete"), "over": ()}
PLACES: Any = {"base": 0, "within": range(4)}
ROLES = dict.fromkeys(("dealer", "turn", "ready", "out"), "seat") | {"swaps": "counter", "moves": "counter"}
WORDS = {"ready": "Done swapping: {}", "out": "Out of cards: {}"}
MOVES = {
    "swap": {
        "hand": Field(CARD, "a card of one's hand, to lie face up", zones="hand"),
        "up": Field(CARD, "a face-up card of another rank, to go into the hand", zones="up"),
    },
    "ready": {},
    "play": {"cards": Field(CARDS, "cards of one rank, in the order laid", zones="hand up")},
    "pick_up": {},
    "flip": {
        "position": Field(COUNT, "which face-down card, from 0", zones="down", role="position", **PLACES)
    },
    "complete": {"cards": Field(CARDS, "all that the run on top of the pile lacks of four", zones="hand up")},
}
COMPLETE = False  # suits mean nothing: for each rank and number one choice of cards is listed
OUT_OF_TURN, PASSIVE = ("complete",), {"swap": "ready"}
REASONS = {"last with cards": "only one player has cards left", "move limit": "the limit of moves is reached"}

DECK = french()
HAND, FACING, SWAPS = 7, 4, 8
ORDER, ALWAYS = "456789JQKA", "23T"
# What may be played on the card that counts; "" if there is none.
FITTING_RANKS = {rank: ALWAYS + ORDER[i + 1 :] for i, rank in enumerate(ORDER)}
FITTING_RANKS |= {"7": ALWAYS + "456", "2": RANKS, "": RANKS}
FITTING = {c: frozenset(french(FITTING_RANKS[c[:1]])) for c in ("", *DECK) if c[:1] != "3" and c[:1] != "T"}
# How much a card weighs on its holder: the less often it fits, the more.
WEIGHT = {c: 0.25 + sum(c not in fitting for fitting in FITTING.values()) / len(FITTING) for c in DECK}
PLAYS = {card: fixed({"type": "play", "cards": [card]}) for card in DECK}
PICK_UP, READY = fixed({"type": "pick_up"}), fixed({"type": "ready"})
FLIPS = [fixed({"type": "flip", "position": position}) for position in range(FACING)]
LACKING = {2: 2, 3: 1}  # length of a run → the cards that complete it
BEGUN = ("play", "over")  # the phases after swapping
_key = by_rank().__getitem__


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    hand: list[Zone] = zone(OWNER, sort=_key, per_seat=True)
    up: list[Zone] = zone(EVERYONE, sort=_key, per_seat=True, called="face-up cards")
    down: list[Zone] = zone(NOBODY, per_seat=True, called="face-down cards")
    stock: Zone = zone(NOBODY)
    pile: Zone = zone(EVERYONE, phases=BEGUN)
    burned: Zone = zone(EVERYONE, sort=_key, phases=BEGUN, called="cards put aside")
    dealer: int = fact(seat_number, "who dealt")
    turn: int = fact(seat_number, "whose turn it is, or while swapping who will begin")
    ready: list[int] = fact(seat_list, "who is done swapping, ascending", phases=("swap",), otherwise=[])
    swaps: list[int] = fact(
        lambda n: ListOf(Int(0, SWAPS), n, n), "swaps made", phases=("swap",), otherwise=lambda n: [0] * n
    )
    out: list[int] = fact(seat_list, "who has got rid of all, first one first")
    moves: int = fact(COUNT, "moves made in phase play")


def options(seats: int) -> dict[str, Option]:
    return {
        "out_of_turn": Option(BOOLEAN, True, "whether a run of four may be completed out of turn"),
        "move_limit": Option(Int(0, 100_000), 0, "moves after which the game stops; 0: no limit"),
    }


def deck(seats: int, options: dict[str, Any]) -> Sequence[str]:
    """List the 52 cards, twice for four seats or more."""
    return DECK if seats < 4 else DECK * 2


def deal(state: State, chance: Chance) -> None:
    """Pick the dealer, deal card by card from the dealer's left, and begin the phase of swaps."""
    n = state.seats
    state.dealer = chance.pick(n)
    cards = chance.shuffle(deck(n, state.options))
    first = (state.dealer + 1) % n
    start = 0
    for places, size in ((state.hand, HAND), (state.down, FACING), (state.up, FACING)):
        deal_round(state, places, first, cards[start : start + size * n])
        start += size * n
    put(state, state.stock, cards[start:])
    state.turn, state.out, state.moves, state.ready, state.swaps = first, [], 0, [], [0] * n
    enter(state, "swap")


def due(state: State) -> list[int]:
    """Return the seats that are not ready, or the seat in turn."""
    swapping = state.phase == "swap"
    return [seat for seat in range(state.seats) if seat not in state.ready] if swapping else [state.turn]


def refuse(state: State, seat: int, play: Move) -> Refusal | None:
    """Check that the seat has the cards, then whose turn it is, where the cards lie, and whether they fit."""
    kind, cards = play["type"], play.get("cards", ())
    if state.phase == "swap":
        return _refuse_swap(state, seat, play["hand"], play["up"]) if kind == "swap" else None
    if kind == "flip" and play["position"] >= (left := len(state.down[seat])):
        return Refusal("common.not_held", f"you have {left} face-down cards, at positions from 0 on")
    source = _source(state, seat)
    elsewhere = missing(cards, source) if cards else None
    absent = missing(cards, state.hand[seat] + state.up[seat]) if elsewhere is not None else None
    if absent is not None:
        return not_held(absent, "your hand or your face-up cards")
    if seat != state.turn and (kind != "complete" or not state.options["out_of_turn"]):
        why = f"it is seat {state.turn}'s turn; out of turn you may at most complete four of a kind"
        return Refusal("palace.turn", why)
    if elsewhere is not None:
        why = f"your {spoken(elsewhere)} lies face up; you play from your hand as long as it has cards"
        return Refusal("palace.source", why)
    if cards:
        return _refuse_cards(state, kind, cards)
    if kind == "flip":
        only = "you flip face-down cards only when you have no others left"
        return None if _blind(source) else Refusal("palace.blind", only)
    if _blind(source):
        return Refusal("palace.blind", "you have face-down cards only, so you must flip one of them")
    fitting = FITTING[_counting(state)]
    can = [card for card in source if card in fitting]
    if not _may_pick_up(can):
        return Refusal("palace.must_play", f"your {spoken(can[0])} can be played, so you may not pick up")
    return None


def _refuse_swap(state: State, seat: int, given: str, taken: str) -> Refusal | None:
    if given not in state.hand[seat]:
        return not_held(given)
    if taken not in state.up[seat]:
        return not_held(taken, "your face-up cards")
    if not _differ(given, taken):
        same = f"the {spoken(given)} and the {spoken(taken)} are of one rank"
        return Refusal("palace.swap", f"{same}, so a swap would change nothing")
    if not _may_swap(state, seat):
        return Refusal("palace.swap_limit", f"you have made all your {SWAPS} swaps")
    return None


def _differ(given: str, taken: str) -> bool:
    return given[0] != taken[0]


def _may_swap(state: State, seat: int) -> bool:
    return state.swaps[seat] < SWAPS


def _source(state: State, seat: int) -> Zone:
    """Return the cards that the seat plays from: rule source."""
    return state.hand[seat] or state.up[seat]


def _blind(source: Zone) -> bool:
    return not source


def _may_pick_up(plays: Sequence[object]) -> bool:
    return not plays


def _refuse_cards(state: State, kind: str, cards: Sequence[str]) -> Refusal | None:
    if len(cards) > 1 and len({card[0] for card in cards}) > 1:
        return Refusal("palace.same_rank", f"{spoken_list(cards)} are not of one rank")
    if kind == "complete":
        lacking = _lacking(state)
        if lacking and cards[0][0] == state.pile[-1][0] and len(cards) == lacking:
            return None
        why = f"the cards of one rank on top of the pile lack {lacking} of four, not {spoken_list(cards)}"
        none = "there are not exactly two or three cards of one rank on top of the pile"
        return Refusal("palace.complete", why if lacking else none)
    counts = _counting(state)
    if cards[0] in FITTING[counts]:
        return None
    rule, lack = ("palace.seven", "lower") if counts[0] == "7" else ("palace.higher", "higher")
    why = f"your {spoken(cards[0])} is not {lack} than the {spoken(counts)} that counts on the pile"
    return Refusal(rule, why)


def _counting(state: State) -> str:
    """Return the card that counts: the topmost card of the pile that is not a three; "" if there is none."""
    for card in reversed(state.pile):
        if card[0] != "3":
            return card
    return ""


def _lacking(state: State) -> int:
    """Return how many cards complete the run on top of the pile; 0 if none may: rule complete."""
    return LACKING.get(_run(state), 0)


def _run(state: State) -> int:
    """Count the cards of one rank that lie together on top of the pile."""
    run, rank = 0, ""
    for card in reversed(state.pile):
        if not run:
            rank = card[0]
        elif card[0] != rank:
            break
        run += 1
    return run


def candidates(state: State, seat: int) -> list[dict[str, Any]]:
    """Return a seat's moves; for each rank and number of cards, only the first such cards are listed."""
    runs: list[list[str]] = []
    for card in _source(state, seat):
        runs.append([*runs[-1], card] if runs and runs[-1][0][0] == card[0] else [card])
    plays = [{"type": kind, "cards": run} for kind in ("play", "complete") for run in runs]
    return [*_swaps(state, seat, lambda given, taken: True), READY, *plays, *FLIPS, PICK_UP]


def listed(state: State, seat: int) -> list[dict[str, Any]]:
    if state.phase == "swap":
        return [*(_swaps(state, seat, _differ) if _may_swap(state, seat) else []), READY]
    source = _source(state, seat)
    if seat != state.turn:
        return _completions(state, source, _lacking(state)) if state.options["out_of_turn"] else []
    fitting = FITTING[_counting(state)]
    plays: list[dict[str, Any]] = []
    rank = ""
    for card in source:
        if card not in fitting:
            continue
        if card[0] != rank:
            rank, cards = card[0], [card]
            plays.append(PLAYS[card])
        else:
            cards = [*cards, card]
            plays.append({"type": "play", "cards": cards})
    if _blind(source):
        return [*plays, *FLIPS[: len(state.down[seat])]]
    picks_up = _may_pick_up(plays)
    if lacking := _lacking(state):
        plays += _completions(state, source, lacking)
    if picks_up:
        plays.append(PICK_UP)
    return plays


def _swaps(state: State, seat: int, fit: Callable[[str, str], bool]) -> list[dict[str, Any]]:
    """Return the swaps of the first card of each rank, where the two cards fit."""
    mine, shown = ({c[0]: c for c in reversed(cards)} for cards in (state.hand[seat], state.up[seat]))
    pairs = [(a, b) for a in reversed(mine.values()) for b in reversed(shown.values()) if fit(a, b)]
    return [{"type": "swap", "hand": a, "up": b} for a, b in pairs]


def _completions(state: State, source: Zone, lacking: int) -> list[dict[str, Any]]:
    if not lacking:
        return []
    rank = state.pile[-1][0]
    cards = [card for card in source if card[0] == rank][:lacking]
    return [{"type": "complete", "cards": cards}] if len(cards) == lacking else []


team = alone


def apply(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Make the move; nothing is random after the deal."""
    kind = play["type"]
    if kind == "swap":
        move(state, state.hand[seat], state.up[seat], play["hand"])
        move(state, state.up[seat], state.hand[seat], play["up"])
        state.swaps[seat] += 1
    elif kind == "ready":
        state.ready = sorted([*state.ready, seat])
        if len(state.ready) == state.seats:
            enter(state, "play")
    else:
        state.moves += 1
        if kind != "pick_up" and _lay(state, seat, play):
            _after_laying(state, seat)
        else:
            move(state, state.pile, state.hand[seat])
            _give_turn(state, seat + 1)
        if result := ending(state):
            finish(state, result)


def _lay(state: State, seat: int, play: Move) -> bool:
    """Lay cards on the pile; return False for a flipped card that does not fit: the seat takes the pile."""
    if cards := play.get("cards"):
        move(state, _source(state, seat), state.pile, cards)
        return True
    card = state.down[seat][play["position"]]
    fits = card in FITTING[_counting(state)]
    move(state, state.down[seat], state.pile, play["position"])
    return fits


def _after_laying(state: State, seat: int) -> None:
    """Clear the pile, refill the hand, and pass the turn: rules ten, four, refill, out and next."""
    cleared = state.pile[-1][0] == "T" or _run(state) >= 4
    if cleared:
        move(state, state.pile, state.burned)
    hand = state.hand[seat]
    if state.stock and len(hand) < HAND:
        move(state, state.stock, hand, slice(HAND - len(hand)))
    if not (hand or state.up[seat] or state.down[seat]):
        state.scores[seat] = state.seats - 1 - len(state.out)
        state.out.append(seat)
    if len(state.out) < state.seats - 1:  # else the game is over, and the turn stays where it was
        _give_turn(state, seat if cleared else seat + 1)


def _give_turn(state: State, seat: int) -> None:
    """Give the turn to this seat or, if it is out, to the next one clockwise that is not."""
    while (seat := seat % state.seats) in state.out:
        seat += 1
    state.turn = seat


def ending(state: State) -> dict[str, Any] | None:
    """Return the result once all seats but one are out, or at the limit of moves, or None."""
    losers: list[int] = []
    if len(state.out) == state.seats - 1:
        losers, reason = [seat for seat in range(state.seats) if seat not in state.out], "last with cards"
    elif 0 < state.moves == state.options["move_limit"]:
        reason = "move limit"
    else:
        return None
    return outcome(state, sorted(state.out), reason, losers) | {"ranking": state.out + losers}


def standing(state: State) -> list[float]:
    """Return how little each seat has left to play: 1 for nothing, and towards 0 the more it is."""
    places = zip(state.hand, state.up, state.down, strict=True)
    return [8 / (8 + len(down) + sum(WEIGHT[card] for card in hand + up)) for hand, up, down in places]


def worthwhile(state: State, seat: int, play: Move) -> bool:
    """Whether a move is worth a tip: a swap is if the better card comes to lie face up, so none is undone."""
    return play["type"] != "swap" or WEIGHT[play["hand"]] < WEIGHT[play["up"]]


def check(state: State) -> None:
    ranks = "".join([card[0] for card in state.pile])
    cleared = "T" in ranks or any(rank * 4 in ranks for rank in RANKS)
    require(not cleared, "zones.pile", "must hold no ten and no four of a rank together: they clear it")
    for hand, up, down in zip(state.hand, state.up, state.down, strict=True):
        for place in (up, down):
            require(len(place) <= FACING, f"zones.{place.name}", f"must hold {FACING} cards at most")
        whole = len(down) == FACING or not up
        require(whole, f"zones.{down.name}", f"must hold {FACING} cards while {up.name} has any")
        full = not state.stock or not (hand or down) or (len(hand) >= HAND and len(up) == FACING)
        require(full, f"zones.{hand.name}", f"must hold {HAND}, {up.name} {FACING}: the stock has cards")
    empty = [s for s in range(state.seats) if not (state.hand[s] or state.up[s] or state.down[s])]
    require(sorted(state.out) == empty, "facts.out", f"must name just {empty}, the seats without cards")
    scores = [state.seats - 1 - state.out.index(s) if s in state.out else 0 for s in range(state.seats)]
    require(state.scores == scores, "scores", f"must be {scores}, as facts.out gives them")
    if state.phase == "swap":
        for place, size in [(p, HAND) for p in state.hand] + [(p, FACING) for p in state.up + state.down]:
            check_size(place, size)
        require(state.moves == 0, "facts.moves", "must be 0 in phase swap")
        first = (state.dealer + 1) % state.seats
        require(state.turn == first, "facts.turn", f"must be {first}, left of the dealer")
        once = state.ready == sorted(set(state.ready)) and len(state.ready) < state.seats
        require(once, "facts.ready", "must be seats, ascending, and leave one that is not ready")
    elif state.phase == "play":
        require(len(state.out) <= state.seats - 2, "facts.out", "must leave two seats or more with cards")
        require(state.turn not in state.out, "facts.turn", f"must not be seat {state.turn}, which is out")
        limit = state.options["move_limit"]
        require(not limit or state.moves < limit, "facts.moves", f"must be below {limit} until the end")
