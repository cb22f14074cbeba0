"""Truco: two teams of two play three cards each, best of three tricks, and may call to double the stake.

Hidden: each hand from all other seats, team mates included, even after a fold; the stock from everyone.
Rules: `referee/games/rules/truco.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.authoring import (  # isort: skip
    AS_TEXT, CARD, EVERYONE, NOBODY, OWNER, Chance, Field, Int, ListOf, Maybe, Move, Option, Position,
    Refusal, Zone, always, check_size, check_team_scores, enter, fact, finish, fixed, gather, move, not_held,
    outcome, put, require, score, seat_number, zone,
)  # fmt: skip
from referee.cards import deck as french
from referee.cards import spoken, strengths

ID, VERSION, NAME, SEATS = "truco", 1, "Truco", (4, 6, 8, 10)
PHASES = {"play": ("play", "truco"), "answer": ("accept", "fold"), "over": ()}
MOVES = {"play": {"card": Field(CARD, "a card of one's hand, played face up to the trick", zones="hand")}}
MOVES |= {"truco": {}, "accept": {}, "fold": {}}
ROLES = dict.fromkeys(("playing", "waiting", "tricks", "raiser"), "team")
ROLES |= dict.fromkeys(("dealer", "leader", "show", "call"), "seat")
WORDS = {
    "playing": "Playing: {}",
    "waiting": "Waiting for their turn: {}",
    "tricks": {"": "Tricks: {}", "null": "a tie"},
    "show": "Showing their cards: {}",
    "stake": "The hand is worth {}",
    "raiser": "Raised last: {}",
}
OUT_OF_TURN, COMPLETE, ONE_FOR_TEAM = ("truco",), True, ("answer",)
EXPLAINED = ("truco",)
REASONS = {"target": "the target is reached"}

DECK = french("A234567JQK")
STRENGTH = strengths("4567QJKA23")
STRENGTH |= {"7H": 10, "AS": 11, "7D": 12, "4C": 13}
PLAYS = {card: fixed({"type": "play", "card": card}) for card in DECK}
CALL, ANSWERS = fixed({"type": "truco"}), [fixed({"type": "accept"}), fixed({"type": "fold"})]
# Seats counterclockwise from a seat, by number of seats and by seat.
AROUND = {n: [[(seat - i) % n for i in range(n)] for seat in range(n)] for n in SEATS}
# Those of two teams, by number of seats, by the teams and by seat.
ROUNDS = {
    n: [
        [[[s for s in around if s % (n // 2) in (one, two)] for around in AROUND[n]] for two in range(n // 2)]
        for one in range(n // 2)
    ]
    for n in SEATS
}


@dataclass(slots=True, kw_only=True, eq=False)
class State(Position):
    stock: Zone = zone(NOBODY)
    hand: list[Zone] = zone(OWNER, sort=AS_TEXT, per_seat=True)
    trick: Zone = zone(EVERYONE)
    played: Zone = zone(EVERYONE, sort=AS_TEXT, called="cards played before")
    playing: list[int] = fact(lambda n: ListOf(Int(0, n // 2 - 1), 2, 2), "the teams that play, ascending")
    waiting: list[int] = fact(lambda n: ListOf(Int(0, n // 2 - 1), 0, n // 2), "the queue, next first")
    dealer: int = fact(seat_number, "dealer of this hand")
    leader: int = fact(seat_number, "who leads the current trick")
    tricks: list[int | None] = fact(lambda n: ListOf(Maybe(Int(0, n // 2 - 1)), 0, 3), "winners, null: a tie")
    show: list[int] | None = fact(lambda n: Maybe(ListOf(seat_number(n), 2, 4)), "who shows, in order")
    stake: int = fact(Int(1), "what the hand is worth now")
    raiser: int | None = fact(lambda n: Maybe(Int(0, n // 2 - 1)), "whose truco was accepted last")
    call: int = fact(seat_number, "who called the truco that waits for an answer", phases=("answer",))


def options(seats: int) -> dict[str, Option]:
    return {
        "target": Option(Int(1, 100), 12, "points that win the game"),
        "stake": Option(Int(1, 12), 2, "points a hand is worth before any truco"),
        "doublings": Option(Int(1, 3), 1, "accepted trucos allowed in one hand"),
    }


deck = always(DECK)


def deal(state: State, chance: Chance) -> None:
    """Let teams 0 and 1 begin; chance picks the first dealer among them."""
    state.playing = [0, 1]
    state.waiting = list(range(2, state.seats // 2))
    _deal_hand(state, sorted(_round_from(state, 0))[chance.pick(4)], chance)


def _deal_hand(state: State, dealer: int, chance: Chance) -> None:
    gather(state)
    cards = chance.shuffle(DECK)
    state.dealer = dealer
    state.leader = _round_from(state, dealer - 1)[0]
    for i, seat in enumerate(_round_from(state, state.leader)):
        put(state, state.hand[seat], cards[3 * i : 3 * i + 3])
    put(state, state.stock, cards[12:])
    state.tricks = []
    state.stake = state.options["stake"]
    state.show = state.raiser = None
    enter(state, "play")


def due(state: State) -> list[int]:
    """Return the seat whose turn it is in the trick, or the seats that may answer a call."""
    if state.phase == "answer":
        return _members(state, _opponents(state, _team(state, state.call)))
    return [_order(state)[len(state.trick)]]


def _round_from(state: State, seat: int) -> list[int]:
    """List the four seats that play, counterclockwise from a seat on."""
    one, two = state.playing
    return ROUNDS[state.seats][one][two][seat % state.seats]


def _team(state: State, seat: int) -> int:
    return seat % (state.seats // 2)


def _opponents(state: State, team: int) -> int:
    return sum(state.playing) - team


def _members(state: State, team: int) -> list[int]:
    return [team, team + state.seats // 2]


def _order(state: State) -> list[int]:
    """List who plays to the current trick, in order."""
    return state.show or _round_from(state, state.leader)


def refuse(state: State, seat: int, play: Move) -> Refusal | None:
    """Check turns, that the strongest card follows a tied first trick, and that a call is allowed."""
    if play["type"] == "truco":
        return _refuse_call(state, _team(state, seat))
    if play["type"] != "play":
        return None
    card, hand = play["card"], state.hand[seat]
    if card not in hand:
        return not_held(card)
    if seat not in state.to_act:
        turn = f"it is seat {state.to_act[0]}'s turn to play a card"
        return Refusal("truco.order", f"{turn}; out of turn you may only call truco")
    if card not in _playable(state, hand):
        why = f"your {spoken(max(hand, key=STRENGTH.__getitem__))} is stronger than your {spoken(card)}"
        return Refusal("truco.highest", f"the first trick was tied, so your strongest card is due: {why}")
    return None


def _playable(state: State, hand: Sequence[str]) -> Sequence[str]:
    """Return the cards that may be played in turn: all, or after a tied first trick the strongest."""
    if state.tricks != [None]:
        return hand
    best = max([STRENGTH[card] for card in hand])
    return [card for card in hand if STRENGTH[card] == best]


def _refuse_call(state: State, team: int) -> Refusal | None:
    rule = _broken_by_call(state, team)
    if rule == "common.turn":
        return Refusal(rule, "your team waits until a playing team has lost a hand")
    if rule == "truco.limit":
        most = state.options["doublings"]
        return Refusal(rule, f"this hand may be doubled {most} times at most, and that is done")
    if rule == "truco.own_call":
        return Refusal(rule, "your team's truco was accepted last; the others may call next")
    return None


def _broken_by_call(state: State, team: int) -> str | None:
    """Return the id of the rule that a call of truco by this team would break, or None."""
    if team not in state.playing:
        return "common.turn"
    if state.stake >= state.options["stake"] << state.options["doublings"]:
        return "truco.limit"
    return "truco.own_call" if state.raiser == team else None


def listed(state: State, seat: int) -> list[dict[str, Any]]:
    if state.phase == "answer":
        return ANSWERS[:]
    moves = [PLAYS[card] for card in _playable(state, state.hand[seat])] if seat in state.to_act else []
    return moves if _broken_by_call(state, _team(state, seat)) else [*moves, CALL]


def team(state: State, seat: int) -> list[int]:
    return _members(state, _team(state, seat))


def apply(state: State, seat: int, play: Move, chance: Chance) -> None:
    """Play a card, call, accept or fold; this may end the trick and the hand."""
    kind = play["type"]
    if kind == "play":
        move(state, state.hand[seat], state.trick, play["card"])
        if len(state.trick) == (len(state.show) if state.show else 4):
            _end_trick(state, chance)
    elif kind == "truco":
        state.call = seat
        enter(state, "answer")
    else:
        team = _team(state, state.call)
        enter(state, "play")
        if kind == "fold":
            _end_hand(state, team, chance)
        else:
            state.stake *= 2
            state.raiser = team


def _end_trick(state: State, chance: Chance) -> None:
    strengths = [STRENGTH[card] for card in state.trick]
    best = max(strengths)
    strongest = [seat for seat, strength in zip(_order(state), strengths, strict=True) if strength == best]
    teams = {_team(state, seat) for seat in strongest}
    winner = teams.pop() if len(teams) == 1 else None
    state.won_by = None if winner is None else strongest[0]
    move(state, state.trick, state.played)
    state.tricks.append(winner)
    if _decided(state.tricks):  # after a tied last trick, the winner of the first one wins the hand
        _end_hand(state, state.tricks[0] if winner is None else winner, chance)
        return
    if state.tricks == [None, None]:
        state.show = strongest
    if winner is not None or state.show is not None:
        state.leader = strongest[0]


def _decided(tricks: list[int | None]) -> bool:
    """Return whether these tricks end the hand: two do, unless both were tied or each team has one."""
    if len(tricks) != 2:
        return len(tricks) == 3
    one_each = None not in tricks and tricks[0] != tricks[1]
    return not one_each and tricks != [None, None]


def _end_hand(state: State, winner: int | None, chance: Chance) -> None:
    """Score the hand, end the game or change teams, and deal again; after a drawn hand, only deal."""
    if winner is not None:
        score(state, _members(state, winner), state.stake)
        finish(state, ending(state))
        if state.result is not None:
            return
        if state.waiting:
            entering, *queue = state.waiting
            state.waiting = [*queue, _opponents(state, winner)]
            state.playing = sorted((winner, entering))
    _deal_hand(state, _round_from(state, state.dealer - 1)[0], chance)


def ending(state: State) -> dict[str, Any] | None:
    """Return the result once a team has reached the target, or None."""
    for team in state.playing:
        if state.scores[team] >= state.options["target"]:
            return outcome(state, _members(state, team), "target")
    return None


def check(state: State) -> None:
    check_team_scores(state)
    _check_table(state)
    _check_tricks(state)
    if state.phase != "over":  # after the end, the places of the cards are not checked
        _check_open(state)


def _check_table(state: State) -> None:
    require(state.playing[0] < state.playing[1], "facts.playing", "must be two teams, ascending")
    once = sorted(state.playing + state.waiting) == list(range(state.seats // 2))
    require(once, "facts.waiting", "each team must stand once in playing or waiting")
    for name, seat in (("dealer", state.dealer), ("leader", state.leader)):
        require(_team(state, seat) in state.playing, f"facts.{name}", f"seat {seat} does not play this hand")
    base, most, raiser = state.options["stake"], state.options["doublings"], state.raiser
    doubled = state.stake in [base << i for i in range(most + 1)]
    require(doubled, "facts.stake", f"must be {base}, or that doubled {most} times at most")
    set_right = (raiser is None) == (state.stake == base) and raiser in (None, *state.playing)
    require(set_right, "facts.raiser", "must be null, or a team that plays where the stake is doubled")
    check_size(state.stock, len(DECK) - 12)
    for seat in (seat for team in state.waiting for seat in _members(state, team)):
        check_size(state.hand[seat], 0)


def _check_tricks(state: State) -> None:
    known = {None, *state.playing}
    require(known.issuperset(state.tricks), "facts.tricks", "must be teams that play this hand, or null")
    tied_twice = state.tricks[:2] == [None, None]
    require((state.show is not None) == tied_twice, "facts.show", "must be set after two tied tricks only")
    if state.show is not None:
        order = [seat for seat in _round_from(state, state.leader) if seat in state.show]
        ordered = state.show == order and state.show[0] == state.leader
        require(ordered, "facts.show", "must be seats that play, in order of play from the leader")
        both = len({_team(state, seat) for seat in state.show}) == 2
        require(both, "facts.show", "must name seats of both teams")


def _check_open(state: State) -> None:
    require(not _decided(state.tricks), "facts.tricks", "must leave the hand undecided")
    order, finished, played = _order(state), len(state.tricks), len(state.trick)
    require(played < len(order), "zones.trick", f"must hold fewer than {len(order)} cards")
    check_size(state.played, 4 * finished)
    for seat in [seat for team in state.playing for seat in _members(state, team)]:
        check_size(state.hand[seat], 3 - finished - (seat in order[:played]))
    below = max(state.scores) < state.options["target"]
    require(below, "scores", "must be below the target until the game is over")
    if state.phase == "answer":
        team = _team(state, state.call)
        may = team in state.playing and _refuse_call(state, team) is None
        require(may, "facts.call", f"team {team} may not call now")
