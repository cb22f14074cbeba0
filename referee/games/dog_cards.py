"""Dog cards: seats build rows from 1 to 14 and buy cards from an open row; 2 to 4 seats, 4 in teams of two.

Hidden: hands, gifts to the partner, the draw pile, and the cards that a 7 looks at (from all others).
Rules: `referee/games/rules/dog_cards.md`.
"""

from collections.abc import Collection, Iterable
from typing import Any

from referee import authoring as ref
from referee.authoring import EVERYONE, NOBODY, OWNER, Chance, Move, Position, Zone, fact, move, require, zone

ID, VERSION, NAME, SEATS = "dog_cards", 1, "Dog Cards", (2, 3, 4)
HELD, ROW = ref.Field(ref.CARD, "a card of one's hand", zones="hand"), "row{row}.{owner}"
PLACE: Any = {"role": "position", "within": range(1, 14)}
SEEN = PLACE | {"within": range(1, 8)}
WHICH = {"owner": ref.Field(ref.INTEGER, "whose row", role="seat", within=range(4))}
WHICH["row"] = ref.Field(ref.INTEGER, "1 or 2", zones=ROW, within=range(1, 3))
TILE = {"minutes": 30, "level": 3, "cards": ("1", "7", "14")}
ROLES = {"turn": "seat", "turns": "counter"}
REASONS = {"rows": "the rows are complete", "turn_limit": "the limit of turns is reached"}

# A row is built from place 1 to 14; a joker may replace any card except a 14.
JOKER, ROBBER, LAST, PLAIN = "J", "R", "14", ("2", "3", "4", "5", "6", "7", "8", "9", "10", "12")
FACES = ("1", *PLAIN, "13", LAST, JOKER, ROBBER)
DECK, ORDER = FACES * 8, {face: i for i, face in enumerate(FACES)}
OPEN = 13  # positions of the open row, and the places of a row before the 14
SPOKEN = {**{face: f"a {face}" for face in FACES}, "8": "an 8", JOKER: "a joker", ROBBER: "a robber"}
ANY = tuple(range(1, OPEN + 1))
# The numbers of a card, the places of a row where it fits, and the positions that it buys.
OWN = {face: (int(face),) for face in PLAIN}
BEARS = {**OWN, "1": (1, 11), "13": (13,), LAST: (14,), JOKER: (), ROBBER: ()}
FITS = {**BEARS, "13": (1, 13), JOKER: ANY}
REPLACES = {**FITS, JOKER: ()}  # where a card may be put for a joker: rule swap_fit
BUYS = {**BEARS, "4": ANY[:8], LAST: (), JOKER: ANY}
BOUGHT = {face: "position " + " or ".join(map(str, at)) if at else "nothing" for face, at in BUYS.items()}

POSITION = ref.Field(ref.INTEGER, "the open row's, 1 to 13", zones="open", **PLACE)
LOOKED_AT = ref.Field(ref.INTEGER, "of a card looked at, 1 on top", secret=True, zones="look", **SEEN)
JOKERS = ref.Field(ref.INTEGER, "the joker's, 1 to 13", zones=ROW, **PLACE)
GIFT = ref.Field(ref.CARD, "the card put face down before the partner", secret=True, zones="hand")
WANTED = ref.Field(ref.CARD, "the card wanted from the discard pile", zones="discard")
LOOKED = 7  # cards that a 7 looks at
HAND, ROWS = {2: 7, 3: 7, 4: 5}, {2: 2, 3: 2, 4: 1}  # by seats: cards in a hand; rows that a seat may own
SIDES = {2: ((0,), (1,)), 3: ((0,), (1,), (2,)), 4: ((0, 2), (1, 3), (0, 2), (1, 3))}
SILENCE = ref.Talk(rule="dog_cards.silence", reason="partners do not talk during the game")
CATALOGUE = {
    **{card: {"colour": "blue"} for card in ("1", "13")},  # they fit at two places
    **{card: {"colour": "green"} for card in ("4", "7", "14")},  # they can do something special
    "J": {"name": "joker", "colour": "purple", "icon": "cap"},
    "R": {"name": "robber", "colour": "red", "icon": "mask"},
}


@ref.state
class State(Position):
    draw: Zone = zone(NOBODY, called="draw pile")
    discard: Zone = zone(EVERYONE, called="discard pile")
    open: Zone = zone(EVERYONE, called="open row", size=OPEN)
    look: Zone = zone("turn", phases=("look",), called="cards being looked at")
    hand: list[Zone] = zone(OWNER, sort=ORDER.__getitem__, per_seat=True, size=lambda s, seat: _held(s, seat))
    row1: list[Zone] = zone(EVERYONE, per_seat=True, called="first row")
    row2: list[Zone] = zone(EVERYONE, per_seat=True, exists=lambda seats: seats < 4, called="second row")
    done: list[Zone] = zone(EVERYONE, per_seat=True, called="completed rows")
    gift: list[Zone] = zone(OWNER, per_seat=True, exists=lambda seats: seats == 4, phases=("exchange",))
    turn: int = fact(ref.seat_number, "whose turn it is, is to be first, or was last")
    turns: int = fact(ref.COUNT, "the number of finished turns")


def options(seats: int) -> ref.Options:
    return {
        "youngest": ref.Option(
            ref.Maybe(ref.seat_number(seats)), None, "the seat that begins; null: a chance pick"
        ),
        "start_cards": ref.switch("a row begins with a 1 or a 13, not with a joker"),
        "done_counts": ref.switch(
            "a completed row counts towards the two that one may own; four seats: always", on=True
        ),
        "turn_limit": ref.Option(
            ref.Int(0, 100000), 0, "turns after which the game ends undecided; 0: no limit"
        ),
    }


def deal(state: State, chance: Chance) -> None:
    """Lay out the open row, replace cards at their own numbers, deal the hands, and choose who begins."""
    ref.put(state, state.draw, chance.shuffle(DECK))
    move(state, state.draw, state.open, slice(OPEN))
    for i in range(OPEN):
        if i + 1 in BEARS[state.open[i]]:
            move(state, state.open, state.draw, i)
            _fill(state, i, chance)
    seats = state.seats
    youngest = state.options["youngest"]
    ref.deal_round(state, state.hand, 0, state.draw[: seats * HAND[seats]], state.draw)
    state.turns, state.to_act = 0, list(range(seats))
    state.turn = chance.pick(seats) if youngest is None else youngest
    state.phase = "exchange" if seats == 4 else "play"


def due(state: State) -> list[int]:
    return state.to_act if state.phase == "exchange" else [state.turn]


def _fill(state: State, i: int, chance: Chance) -> None:
    """Fill the gap at index i of the open row; cards that may not lie there go under the pile: open_row."""
    end = i
    while True:
        if not state.draw:  # rule reshuffle
            ref.put(state, state.draw, chance.shuffle(ref.gather(state, state.discard)))
        card = state.draw[0]
        move(state, state.draw, state.open, 0, end)
        if i + 1 not in BEARS[card]:
            break
        end += 1
    if end > i:
        move(state, state.open, state.draw, slice(i, end))


def talk(state: State) -> ref.Talk:
    """Forbid partners to talk; alone against each other people may."""
    return SILENCE if state.seats == 4 else ref.FREE_TALK


def team(state: State, seat: int) -> list[int]:
    return list(SIDES[state.seats][seat])


# --- rules --------------------------------------------------------------------------------------------
def _buys(card: str) -> Collection[int]:
    return BUYS[card]


def _bars(state: State, seat: int, play: Move) -> bool:
    return play["position"] not in _buys(play["card"])


def _fits(card: str, strict: bool) -> Collection[int]:
    """Return the places of a row where a card fits; `strict` is the option start_cards."""
    return ANY[1:] if strict and card == JOKER else FITS[card]


def _replaces(card: str) -> Collection[int]:
    return REPLACES[card]


def _row(state: State, play: Move) -> Zone:
    return (state.row1, state.row2)[play["row"] - 1][play["owner"]]


def _no_row(state: State, seat: int, play: Move) -> bool:
    return not (0 <= play["owner"] < state.seats and 1 <= play["row"] <= ROWS[state.seats])


def _unfit(state: State, play: Move) -> bool:
    return len(_row(state, play)) + 1 not in _fits(play["card"], state.options["start_cards"])


def _jokers(row: Zone) -> Collection[int]:
    return [place for place, card in enumerate(row, 1) if card == JOKER]


def _others(state: State, seat: int) -> Collection[int]:
    return [owner for owner in range(state.seats) if owner != seat]


def _begun(state: State, owner: int) -> Collection[int]:
    return [number for number, row in ((1, state.row1[owner]), (2, state.row2[owner])) if row]


def _next_row(state: State, owner: int) -> int:
    """Return the number of the row that is begun next, or 0 for none: rules row_limit and row_slot."""
    row1, row2, done = state.row1[owner], state.row2[owner], state.done[owner]
    owned = bool(row1) + bool(row2) + (len(done) if done and _done_counts(state) else 0)
    return 0 if owned >= ROWS[state.seats] else 2 if row1 else 1


def _done_counts(state: State) -> bool:
    return state.options["done_counts"] or state.seats == 4


# --- lists of moves -----------------------------------------------------------------------------------
@ref.cached
def _purchases() -> dict[str, ref.Moves]:
    return {face: [BUY.moves[face, n] for n in ANY if n in _buys(face)] for face in FACES}


@ref.cached
def _lays(ends: tuple[tuple[int, int, int], ...], strict: bool) -> dict[str, list[dict[str, Any]]]:
    """Return the moves that lay a card at the end of these rows, by card, where there are any.

    Each row is given as its owner, its number and the number of its cards.
    """
    lays: dict[str, list[dict[str, Any]]] = {}
    for face in FACES:
        for owner, number, length in ends:
            if length + 1 in _fits(face, strict):
                lays.setdefault(face, []).append(LAY.moves[face, owner, number])
    return lays


def _ends(state: State, seat: int) -> tuple[tuple[int, int, int], ...]:
    """Return the rows to which a seat may lay: owner, number, and the number of their cards."""
    ends = []
    for owner in team(state, seat):
        begins = _next_row(state, owner)
        for number, row in ((1, state.row1[owner]), (2, state.row2[owner])):
            if row or number == begins:
                ends.append((owner, number, len(row)))
    return tuple(ends)


def _swaps(state: State, cards: Iterable[str]) -> ref.Moves:
    jokers: list[tuple[int, int, int]] = []
    for owner, row1 in enumerate(state.row1):
        for number, row in ((1, row1), (2, state.row2[owner])):
            if JOKER in row:
                jokers += [(owner, number, place) for place in _jokers(row)]
    if not jokers:
        return ()
    replaced = [(card, _replaces(card)) for card in cards]
    return [SWAP.moves[card, *at] for card, places in replaced for at in jokers if at[2] in places]


def _in_play(state: State, seat: int) -> ref.Moves:
    cards = dict.fromkeys(state.hand[seat])  # a dictionary keeps the order, and a set would not
    fitting, bought = _lays(_ends(state, seat), state.options["start_cards"]), _purchases()
    found: list[dict[str, Any]] = []
    for card in cards:
        if card in fitting:
            found += fitting[card]
    for card in cards:
        found += bought[card]
    if "7" in cards:
        found.append(LOOK.move)
    if LAST in cards:
        discarded = set(state.discard)
        found += [SEARCH.moves[card] for card in FACES if card in discarded]
    if ROBBER in cards:
        found += [ROB.moves[owner, n] for owner in _others(state, seat) for n in _begun(state, owner)]
    found += _swaps(state, cards)
    found += map(DISCARD.moves.__getitem__, cards)
    return found


# --- moves --------------------------------------------------------------------------------------------
def _lay(state: State, seat: int, play: Move, chance: Chance) -> None:
    card, hand, row = play["card"], state.hand[seat], _row(state, play)
    move(state, hand, row, card)
    if card == LAST:
        move(state, row, state.discard, slice(OPEN))
        move(state, row, state.done[play["owner"]])
        state.scores = _scores(state)
    if not _has_won(state, seat):
        move(state, state.draw, hand, 0)
    _end_turn(state, seat, chance)


def _buy(state: State, seat: int, play: Move, chance: Chance) -> None:
    i = play["position"] - 1
    move(state, state.hand[seat], state.discard, play["card"])
    move(state, state.open, state.hand[seat], i)
    _fill(state, i, chance)
    _end_turn(state, seat, chance)


def _discard(state: State, seat: int, play: Move, chance: Chance) -> None:
    move(state, state.hand[seat], state.discard, play["card"])
    move(state, state.draw, state.hand[seat], 0)
    _end_turn(state, seat, chance)


def _look(state: State, seat: int, play: Move, chance: Chance) -> None:
    move(state, state.hand[seat], state.discard, "7")
    move(state, state.draw, state.look, slice(LOOKED))
    state.phase = "look"


def _take(state: State, seat: int, play: Move, chance: Chance) -> None:
    move(state, state.look, state.hand[seat], play["place"] - 1)
    move(state, state.look, state.draw, to=0)
    _end_turn(state, seat, chance)


def _search(state: State, seat: int, play: Move, chance: Chance) -> None:
    nearest = len(state.discard) - 1 - state.discard[::-1].index(play["take"])
    move(state, state.discard, state.hand[seat], nearest)
    move(state, state.hand[seat], state.discard, LAST)
    _end_turn(state, seat, chance)


def _rob(state: State, seat: int, play: Move, chance: Chance) -> None:
    move(state, state.hand[seat], state.discard, ROBBER)
    move(state, _row(state, play), state.hand[seat], -1)
    _end_turn(state, seat, chance)


def _swap(state: State, seat: int, play: Move, chance: Chance) -> None:
    hand, row = state.hand[seat], _row(state, play)
    move(state, hand, row, play["card"], to=play["place"] - 1)
    move(state, row, hand, play["place"])
    _end_turn(state, seat, chance)


def _end_turn(state: State, seat: int, chance: Chance) -> None:
    if not state.draw:  # rule reshuffle
        ref.put(state, state.draw, chance.shuffle(ref.gather(state, state.discard)))
    state.turns += 1
    if not ref.finish(state, ending(state)):
        state.turn, state.phase = (seat + 1) % state.seats, "play"


def _give(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Put a gift down. Partners who have both given take up their gifts; play begins when all have."""
    move(state, state.hand[seat], state.gift[seat], play["card"])
    state.to_act.remove(seat)
    pair = SIDES[state.seats][seat]
    if all(state.gift[giver] for giver in pair):
        for giver, receiver in (pair, pair[::-1]):
            move(state, state.gift[giver], state.hand[receiver])
    if not state.to_act:
        state.phase = "play"


def _scores(state: State) -> list[int]:
    return [sum(len(state.done[s]) for s in side) for side in SIDES[state.seats]]


def _has_won(state: State, seat: int) -> bool:
    """Return whether every player of the seat's side has completed all rows: rule end_rows."""
    done, most = state.done, ROWS[state.seats]
    return len(done[seat]) == most and all(len(done[s]) == most for s in SIDES[state.seats][seat])


def _holds(card: str) -> ref.MoveRule:
    words = ref.not_held(card).reason
    return ref.rule("common.not_held", lambda s, seat: card not in s.hand[seat], words)


NO_ROW = ref.rule("dog_cards.no_row", _no_row, lambda s, seat: (
    f"rows go from 1 to {ROWS[s.seats]}, seats to {s.seats - 1}"))  # fmt: skip
GIVE = ref.move_type("give", "exchange", _give, fields={"card": GIFT})
LAY = ref.move_type("lay", "play", _lay, [
    NO_ROW,
    ref.rule("dog_cards.own_rows", lambda s, seat, m: m["owner"] not in team(s, seat),
             lambda s, seat, m: (f"you lay to rows of your own side, not to seat {m['owner']}'s")),
    ref.rule("dog_cards.row_slot", lambda s, seat, m: (
        not _row(s, m) and _next_row(s, m["owner"]) not in (0, m["row"])),
        lambda s, seat, m: f"row 1 of seat {m['owner']} is free and is begun first"),
    ref.rule("dog_cards.row_limit", lambda s, seat, m: (
        not _row(s, m) and _next_row(s, m["owner"]) != m["row"]),
        lambda s, seat, m: (
            f"seat {m['owner']} may own {ROWS[s.seats]} rows"
            f"{', completed ones counted' if _done_counts(s) else ' at a time'}")),
    ref.rule("dog_cards.start", lambda s, seat, m: _unfit(s, m) and not _row(s, m), lambda s, seat, m: (
        f"a row begins with a 1{' or a 13' if s.options['start_cards'] else ', a 13 or a joker'},"
        f" not with {SPOKEN[m['card']]}")),
    ref.rule("dog_cards.joker_14", lambda s, seat, m: _unfit(s, m) and m["card"] == JOKER,
             "the row needs a 14, for which a joker cannot stand"),
    ref.rule("dog_cards.next_card", lambda s, seat, m: _unfit(s, m), lambda s, seat, m: (
        f"place {len(_row(s, m)) + 1} of the row is next: {SPOKEN[m['card']]} does not fit")),
], fields={"card": HELD, **WHICH})  # fmt: skip
BUY = ref.move_type("buy", "play", _buy, [
    ref.rule("dog_cards.positions", lambda s, seat, m: _bars(s, seat, m) and m["position"] not in ANY,
             f"the open row has the positions 1 to {OPEN}"),
    ref.rule("dog_cards.four", lambda s, seat, m: _bars(s, seat, m) and m["card"] == "4",
             lambda s, seat, m: f"a 4 buys the positions 1 to 8, not {m['position']}"),
    ref.rule("dog_cards.buy_value", _bars, lambda s, seat, m: (
        f"{SPOKEN[m['card']]} buys {BOUGHT[m['card']]}, so not position {m['position']}")),
], fields={"card": HELD, "position": POSITION})  # fmt: skip
LOOK = ref.move_type("look", "play", _look, [_holds("7")])
TAKE = ref.move_type("take", "look", _take, [
    ref.only("dog_cards.take_place", "place", lambda s, seat: range(1, len(s.look) + 1),
             lambda s, seat: f"you look at {len(s.look)} cards"),
], fields={"place": LOOKED_AT})  # fmt: skip
SEARCH = ref.move_type("search", "play", _search, [
    _holds(LAST),
    ref.rule("common.not_held", lambda s, seat, m: m["take"] not in s.discard, lambda s, seat, m: (
        ref.not_held(m["take"], "the discard pile").reason)),
], fields={"take": WANTED})  # fmt: skip
ROB = ref.move_type("rob", "play", _rob, [
    _holds(ROBBER), NO_ROW,
    ref.only("dog_cards.rob_other", "owner", _others,
             "a robber takes from the rows of other players, not from yours"),
    ref.rule("dog_cards.rob_last", lambda s, seat, m: m["row"] not in _begun(s, m["owner"]),
             lambda s, seat, m: (
        f"that row of seat {m['owner']} holds no card to take")),
], fields=WHICH)  # fmt: skip
SWAP = ref.move_type("swap", "play", _swap, [
    NO_ROW,
    ref.rule("dog_cards.swap_joker", lambda s, seat, m: m["place"] not in _jokers(_row(s, m)),
             lambda s, seat, m: (f"no joker lies there; the row is {', '.join(_row(s, m)) or 'empty'}")),
    ref.rule("dog_cards.swap_fit", lambda s, seat, m: m["place"] not in _replaces(m["card"]),
             lambda s, seat, m: f"{SPOKEN[m['card']]} cannot be put for a joker at place {m['place']}"),
], fields={"card": HELD, **WHICH, "place": JOKERS})  # fmt: skip
DISCARD = ref.move_type("discard", "play", _discard, fields={"card": HELD})
BLOCKS = (GIVE, LAY, BUY, LOOK, TAKE, SEARCH, ROB, SWAP, DISCARD)
ref.complete(globals(), {"play": _in_play})


def ending(state: State) -> ref.Result:
    """Return the result after the turn of the seat in turn, or None; only its side can have won just now."""
    if _has_won(state, state.turn):
        return ref.outcome(state, SIDES[state.seats][state.turn], "rows")
    if 0 < state.turns == state.options["turn_limit"]:
        return ref.outcome(state, [], "turn_limit", losers=[])
    return None


def standing(state: State) -> list[float]:
    """Return how many rows' worth of cards each side has laid."""
    laid = [len(one) + len(two) for one, two in zip(state.row1, state.row2, strict=True)]
    return [sum(laid[s] for s in side) / (OPEN + 1) for side in SIDES[state.seats]]


def _waits(state: State, seat: int) -> int:
    """Return how many gifts of a seat wait for the partner's."""
    return int(state.phase == "exchange" and seat not in state.to_act and (seat + 2) % 4 in state.to_act)


def _held(state: State, seat: int) -> int:
    """Return how many cards a seat holds: one less while it looks, waits with its gift or has won."""
    spent = seat == state.turn and (state.phase == "look" or _has_won(state, seat))
    return HAND[state.seats] - _waits(state, seat) - spent


def check(state: State) -> None:
    over, limit = state.phase == "over", state.options["turn_limit"]
    settled = not any(n in BEARS[card] for n, card in zip(ANY, state.open, strict=False))
    require(settled, "zones.open", "must have no card at its own number")
    for seat, done in enumerate(state.done):
        waits = len(state.gift[seat]) == _waits(state, seat)
        require(waits, f"zones.gift.{seat}", "is one card that waits for the partner's gift")
        require(set(done) <= {LAST}, f"zones.{done.name}", "holds the 14s of completed rows only")
        owned = bool(state.row1[seat]) + bool(state.row2[seat]) if _done_counts(state) else 0
        require(owned + len(done) <= ROWS[state.seats], f"zones.{done.name}", "makes too many rows")
        ended = over and state.turn in SIDES[state.seats][seat]
        require(ended or not _has_won(state, seat), f"zones.{done.name}", "would have ended the game before")
    for row in (*state.row1, *state.row2):
        strict = state.options["start_cards"]
        fits = len(row) <= OPEN and all(place in _fits(card, strict) for place, card in enumerate(row, 1))
        require(fits, f"zones.{row.name}", f"must hold at most {OPEN} cards that fit from place 1 on")
    require(bool(state.draw) or state.phase == "look", "zones.draw", "is never empty between turns")
    if state.phase == "look":
        looked = len(state.look) == LOOKED if state.draw else 1 <= len(state.look) <= LOOKED
        require(looked, "zones.look", "must be what a 7 looks at")
        require(state.discard[-1:] == ["7"], "zones.discard", "must have the 7 that looks on top")
    if state.phase == "exchange":
        begun = state.seats != 4 or state.turns or not state.to_act
        require(not begun, "phase", "exchange is for 4 seats before the first turn, until all have given")
        for place in (state.discard, *state.row1, *state.done):
            ref.check_size(place, 0)
    require(state.scores == _scores(state), "scores", "must be the numbers of completed rows")
    require(over or not 0 < limit <= state.turns, "facts.turns", "must be below the limit of turns")
