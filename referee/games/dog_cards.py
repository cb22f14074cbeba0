"""Dog cards: seats build rows from 1 to 14 and buy cards from an open row; 2 to 4 seats, 4 in teams of two.

Hidden: hands, gifts to the partner, the draw pile, and the cards that a 7 looks at (from all others).
Rules: `referee/games/rules/dog_cards.md`.
"""

from dataclasses import dataclass
from typing import Any

from referee.authoring import (  # isort: skip
    CARD, COUNT, EVERYONE, FREE, INTEGER, NOBODY, OWNER, Chance, Field, Int, Maybe, Move, Option, Position,
    Refusal, Talk, Zone, always, check_size, deal_round, fact, finish, gather, move, not_held, outcome,
    put, require, seat_number, zone,
)  # fmt: skip
from referee.games import rows

from referee.games.rows import (  # isort: skip
    ANY, BEARS, BUYS, DECK, FACES, FITS, JOKER, LAST, OPEN, ORDER, REPLACES, ROBBER, SPOKEN, Begun,
)  # fmt: skip

ID, VERSION, NAME, SEATS = "dog_cards", 1, "Dog Cards", (2, 3, 4)
ACTIONS = ("lay", "buy", "look", "search", "rob", "swap", "discard")
PHASES = {"exchange": ("give",), "play": ACTIONS, "look": ("take",), "over": ()}
HELD, ROW = Field(CARD, "a card of one's hand", zones="hand"), "row{row}.{owner}"
PLACE: Any = {"role": "position", "within": range(1, 14)}
SEEN = PLACE | {"within": range(1, 8)}
WHICH = {"owner": Field(INTEGER, "whose row", role="seat", within=range(4))}
WHICH["row"] = Field(INTEGER, "1 or 2", zones=ROW, within=range(1, 3))
MOVES = {
    "give": {"card": Field(CARD, "the card put face down before the partner", secret=True, zones="hand")},
    "lay": {"card": HELD, **WHICH},
    "buy": {"card": HELD, "position": Field(INTEGER, "the open row's, 1 to 13", zones="open", **PLACE)},
    "look": {},
    "take": {"place": Field(INTEGER, "of a card looked at, 1 on top", secret=True, zones="look", **SEEN)},
    "search": {"take": Field(CARD, "the card wanted from the discard pile", zones="discard")},
    "rob": WHICH,
    "swap": {"card": HELD, **WHICH, "place": Field(INTEGER, "the joker's, 1 to 13", zones=ROW, **PLACE)},
    "discard": {"card": HELD},
}
OUT_OF_TURN, COMPLETE, ROLES = (), True, {"turn": "seat", "turns": "counter"}
REASONS = {"rows": "the rows are complete", "turn_limit": "the limit of turns is reached"}
LOOK, PAID = 7, {"look": "7", "search": LAST, "rob": ROBBER}  # what a 7 looks at; what a special action plays
HAND, ROWS = {2: 7, 3: 7, 4: 5}, {2: 2, 3: 2, 4: 1}  # by seats: cards in a hand; rows that a seat may own
SIDES = {2: ((0,), (1,)), 3: ((0,), (1,), (2,)), 4: ((0, 2), (1, 3), (0, 2), (1, 3))}
SILENCE = Talk(rule="dog_cards.silence", reason="partners do not talk during the game")
CATALOGUE = {
    **{card: {"colour": "blue"} for card in ("1", "13")},  # they fit at two places
    **{card: {"colour": "green"} for card in ("4", "7", "14")},  # they can do something special
    "J": {"name": "joker", "colour": "purple", "icon": "cap"},
    "R": {"name": "robber", "colour": "red", "icon": "mask"},
}


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    draw: Zone = zone(NOBODY, called="draw pile")
    discard: Zone = zone(EVERYONE, called="discard pile")
    open: Zone = zone(EVERYONE, called="open row")
    look: Zone = zone("turn", phases=("look",), called="cards being looked at")
    hand: list[Zone] = zone(OWNER, sort=ORDER.__getitem__, per_seat=True)
    row1: list[Zone] = zone(EVERYONE, per_seat=True, called="first row")
    row2: list[Zone] = zone(EVERYONE, per_seat=True, exists=lambda seats: seats < 4, called="second row")
    done: list[Zone] = zone(EVERYONE, per_seat=True, called="completed rows")
    gift: list[Zone] = zone(OWNER, per_seat=True, exists=lambda seats: seats == 4, phases=("exchange",))
    turn: int = fact(seat_number, "whose turn it is, is to be first, or was last")
    turns: int = fact(COUNT, "the number of finished turns")


def options(seats: int) -> dict[str, Option]:
    return {
        "youngest": Option(Maybe(seat_number(seats)), None, "the seat that begins; null: a chance pick"),
        "turn_limit": Option(Int(0, 100000), 0, "turns after which the game ends undecided; 0: no limit"),
    }


deck = always(DECK)


def deal(state: State, chance: Chance) -> None:
    """Lay out the open row, replace cards at their own numbers, deal the hands, and choose who begins."""
    put(state, state.draw, chance.shuffle(DECK))
    move(state, state.draw, state.open, slice(OPEN))
    for i in range(OPEN):
        if i + 1 in BEARS[state.open[i]]:
            move(state, state.open, state.draw, i)
            _fill(state, i, chance)
    seats = state.seats
    youngest = state.options["youngest"]
    deal_round(state, state.hand, 0, state.draw[: seats * HAND[seats]], state.draw)
    state.turns, state.to_act = 0, list(range(seats))
    _give_turn(state, chance.pick(seats) if youngest is None else youngest)
    if seats == 4:
        state.phase = "exchange"


def _give_turn(state: State, seat: int) -> None:
    state.turn, state.phase = seat, "play"


def due(state: State) -> list[int]:
    """Return the seat in turn, or in the exchange the seats that have not given; `apply` removes them."""
    return state.to_act if state.phase == "exchange" else [state.turn]


def _fill(state: State, i: int, chance: Chance) -> None:
    """Fill the gap at index i of the open row; cards that may not lie there go under the pile: open_row."""
    end = i
    while True:
        if not state.draw:  # rule reshuffle
            put(state, state.draw, chance.shuffle(gather(state, state.discard)))
        card = state.draw[0]
        move(state, state.draw, state.open, 0, end)
        if i + 1 not in BEARS[card]:
            break
        end += 1
    if end > i:
        move(state, state.open, state.draw, slice(i, end))


def refuse(state: State, seat: int, play: Move) -> Refusal | None:
    kind = play["type"]
    if kind == "take":
        looked = f"you look at {len(state.look)} cards"
        return None if play["place"] in _looked_at(state) else Refusal("dog_cards.take_place", looked)
    card = PAID.get(kind) or play["card"]
    if card not in state.hand[seat]:
        return not_held(card)
    if kind == "search" and play["take"] not in state.discard:
        return not_held(play["take"], "the discard pile")
    if kind == "buy" and play["position"] not in BUYS[card]:
        return _refuse_buy(card, play["position"])
    if "row" not in play:
        return None
    owner, number, most = play["owner"], play["row"], ROWS[state.seats]
    if not (0 <= owner < state.seats and 1 <= number <= most):
        return Refusal("dog_cards.no_row", f"rows go from 1 to {most}, seats to {state.seats - 1}")
    row = (state.row1, state.row2)[number - 1][owner]
    if kind == "lay":
        return _refuse_lay(state, seat, play, row)
    if kind == "swap":
        return _refuse_swap(state, play, row)
    if (owner, number) in _robbed(rows.begun(state.row1, state.row2), seat):
        return None
    if owner == seat:
        return Refusal("dog_cards.rob_other", "a robber takes from the rows of other players, not from yours")
    return Refusal("dog_cards.rob_last", f"that row of seat {owner} holds no card to take")


def _refuse_buy(card: str, position: int) -> Refusal:
    if position not in ANY:
        return Refusal("dog_cards.positions", f"the open row has the positions 1 to {OPEN}")
    if card == "4":
        return Refusal("dog_cards.four", f"a 4 buys the positions 1 to 8, not {position}")
    bought = "position " + " or ".join(map(str, BUYS[card])) if BUYS[card] else "nothing"
    return Refusal("dog_cards.buy_value", f"{SPOKEN[card]} buys {bought}, so not position {position}")


def _refuse_swap(state: State, play: Move, row: Zone) -> Refusal | None:
    card, place = play["card"], play["place"]
    if (play["owner"], play["row"], place) not in _jokers(rows.begun(state.row1, state.row2)):
        lies = ", ".join(row) or "empty"
        return Refusal("dog_cards.swap_joker", f"no joker lies there; the row is {lies}")
    if place in REPLACES[card]:
        return None
    return Refusal("dog_cards.swap_fit", f"{SPOKEN[card]} cannot be put for a joker at place {place}")


def _looked_at(state: State) -> range:
    return range(1, len(state.look) + 1)


def _jokers(begun: Begun) -> list[tuple[int, int, int]]:
    """Return owner, number and place for each joker that lies in a row."""
    jokers: list[tuple[int, int, int]] = []
    for owner, number, row in begun:
        if JOKER in row:
            jokers += [(owner, number, i) for i, card in enumerate(row, 1) if card == JOKER]
    return jokers


def _robbed(begun: Begun, seat: int) -> list[tuple[int, int]]:
    """Return owner and number of each row from which the seat may rob: rules rob_other and rob_last."""
    return [(owner, number) for owner, number, _ in begun if owner != seat]


def _refuse_lay(state: State, seat: int, play: Move, row: Zone) -> Refusal | None:
    owner, card, place = play["owner"], play["card"], len(row) + 1
    if owner not in SIDES[state.seats][seat]:
        return Refusal("dog_cards.own_rows", f"you lay to rows of your own side, not to seat {owner}'s")
    if not row and (begins := _next_row(state, owner)) != play["row"]:
        if begins:
            return Refusal("dog_cards.row_slot", f"row 1 of seat {owner} is free and is begun first")
        most = ROWS[state.seats]
        return Refusal("dog_cards.row_limit", f"seat {owner} may own {most} rows, completed ones counted")
    if place in FITS[card]:
        return None
    if place == 1:
        return Refusal("dog_cards.start", f"a row begins with a 1, a 13 or a joker, not with {SPOKEN[card]}")
    if place > OPEN and card == JOKER:
        return Refusal("dog_cards.joker_14", "the row needs a 14, for which a joker cannot stand")
    return Refusal("dog_cards.next_card", f"place {place} of the row is next: {SPOKEN[card]} does not fit")


def _next_row(state: State, owner: int) -> int:
    """Return the number of the row that is begun next, or 0 for none: rules row_limit and row_slot."""
    begun = 1 if state.row1[owner] else 0
    owned = begun + (1 if state.row2[owner] else 0) + len(state.done[owner])
    return 0 if owned >= ROWS[state.seats] else 1 + begun


def listed(state: State, seat: int) -> list[dict[str, Any]]:
    if state.phase == "look":
        return [{"type": "take", "place": place} for place in _looked_at(state)]
    cards = dict.fromkeys(state.hand[seat])  # a dictionary keeps the order, and a set would not
    if state.phase == "exchange":
        return [rows.GIFTS[card] for card in cards]
    fitting = rows.lays(_ends(state, seat))
    found: list[dict[str, Any]] = []
    for card in cards:
        if card in fitting:
            found += fitting[card]
    purchases = rows.PURCHASES
    for card in cards:
        found += purchases[card]
    if "7" in cards:
        found.append(rows.LOOKING)
    if LAST in cards:
        discarded = set(state.discard)
        found += [rows.SEARCHES[card] for card in FACES if card in discarded]
    begun = rows.begun(state.row1, state.row2)
    if ROBBER in cards:
        found += [{"type": "rob", "owner": o, "row": n} for o, n in _robbed(begun, seat)]
    if jokers := _jokers(begun):
        swaps = [(card, *at) for card in cards for at in jokers if at[2] in REPLACES[card]]
        found += [{"type": "swap", "card": c, "owner": o, "row": n, "place": i} for c, o, n, i in swaps]
    found += [rows.DISCARDS[card] for card in cards]
    return found


def _ends(state: State, seat: int) -> tuple[tuple[int, int, int], ...]:
    """Return the rows to which a seat may lay: owner, number, and the number of their cards."""
    ends = []
    for owner in SIDES[state.seats][seat]:
        next_row = _next_row(state, owner)
        for number, row in ((1, state.row1[owner]), (2, state.row2[owner])):
            if row or number == next_row:
                ends.append((owner, number, len(row)))
    return tuple(ends)


def talk(state: State) -> Talk:
    """Forbid partners to talk; alone against each other people may."""
    return SILENCE if state.seats == 4 else FREE


def team(state: State, seat: int) -> list[int]:
    return list(SIDES[state.seats][seat])


def apply(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Make a legal move; every move except `give` and `look` finishes the turn."""
    kind, hand = play["type"], state.hand[seat]
    if kind == "give":
        return _give(state, seat, play["card"])
    if kind == "look":
        move(state, hand, state.discard, "7")
        move(state, state.draw, state.look, slice(LOOK))
        state.phase = "look"
        return None
    if kind == "buy":
        i = play["position"] - 1
        move(state, hand, state.discard, play["card"])
        move(state, state.open, hand, i)
        _fill(state, i, chance)
    elif kind == "discard":
        move(state, hand, state.discard, play["card"])
        move(state, state.draw, hand, 0)
    elif kind == "take":
        move(state, state.look, hand, play["place"] - 1)
        move(state, state.look, state.draw, to=0)
    elif kind == "search":
        nearest = len(state.discard) - 1 - state.discard[::-1].index(play["take"])
        move(state, state.discard, hand, nearest)
        move(state, hand, state.discard, LAST)
    else:
        row = (state.row1, state.row2)[play["row"] - 1][play["owner"]]
        if kind == "rob":
            move(state, hand, state.discard, ROBBER)
            move(state, row, hand, -1)
        elif kind == "swap":
            move(state, hand, row, play["card"], to=play["place"] - 1)
            move(state, row, hand, play["place"])
        else:
            card = play["card"]
            move(state, hand, row, card)
            if card == LAST:
                move(state, row, state.discard, slice(OPEN))
                move(state, row, state.done[play["owner"]])
                state.scores = _scores(state)
            if not _has_won(state, seat):
                move(state, state.draw, hand, 0)
    if not state.draw:  # rule reshuffle
        put(state, state.draw, chance.shuffle(gather(state, state.discard)))
    state.turns += 1
    result = ending(state)
    return finish(state, result) if result else _give_turn(state, (seat + 1) % state.seats)


def _give(state: State, seat: int, card: str) -> None:
    """Put a gift down. Partners who have both given take up their gifts; play begins when all have."""
    move(state, state.hand[seat], state.gift[seat], card)
    state.to_act.remove(seat)
    pair = SIDES[state.seats][seat]
    if all(state.gift[giver] for giver in pair):
        for giver, receiver in (pair, pair[::-1]):
            move(state, state.gift[giver], state.hand[receiver])
    if not state.to_act:
        _give_turn(state, state.turn)


def _scores(state: State) -> list[int]:
    return [sum(len(state.done[s]) for s in side) for side in SIDES[state.seats]]


def _has_won(state: State, seat: int) -> bool:
    """Return whether every player of the seat's side has completed all rows: rule end_rows."""
    done, most = state.done, ROWS[state.seats]
    return len(done[seat]) == most and all(len(done[s]) == most for s in SIDES[state.seats][seat])


def ending(state: State) -> dict[str, Any] | None:
    """Return the result after the turn of the seat in turn, or None; only its side can have won just now."""
    if _has_won(state, state.turn):
        return outcome(state, SIDES[state.seats][state.turn], "rows")
    if 0 < state.turns == state.options["turn_limit"]:
        return outcome(state, [], "turn_limit", losers=[])
    return None


def standing(state: State) -> list[float]:
    """Return how many rows' worth of cards each side has laid."""
    laid = [len(one) + len(two) for one, two in zip(state.row1, state.row2, strict=True)]
    return [sum(laid[s] for s in side) / (OPEN + 1) for side in SIDES[state.seats]]


def check(state: State) -> None:
    over, looking, limit = state.phase == "over", state.phase == "look", state.options["turn_limit"]
    settled = not any(n in BEARS[card] for n, card in zip(ANY, state.open, strict=False))
    require(settled and len(state.open) == OPEN, "zones.open", "must be 13 cards, none at its own number")
    for seat in range(state.seats):
        done, gift = state.done[seat], state.gift[seat]
        require(set(done) <= {LAST}, f"zones.{done.name}", "holds the 14s of completed rows only")
        for row in (state.row1[seat], state.row2[seat]):
            fits = len(row) <= OPEN and all(place in FITS[card] for place, card in enumerate(row, 1))
            require(fits, f"zones.{row.name}", f"must hold at most {OPEN} cards that fit from place 1 on")
        owned = len(done) + bool(state.row1[seat]) + bool(state.row2[seat])
        require(owned <= ROWS[state.seats], f"zones.{done.name}", "makes too many rows")
        won, its_turn = _has_won(state, seat), seat == state.turn
        ended = over and state.turn in SIDES[state.seats][seat]
        require(ended or not won, f"zones.{done.name}", "would have ended the game before")
        waits = state.phase == "exchange" and seat not in state.to_act and (seat + 2) % 4 in state.to_act
        require(len(gift) == waits, f"zones.{gift.name}", "is one card that waits for the partner's gift")
        check_size(state.hand[seat], HAND[state.seats] - len(gift) - (its_turn and (looking or won)))
    require(bool(state.draw) or looking, "zones.draw", "is never empty between turns")
    if looking:
        looked = len(state.look) == LOOK if state.draw else 1 <= len(state.look) <= LOOK
        require(looked, "zones.look", "must be what a 7 looks at")
        require(state.discard[-1:] == ["7"], "zones.discard", "must have the 7 that looks on top")
    if state.phase == "exchange":
        begun = state.seats != 4 or state.turns or not state.to_act
        require(not begun, "phase", "exchange is for 4 seats before the first turn, until all have given")
        for place in (state.discard, *state.row1, *state.done):
            check_size(place, 0)
    require(state.scores == _scores(state), "scores", "must be the numbers of completed rows")
    require(over or not 0 < limit <= state.turns, "facts.turns", "must be below the limit of turns")
