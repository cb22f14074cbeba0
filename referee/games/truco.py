"""Truco: two teams of two play three cards each, best of three tricks, and may call to double the stake.

Hidden: each hand from all other seats, team mates included, even after a fold; the stock from everyone.
Rules: `referee/games/rules/truco.md`.
"""

from collections.abc import Sequence

from referee import authoring as ref
from referee.authoring import EVERYONE, NOBODY, OWNER, Chance, Move, Position, Zone, fact, move, require, zone
from referee.cards import deck as french
from referee.cards import spoken, strengths

ID, VERSION, NAME, SEATS = "truco", 1, "Truco", (4, 6, 8, 10, 12, 14)
TILE = {"minutes": 15, "level": 2, "cards": ("7D", "3C", "AS")}
ROLES = dict.fromkeys(("playing", "waiting", "tricks", "raiser"), "team")
ROLES |= dict.fromkeys(("dealer", "leader", "show", "call"), "seat")
WORDS = {
    "playing": "Playing: {}",
    "waiting": "Waiting for their turn: {}",
    "tricks": {"": "Tricks: {}", "null": "a tie"},
    "show": "Showing their cards: {}",
    "stake": "The hand is worth {}",
    "raiser": "Raised last: {}",
    "call": "{} calls truco (×2)",
}
ONE_FOR_TEAM, EXPLAINED = ("answer",), ("truco",)
REASONS = {"target": "the target is reached"}

DECK = french("A234567JQK")
STRENGTH = strengths("4567QJKA23")
STRENGTH |= {"7H": 10, "AS": 11, "7D": 12, "4C": 13}
PLAYED = ref.Field(ref.CARD, "a card of one's hand, played face up to the trick", zones="hand")
OPTIONS = {
    "target": ref.Option(ref.Int(1, 100), 12, "points that win the game"),
    "stake": ref.Option(ref.Int(1, 12), 2, "points a hand is worth before any truco"),
    "doublings": ref.Option(ref.Int(0, 3), 1, "accepted trucos allowed in one hand; 0: any number"),
}
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


def _number(seats: int) -> ref.Kind:
    """Return the shape of a team's number."""
    return ref.Int(0, seats // 2 - 1)


@ref.state
class State(Position):
    stock: Zone = zone(NOBODY, size=len(DECK) - 12)
    hand: list[Zone] = zone(OWNER, sort=ref.AS_TEXT, per_seat=True, size=lambda s, seat: _held(s, seat))
    trick: Zone = zone(EVERYONE)
    played: Zone = zone(EVERYONE, sort=ref.AS_TEXT, called="cards played before")
    playing: list[int] = fact(lambda n: ref.ListOf(_number(n), 2, 2), "the teams that play, ascending")
    waiting: list[int] = fact(lambda n: ref.ListOf(_number(n), 0, n // 2), "the queue, next first")
    dealer: int = fact(ref.seat_number, "dealer of this hand")
    leader: int = fact(ref.seat_number, "who leads the current trick")
    tricks: list[int | None] = fact(lambda n: ref.ListOf(ref.Maybe(_number(n)), 0, 3), "winners, null: a tie")
    show: list[int] | None = fact(
        lambda n: ref.Maybe(ref.ListOf(ref.seat_number(n), 2, 4)), "who shows, in order"
    )
    stake: int = fact(ref.Int(1), "what the hand is worth now")
    raiser: int | None = fact(lambda n: ref.Maybe(_number(n)), "whose truco was accepted last")
    call: int = fact(ref.seat_number, "who called the truco that waits for an answer", phases=("answer",))


def deal(state: State, chance: Chance) -> None:
    state.playing = [0, 1]
    state.waiting = list(range(2, state.seats // 2))
    _deal_hand(state, sorted(_round_from(state, 0))[chance.pick(4)], chance)


def _deal_hand(state: State, dealer: int, chance: Chance) -> None:
    ref.gather(state)
    cards = chance.shuffle(DECK)
    state.dealer = dealer
    state.leader = _round_from(state, dealer - 1)[0]
    for i, seat in enumerate(_round_from(state, state.leader)):
        ref.put(state, state.hand[seat], cards[3 * i : 3 * i + 3])
    ref.put(state, state.stock, cards[12:])
    state.tricks = []
    state.stake = state.options["stake"]
    state.show = state.raiser = None
    ref.enter(state, "play")


def due(state: State) -> list[int]:
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


def _held(state: State, seat: int) -> int | None:
    """Return how many cards a seat holds; after the end, any number."""
    if _team(state, seat) in state.waiting:
        return 0
    return (
        None if state.phase == "over" else 3 - len(state.tricks) - (seat in _order(state)[: len(state.trick)])
    )


def _order(state: State) -> list[int]:
    one, two = state.playing
    return state.show or ROUNDS[state.seats][one][two][state.leader]


def team(state: State, seat: int) -> list[int]:
    return _members(state, _team(state, seat))


def _strongest(state: State, seat: int) -> Sequence[str] | None:
    """Return the strongest cards of the hand, which are due after a tied first trick; None if any is."""
    if state.tricks != [None]:
        return None
    best = max([STRENGTH[card] for card in state.hand[seat]])
    return [card for card in state.hand[seat] if STRENGTH[card] == best]


def _play(state: State, seat: int, play: Move, chance: Chance) -> None:
    move(state, state.hand[seat], state.trick, play["card"])
    if len(state.trick) == (len(state.show) if state.show else 4):
        _end_trick(state, chance)


def _doublings(state: State) -> int:
    """Return how often a hand may be doubled: as chosen, or with 0 until it is worth the game."""
    most: int = state.options["doublings"]
    return most or ((state.options["target"] - 1) // state.options["stake"]).bit_length()


def _call(state: State, seat: int, play: Move, chance: Chance) -> None:
    state.call = seat
    ref.enter(state, "answer")


def _accept(state: State, seat: int, play: Move, chance: Chance) -> None:
    state.stake *= 2
    state.raiser = _team(state, state.call)
    ref.enter(state, "play")


def _fold(state: State, seat: int, play: Move, chance: Chance) -> None:
    winner = _team(state, state.call)
    ref.enter(state, "play")
    _end_hand(state, winner, chance)


def _end_trick(state: State, chance: Chance) -> None:
    strengths = [STRENGTH[card] for card in state.trick]
    best = max(strengths)
    strongest = [seat for seat, strength in zip(_order(state), strengths, strict=True) if strength == best]
    half = state.seats // 2
    teams = {seat % half for seat in strongest}
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
        ref.score(state, _members(state, winner), state.stake)
        if ref.finish(state, ending(state)):
            return
        if state.waiting:
            entering, *queue = state.waiting
            state.waiting = [*queue, _opponents(state, winner)]
            state.playing = sorted((winner, entering))
    _deal_hand(state, _round_from(state, state.dealer - 1)[0], chance)


PLAY = ref.move_type("play", "play", _play, fields={"card": PLAYED}, rules=[
    ref.rule("truco.order", lambda s, seat: seat not in s.to_act, lambda s, seat: (
        f"it is seat {s.to_act[0]}'s turn to play a card; out of turn you may only call truco")),
    ref.only("truco.highest", "card", _strongest, lambda s, seat, m: (
        "the first trick was tied, so your strongest card is due:"
        f" your {spoken(max(s.hand[seat], key=STRENGTH.__getitem__))}"
        f" is stronger than your {spoken(m['card'])}")),
])  # fmt: skip
CALL = ref.move_type("truco", "play", _call, out_of_turn=True, rules=[
    ref.rule("common.turn", lambda s, seat, m: seat % (s.seats // 2) not in s.playing,
             "your team waits until a playing team has lost a hand"),
    ref.rule("truco.limit", lambda s, seat, m: s.stake >= s.options["stake"] << _doublings(s),
             lambda s, seat: (
                 f"this hand may be doubled {s.options['doublings']} times at most, and that is done"
                 if s.options["doublings"] else "this hand is worth the game already")),
    ref.rule("truco.own_call", lambda s, seat, m: s.raiser == seat % (s.seats // 2),
             "your team's truco was accepted last; the others may call next"),
])  # fmt: skip
BLOCKS = (PLAY, CALL, ref.move_type("accept", "answer", _accept), ref.move_type("fold", "answer", _fold))


def _in_play(state: State, seat: int) -> ref.Moves:
    cards = _strongest(state, seat) or state.hand[seat] if seat in state.to_act else ()
    moves = [*map(PLAY.moves.__getitem__, cards)]
    return moves if CALL.broken(state, seat, CALL.move) else [*moves, CALL.move]


ref.complete(globals(), {"play": _in_play})


def ending(state: State) -> ref.Result:
    for team in state.playing:
        if state.scores[team] >= state.options["target"]:
            return ref.outcome(state, _members(state, team), "target")
    return None


def check(state: State) -> None:
    ref.check_team_scores(state)
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
    base, most, raiser = state.options["stake"], _doublings(state), state.raiser
    doubled = state.stake in [base << i for i in range(most + 1)]
    require(doubled, "facts.stake", f"must be {base}, or that doubled {most} times at most")
    set_right = (raiser is None) == (state.stake == base) and raiser in (None, *state.playing)
    require(set_right, "facts.raiser", "must be null, or a team that plays where the stake is doubled")


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
    most = len(_order(state))
    require(len(state.trick) < most, "zones.trick", f"must hold fewer than {most} cards")
    ref.check_size(state.played, 4 * len(state.tricks))
    below = max(state.scores) < state.options["target"]
    require(below, "scores", "must be below the target until the game is over")
    if state.phase == "answer":
        team = _team(state, state.call)
        require(not CALL.broken(state, state.call, CALL.move), "facts.call", f"team {team} may not call now")
