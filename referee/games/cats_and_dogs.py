"""Cats and dogs: a short trick game with 18 cards for 1 to 5 seats; the weakest cards are worth most.

Hidden: each hand from the others, the cards out of play from everyone, and with one seat the table's
face-down cards. Rules: `referee/games/rules/cats_and_dogs.md`.
"""

from typing import Any

from referee import authoring as ref
from referee.authoring import EVERYONE, NOBODY, OWNER, Chance, Move, Position, Zone, fact, move, require, zone

ID, VERSION, NAME, SEATS = "cats_and_dogs", 1, "Cats and Dogs", (1, 2, 3, 4, 5)
TILE = {"minutes": 10, "level": 1, "cards": ("C9", "D1", "C5")}
ROLES = {"round": "counter", "lead": "seat", "recent": "seat"}
WORDS = {"recent": "Took tricks, latest first: {}"}
REASONS = {
    "ribbons_reached": "21 ribbons are reached",
    "rounds_used_up": "four rounds brought too few ribbons",
    "most_ribbons": "the most ribbons",
    "last_trick": "as many ribbons, and the more recent trick",
    "shared": "as many ribbons, and nobody won a trick",
}

DECK = tuple(faction + digit for faction in "CD" for digit in "123456789")
STRENGTH = {card: int(card[1]) for card in DECK}
SIGNED = {card: STRENGTH[card] if card[0] == "C" else -STRENGTH[card] for card in DECK}
RIBBONS = {card: (3, 2, 2, 1, 1, 1, 0, 0, 0)[STRENGTH[card] - 1] for card in DECK}
FACTIONS = {"C": ("cat", "orange"), "D": ("dog", "blue")}
CATALOGUE: Any = {card: {"suit": card[0], "rank": card[1], "points": RIBBONS[card]} for card in DECK}
for _card, _about in CATALOGUE.items():
    _kind, _colour = FACTIONS[_card[0]]
    _about |= {"name": f"{_kind} {_card[1]}", "colour": _colour, "icon": _kind}
TRICKS, GOAL, SOLO_ROUNDS = {1: 5, 2: 5, 3: 5, 4: 4, 5: 3}, 21, 4
LEFT_OVER = {1: 3, 2: 3, 3: 3, 4: 2, 5: 3}  # cards out of play, by number of seats
# Seats in order of play, by number of seats and by who leads.
ROUNDS = {n: [[(lead + i) % n for i in range(n)] for lead in range(n)] for n in SEATS}
TABLE = -1  # the player of the table's cards, where there are any
_strength = STRENGTH.__getitem__
_signed = SIGNED.__getitem__


def _left(state: Any) -> int:
    """Return how many cards everybody holds before the trick."""
    return max(map(len, state.hand))


@ref.state
class State(Position):
    hand: list[Zone] = zone(OWNER, sort=ref.AS_TEXT, per_seat=True, phases=("play",))
    trick: Zone = zone(EVERYONE, phases=("play",))
    won: list[Zone] = zone(EVERYONE, sort=ref.AS_TEXT, per_seat=True, called="collected cards")
    out: Zone = zone(NOBODY, sort=ref.AS_TEXT, called="cards out of play", size=lambda s: LEFT_OVER[s.seats])
    open: Zone = zone(EVERYONE, exists=lambda n: n < 3, phases=("play",), called="open cards", size=_left)
    hidden: Zone = zone(
        NOBODY, exists=lambda n: n == 1, phases=("play",), called="face-down cards", size=_left
    )
    table: Zone = zone(
        EVERYONE, sort=ref.AS_TEXT, exists=lambda n: n < 3, called="cards that the table collected"
    )
    round: int = fact(ref.Int(1), "the round being played, from 1")
    lead: int = fact(ref.seat_number, "who plays first to the current trick")
    recent: list[int] = fact(ref.seat_list, "winners of tricks in this game, most recent first, each once")


def options(seats: int) -> ref.Options:
    seat = ref.Maybe(ref.seat_number(seats))
    return {"first": ref.Option(seat, None, "the seat that begins; null: a chance pick")}


def deal(state: State, chance: Chance) -> None:
    state.phase = "play"
    state.recent = []
    state.round = 0
    first = 0 if state.seats == 1 else state.options["first"]
    state.lead = chance.pick(state.seats) if first is None else first
    _deal_round(state, chance)


def _deal_round(state: State, chance: Chance) -> None:
    ref.gather(state)
    cards = chance.shuffle(DECK)
    size = TRICKS[state.seats]
    targets: list[Zone] = [*state.hand, state.open]
    if state.seats == 1:
        targets = [state.hidden, state.open, *state.hand]
    elif state.seats > 2:
        targets = state.hand
    for i, target in enumerate(targets):
        ref.put(state, target, cards[i * size : (i + 1) * size])
    ref.put(state, state.out, cards[len(targets) * size :])
    state.round += 1


def due(state: State) -> list[int]:
    return [ROUNDS[state.seats][state.lead][len(state.trick)]]


def _play(state: State, seat: int, play: Move, chance: Chance) -> None:
    move(state, state.hand[seat], state.trick, play["card"])
    if len(state.trick) == state.seats:
        _resolve(state, seat)
        if not state.hand[seat]:
            _end_round(state, chance)


def _resolve(state: State, last: int) -> None:
    """Hand out the cards of the trick and set who leads next: rules trick_cards to next_lead."""
    trick, seats = state.trick, state.seats
    player = dict(zip(trick, ROUNDS[seats][state.lead], strict=True))
    if seats < 3:  # the table plays too
        player |= dict.fromkeys((*state.open[:1], *state.hidden[:1]), TABLE)
    balance = sum(map(_signed, player))
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
        if winner == TABLE:
            state.lead = 0 if seats == 1 else 1 - state.lead
        else:
            state.lead = state.won_by = winner
            if not state.recent or state.recent[0] != winner:
                state.recent = [winner, *[seat for seat in state.recent if seat != winner]]
    places = [*state.won, state.table]  # the table's is the last: TABLE
    for card in cards:
        source = trick if seats > 2 or card in trick else state.open if card in state.open else state.hidden
        move(state, source, places[player[card]], card)


def _end_round(state: State, chance: Chance) -> None:
    ribbons = [sum([RIBBONS[card] for card in pile]) for pile in state.won]
    state.scores = [points + more for points, more in zip(state.scores, ribbons, strict=True)]
    if ref.finish(state, ending(state)):
        return
    if state.seats == 2 and ribbons[0] != ribbons[1]:
        state.lead = 0 if ribbons[0] > ribbons[1] else 1
    _deal_round(state, chance)


CARD = ref.Field(ref.CARD, "a card of one's hand, played face up to the trick", zones="hand")
PLAY = ref.move_type("play", "play", _play, fields={"card": CARD})
BLOCKS = (PLAY,)
ref.complete(globals())


def ending(state: State) -> ref.Result:
    """Return the result once a round is over, or None: rules game_end, tie_break and solo_end."""
    most, solo = max(state.scores), state.seats == 1
    if any(state.hand):
        return None
    if most < GOAL:
        return ref.outcome(state, [], "rounds_used_up") if solo and state.round >= SOLO_ROUNDS else None
    if solo:
        return ref.outcome(state, [0], "ribbons_reached")
    winners = ref.leaders(state)
    if len(winners) == 1:
        return ref.outcome(state, winners, "most_ribbons")
    latest = [seat for seat in state.recent if seat in winners][:1]
    return ref.outcome(state, latest, "last_trick") if latest else ref.outcome(state, winners, "shared")


def check(state: State) -> None:
    seats, size = state.seats, TRICKS[state.seats]
    require(len(set(state.recent)) == len(state.recent), "facts.recent", "names a seat twice")
    require(seats > 1 or state.round <= SOLO_ROUNDS, "facts.round", f"a solo game has {SOLO_ROUNDS} rounds")
    require(min(state.scores) >= 0, "scores", "must be 0 or more")
    if state.phase == "over":
        return
    left = _left(state)
    require(1 <= left <= size, "zones", f"before a trick everybody holds 1 to {size} cards")
    ref.check_trick(state, state.trick, state.hand, state.lead, left)
    require(max(state.scores) < GOAL, "scores", f"the game is over at {GOAL}")
