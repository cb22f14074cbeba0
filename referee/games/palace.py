"""Palace: get rid of the hand, the face-up and the face-down cards; each play is higher than the last.

Every seat may complete four of a rank on the pile, even out of turn. Hidden: each hand from the others; the
face-down cards and the stock from everyone. Rules: `referee/games/rules/palace.md`.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from referee import authoring as ref
from referee.authoring import EVERYONE, NOBODY, OWNER, Chance, Move, Position, Zone, fact, move, require, zone
from referee.cards import RANKS, by_rank, missing, spoken, spoken_list
from referee.cards import deck as french

ID, VERSION, NAME, SEATS = "palace", 1, "Palace", (2, 3, 4, 5, 6)
TILE = {"minutes": 15, "level": 1, "cards": ("TS", "2H", "AC")}
ROLES = dict.fromkeys(("dealer", "turn", "ready", "out"), "seat") | {"swaps": "counter", "moves": "counter"}
WORDS = {"ready": "Done swapping: {}", "out": "Out of cards: {}"}
COMPLETE = False  # suits mean nothing: for each rank and number one choice of cards is listed
PASSIVE = {"swap": "ready"}
REASONS = {"last_with_cards": "only one player has cards left", "move_limit": "the limit of moves is reached"}

DECK = french()
HAND, FACING, SWAPS = 7, 4, 8
ORDER, ALWAYS = "456789JQKA", "23T"
# What may be played on the card that counts; "" if there is none.
FITTING_RANKS = {rank: ALWAYS + ORDER[i + 1 :] for i, rank in enumerate(ORDER)}
FITTING_RANKS |= {"7": ALWAYS + "456", "2": RANKS, "": RANKS}
FITTING = {c: frozenset(french(FITTING_RANKS[c[:1]])) for c in ("", *DECK) if c[:1] != "3" and c[:1] != "T"}
# How much a card weighs on its holder: the less often it fits, the more.
WEIGHT = {c: 0.25 + sum(c not in fitting for fitting in FITTING.values()) / len(FITTING) for c in DECK}
PLAYS = {card: ref.fixed({"type": "play", "cards": [card]}) for card in DECK}
LACKING = {2: 2, 3: 1}  # length of a run → the cards that complete it
BEGUN = ("play", "over")  # the phases after swapping
_key = by_rank().__getitem__
OPTIONS = {
    "out_of_turn": ref.switch("whether a run of four may be completed out of turn", on=True),
    "move_limit": ref.Option(ref.Int(0, 100_000), 0, "moves after which the game stops; 0: no limit"),
}

TO_LIE = ref.Field(ref.CARD, "a card of one's hand, to lie face up", zones="hand")
TO_GO = ref.Field(ref.CARD, "a face-up card of another rank, to go into the hand", zones="up")
LAID = ref.Field(ref.CARDS, "cards of one rank, in the order laid", zones="hand up")
ALL_FOUR = ref.Field(ref.CARDS, "all that the run on top of the pile lacks of four", zones="hand up")
WHICH = ref.Field(
    ref.COUNT, "which face-down card, from 0", zones="down", role="position", base=0, within=range(4)
)


def _facing(state: Any) -> int | range:
    return FACING if state.phase == "swap" else range(FACING + 1)


@ref.state
class State(Position):
    hand: list[Zone] = zone(
        OWNER, sort=_key, per_seat=True, size=lambda s, seat: HAND if s.phase == "swap" else None
    )
    up: list[Zone] = zone(
        EVERYONE, sort=_key, per_seat=True, called="face-up cards", size=lambda s, seat: _facing(s)
    )
    down: list[Zone] = zone(NOBODY, per_seat=True, called="face-down cards", size=lambda s, seat: _facing(s))
    stock: Zone = zone(NOBODY)
    pile: Zone = zone(EVERYONE, phases=BEGUN)
    burned: Zone = zone(EVERYONE, sort=_key, phases=BEGUN, called="cards put aside")
    dealer: int = fact(ref.seat_number, "who dealt")
    turn: int = fact(ref.seat_number, "whose turn it is, or while swapping who will begin")
    ready: list[int] = fact(ref.seat_list, "who is done swapping, ascending", phases=("swap",), otherwise=[])
    swaps: list[int] = fact(
        lambda n: ref.ListOf(ref.Int(0, SWAPS), n, n),
        "swaps made",
        phases=("swap",),
        otherwise=lambda n: [0] * n,
    )
    out: list[int] = fact(ref.seat_list, "who has got rid of all, first one first")
    moves: int = fact(ref.COUNT, "moves made in phase play")


def deck(seats: int, options: dict[str, Any]) -> Sequence[str]:
    return DECK if seats < 4 else DECK * 2


def deal(state: State, chance: Chance) -> None:
    n = state.seats
    state.dealer = chance.pick(n)
    cards = chance.shuffle(deck(n, state.options))
    first = (state.dealer + 1) % n
    start = 0
    for places, size in ((state.hand, HAND), (state.down, FACING), (state.up, FACING)):
        ref.deal_round(state, places, first, cards[start : start + size * n])
        start += size * n
    ref.put(state, state.stock, cards[start:])
    state.turn, state.out, state.moves, state.ready, state.swaps = first, [], 0, [], [0] * n
    ref.enter(state, "swap")


def due(state: State) -> list[int]:
    swapping = state.phase == "swap"
    return [seat for seat in range(state.seats) if seat not in state.ready] if swapping else [state.turn]


# --- rules --------------------------------------------------------------------------------------------
def _source(state: State, seat: int) -> Zone:
    """Return the cards that the seat plays from: rule source."""
    return state.hand[seat] or state.up[seat]


def _same_rank(one: str, other: str) -> bool:
    return one[0] == other[0]


def _no_swap_left(state: State, seat: int) -> bool:
    return state.swaps[seat] >= SWAPS


def _held_nowhere(state: State, seat: int, play: Move) -> str | None:
    cards, hand, up = play["cards"], state.hand[seat], state.up[seat]
    if len(cards) == 1 and (cards[0] in hand or cards[0] in up):  # most plays
        return None
    return missing(cards, hand + up)


def _not_in_source(state: State, seat: int, play: Move) -> str | None:
    return missing(play["cards"], _source(state, seat))


def _may_not_complete(state: State, seat: int) -> bool:
    return seat != state.turn and not state.options["out_of_turn"]


def _blind(state: State, seat: int) -> bool:
    return not (state.hand[seat] or state.up[seat])


def _can_play(state: State, seat: int, play: Move, plays: ref.Moves | None = None) -> bool:
    """Return whether cards of the seat fit; a list passes on the plays that it has found."""
    return bool(_playable(state, seat) if plays is None else plays)


def _playable(state: State, seat: int) -> list[str]:
    fitting = _fitting(state)
    return [card for card in _source(state, seat) if card in fitting]


def _fitting(state: State) -> Collection[str]:
    return FITTING[_counting(state)]


def _does_not_complete(state: State, seat: int, play: Move) -> bool:
    cards, lacking = play["cards"], _lacking(state)
    return not lacking or cards[0][0] != state.pile[-1][0] or len(cards) != lacking


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
    pile, run = state.pile, 1
    while run < len(pile) and pile[-run - 1][0] == pile[-1][0]:
        run += 1
    return run if pile else 0


def _swaps(state: State, seat: int) -> list[tuple[str, str]]:
    """Return the first cards of each rank, in the hand and face up."""
    mine, shown = ({c[0]: c for c in reversed(cards)} for cards in (state.hand[seat], state.up[seat]))
    return [(a, b) for a in reversed(mine.values()) for b in reversed(shown.values())]


def _swaps_proposed(state: State, seat: int) -> ref.Moves:
    return [SWAP.moves[pair] for pair in _swaps(state, seat)]


def _runs(kind: str) -> Callable[[State, int], ref.Moves]:
    """Return a function of the moves with the first cards of each rank, by number of cards."""

    def runs(state: State, seat: int) -> ref.Moves:
        runs: list[list[str]] = []
        for card in _source(state, seat):
            runs.append([*runs[-1], card] if runs and runs[-1][0][0] == card[0] else [card])
        return [{"type": kind, "cards": run} for run in runs]

    return runs


def _completions(state: State, seat: int, source: Zone) -> ref.Moves:
    """Return the move that completes four of a rank, or none; the first cards of the rank are listed."""
    if not _lacking(state):
        return []
    same = [card for card in source if card[0] == state.pile[-1][0]]
    moves = [{"type": "complete", "cards": same[: i + 1]} for i in range(len(same))]
    return [play for play in moves if not _does_not_complete(state, seat, play)]


def _in_play(state: State, seat: int) -> ref.Moves:
    source = _source(state, seat)
    if seat != state.turn:
        return [] if _may_not_complete(state, seat) else _completions(state, seat, source)
    fitting = _fitting(state)
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
    if not plays and _blind(state, seat):
        return [FLIP.moves[i] for i in range(len(state.down[seat]))]
    picks_up = not _can_play(state, seat, PICK_UP.move, plays)
    if completions := _completions(state, seat, source):
        plays += completions
    return [*plays, PICK_UP.move] if picks_up else plays


# --- moves --------------------------------------------------------------------------------------------
def _swap(state: State, seat: int, play: Move, chance: Chance) -> None:
    move(state, state.hand[seat], state.up[seat], play["hand"])
    move(state, state.up[seat], state.hand[seat], play["up"])
    state.swaps[seat] += 1


def _ready(state: State, seat: int, play: Move, chance: Chance) -> None:
    state.ready = sorted([*state.ready, seat])
    if len(state.ready) == state.seats:
        ref.enter(state, "play")


def _lay(state: State, seat: int, play: Move, chance: Chance) -> None:
    move(state, _source(state, seat), state.pile, play["cards"])
    _after_laying(state, seat)


def _flip(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Lay a face-down card; if it does not fit, the seat takes the pile."""
    fits = state.down[seat][play["position"]] in _fitting(state)
    move(state, state.down[seat], state.pile, play["position"])
    (_after_laying if fits else _take_pile)(state, seat)


def _pick_up(state: State, seat: int, play: Move, chance: Chance) -> None:
    _take_pile(state, seat)


def _take_pile(state: State, seat: int) -> None:
    move(state, state.pile, state.hand[seat])
    _end_move(state, seat + 1)


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
    _end_move(state, seat if cleared else seat + 1)


def _end_move(state: State, seat: int) -> None:
    """Give the turn to this seat or, if it is out, to the next one clockwise that is not."""
    state.moves += 1
    if len(state.out) < state.seats - 1:  # else the game is over, and the turn stays where it was
        while (seat := seat % state.seats) in state.out:
            seat += 1
        state.turn = seat
    ref.finish(state, ending(state))


def _turn_of(state: State, seat: int, play: Move) -> str:
    return f"it is seat {state.turn}'s turn; out of turn you may at most complete four of a kind"


def _lacks(state: State, seat: int, play: Move) -> str:
    if lacking := _lacking(state):
        cards = spoken_list(play["cards"])
        return f"the cards of one rank on top of the pile lack {lacking} of four, not {cards}"
    return "there are not exactly two or three cards of one rank on top of the pile"


def _not_beyond(how: str) -> Callable[[State, int, Move], str]:
    return lambda s, seat, m: (
        f"your {spoken(m['cards'][0])} is not {how} than the {spoken(_counting(s))} that counts on the pile"
    )


TURN = ref.rule("palace.turn", lambda s, seat, m: seat != s.turn, _turn_of)
HELD = ref.rule("common.not_held", _held_nowhere, lambda s, seat, m: (
    ref.not_held(_held_nowhere(s, seat, m), "your hand or your face-up cards").reason))  # fmt: skip
SOURCE = ref.rule("palace.source", _not_in_source, lambda s, seat, m: (
    f"your {spoken(str(_not_in_source(s, seat, m)))} lies face up;"
    " you play from your hand as long as it has cards"))  # fmt: skip
ONE_RANK = ref.rule("palace.same_rank", lambda s, seat, m: (
    len(m["cards"]) > 1 and len({card[0] for card in m["cards"]}) > 1),
                    lambda s, seat, m: f"{spoken_list(m['cards'])} are not of one rank")  # fmt: skip
SWAP = ref.move_type("swap", "swap", _swap, [
    ref.rule("palace.swap", lambda s, seat, m: _same_rank(m["hand"], m["up"]), lambda s, seat, m: (
        f"the {spoken(m['hand'])} and the {spoken(m['up'])} are of one rank,"
        " so a swap would change nothing")),
    ref.rule("palace.swap_limit", _no_swap_left, f"you have made all your {SWAPS} swaps"),
], fields={"hand": TO_LIE, "up": TO_GO}, candidates=_swaps_proposed)  # fmt: skip
READY = ref.move_type("ready", "swap", _ready)
PLAY = ref.move_type("play", "play", _lay, [
    HELD, TURN, SOURCE, ONE_RANK,
    ref.rule("palace.seven", lambda s, seat, m: (
        m["cards"][0] not in _fitting(s) and _counting(s)[0] == "7"), _not_beyond("lower")),
    ref.rule("palace.higher", lambda s, seat, m: (
        m["cards"][0] not in _fitting(s) and _counting(s)[0] != "7"), _not_beyond("higher")),
], fields={"cards": LAID}, candidates=_runs("play"))  # fmt: skip
PICK_UP = ref.move_type("pick_up", "play", _pick_up, [
    TURN,
    ref.rule("palace.blind", _blind, "you have face-down cards only, so you must flip one of them"),
    ref.rule("palace.must_play", _can_play, lambda s, seat: (
        f"your {spoken(_playable(s, seat)[0])} can be played, so you may not pick up")),
])  # fmt: skip
FLIP = ref.move_type("flip", "play", _flip, [
    ref.rule("common.not_held", lambda s, seat, m: m["position"] >= len(s.down[seat]), lambda s, seat: (
        f"you have {len(s.down[seat])} face-down cards, at positions from 0 on")),
    TURN,
    ref.rule("palace.blind", lambda s, seat: not _blind(s, seat),
             "you flip face-down cards only when you have no others left"),
], fields={"position": WHICH})  # fmt: skip
FOURTH = ref.move_type("complete", "play", _lay, [
    HELD, ref.rule("palace.turn", _may_not_complete, _turn_of), SOURCE, ONE_RANK,
    ref.rule("palace.complete", _does_not_complete, _lacks),
], fields={"cards": ALL_FOUR}, out_of_turn=True, candidates=_runs("complete"))  # fmt: skip
BLOCKS = (SWAP, READY, PLAY, PICK_UP, FLIP, FOURTH)
ref.complete(globals(), {"play": _in_play})


def ending(state: State) -> ref.Result:
    """Return the result once all seats but one are out, or at the limit of moves, or None."""
    losers: list[int] = []
    if len(state.out) == state.seats - 1:
        losers, reason = [seat for seat in range(state.seats) if seat not in state.out], "last_with_cards"
    elif 0 < state.moves == state.options["move_limit"]:
        reason = "move_limit"
    else:
        return None
    return ref.outcome(state, sorted(state.out), reason, losers) | {"ranking": state.out + losers}


def standing(state: State) -> list[float]:
    """Return how little each seat has left to play: 1 for nothing, and towards 0 the more it is."""
    places = zip(state.hand, state.up, state.down, strict=True)
    return [8 / (8 + len(down) + sum(WEIGHT[card] for card in hand + up)) for hand, up, down in places]


def idle(play: Move) -> bool:
    """Whether a swap brings no better card to lie face up; so swaps that bots make undo none."""
    return play["type"] == "swap" and WEIGHT[play["hand"]] >= WEIGHT[play["up"]]


def check(state: State) -> None:
    ranks = "".join([card[0] for card in state.pile])
    cleared = "T" in ranks or any(rank * 4 in ranks for rank in RANKS)
    require(not cleared, "zones.pile", "must hold no ten and no four of a rank together: they clear it")
    for hand, up, down in zip(state.hand, state.up, state.down, strict=True):
        whole = len(down) == FACING or not up
        require(whole, f"zones.{down.name}", f"must hold {FACING} cards while {up.name} has any")
        full = not state.stock or not (hand or down) or (len(hand) >= HAND and len(up) == FACING)
        require(full, f"zones.{hand.name}", f"must hold {HAND}, {up.name} {FACING}: the stock has cards")
    empty = [s for s in range(state.seats) if not (state.hand[s] or state.up[s] or state.down[s])]
    require(sorted(state.out) == empty, "facts.out", f"must name just {empty}, the seats without cards")
    scores = [state.seats - 1 - state.out.index(s) if s in state.out else 0 for s in range(state.seats)]
    require(state.scores == scores, "scores", f"must be {scores}, as facts.out gives them")
    if state.phase == "swap":
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
