"""Moves as blocks and rules as objects, and what the engine uses, which is made from them.

A block is all that there is to say of a type of move: its fields, its phases, its rules and what it does. A
rule is stated once: the list of moves asks it without words, and a refusal names the first broken one.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import combinations
from typing import Any, NamedTuple

from referee.engine.fixed import fixed
from referee.engine.position import Position, layout
from referee.engine.proposals import few_values, of_type
from referee.engine.ruleset import Listing, Make, Moves
from referee.engine.shapes import CARD, Field, ListOf, Move
from referee.engine.verdicts import Refusal, not_held

Broken = Callable[[Any, int, Move], object]
Values = Callable[[Any, int], Collection[Any] | None]
Words = Callable[[Any, int, Move], str]

NOT_HELD = "common.not_held"


@dataclass(frozen=True, slots=True, eq=False)
class MoveRule:
    """A rule: its id, when a move breaks it, and the words why.

    `stated` is the function that states it, as its author wrote it: `broken`, or the values of a `field`.
    """

    id: str
    broken: Broken
    words: Words
    stated: Callable[..., Any]
    field: str = ""


def rule(id: str, broken: Callable[..., object], words: str | Callable[..., str]) -> MoveRule:
    """Declare a rule that refuses a move where `broken(state, seat, move)` is true.

    Where it is about the situation alone, the function does without the last parameter. `words` are for the
    player: a text, or a function with the same parameters.
    """
    return MoveRule(id, _with_move(broken), _said(words), broken)


def only(id: str, field: str, values: Values, words: str | Callable[..., str]) -> MoveRule:
    """Declare a rule that the value of a field is one of those that `values(state, seat)` returns.

    None stands for any value, and a move without the field does not break it. A list asks it once for all
    moves.
    """

    def broken(state: Any, seat: int, move: Move) -> bool:
        allowed = values(state, seat)
        return allowed is not None and field in move and move[field] not in allowed

    return MoveRule(id, broken, _said(words), values, field)


def _takes_move(function: Callable[..., Any]) -> bool:
    return len([each for each in signature(function).parameters.values() if each.default is each.empty]) == 3


def _with_move(function: Callable[..., Any]) -> Callable[[Any, int, Move], Any]:
    if _takes_move(function):
        return function
    return lambda state, seat, move: function(state, seat)


def _said(words: str | Callable[..., str]) -> Words:
    return (lambda state, seat, move: words) if isinstance(words, str) else _with_move(words)


class Made(dict[Any, dict[str, Any]]):
    """The moves of a type by the value of their field, or by the tuple of the values of several.

    Each is created once.
    """

    __slots__ = ("fields", "type")

    def __init__(self, type: str, fields: Iterable[str]) -> None:
        super().__init__()
        self.type, self.fields = type, tuple(fields)

    def __missing__(self, values: Any) -> dict[str, Any]:
        given = values if len(self.fields) > 1 else (values,)
        move = self[values] = fixed({"type": self.type, **dict(zip(self.fields, given, strict=True))})
        return move


@dataclass(frozen=True, slots=True, eq=False)
class MoveType:
    """A block: a type of move. `referee.authoring.move_type` creates one."""

    name: str
    phases: Sequence[str]
    make: Make
    rules: Sequence[MoveRule]
    fields: Mapping[str, Field]
    out_of_turn: bool
    broken: Broken  # whether a move of this type breaks a rule
    candidates: Listing | None
    listed: Listing  # the legal moves of this type
    moves: Made  # the moves with fields, by their values; each is read-only
    move: dict[str, Any]  # the move without fields, which is read-only

    def proposed(self, state: Any, seat: int) -> Moves:
        """Return the moves of this type that a seat might make."""
        return of_type(state, seat, self.name) if self.candidates is None else self.candidates(state, seat)


def move_type(
    name: str,
    phases: str | Sequence[str],
    make: Make,
    rules: Sequence[MoveRule] = (),
    *,
    fields: Mapping[str, Field] | None = None,
    out_of_turn: bool = False,
    candidates: Listing | None = None,
    listed: Listing | None = None,
) -> MoveType:
    """Declare a type of move: its phases, what it does, its rules in the order in which they are cited.

    `make(state, seat, move, chance)` makes a legal move and everything that follows from it. A card that a
    field takes from zones must lie there: this rule, `common.not_held`, comes first, unless `rules` have it.
    `out_of_turn`: a seat may make it while the game waits for others. Optional are `candidates(state, seat)`,
    moves to ask the rules about where these do not follow from the fields (lists of cards, say), and
    `listed(state, seat)`: the legal moves, faster than by asking about each candidate.
    """
    named = dict(fields or {})
    held = [] if any(rule.id == NOT_HELD for rule in rules) else [*_held(named)]
    at = (phases,) if isinstance(phases, str) else phases
    every = (*held, *rules)
    moves, move = Made(name, named), fixed({"type": name})
    lists = listed or _listing(name, named, every, candidates, moves, move)
    return MoveType(name, at, make, every, named, out_of_turn, _any_of(every), candidates, lists, moves, move)


def _any_of(rules: Sequence[MoveRule]) -> Broken:
    """Return a function of whether a move breaks one of these rules; written out, as it is asked often."""
    tests = [rule.broken for rule in rules]
    match tests:
        case []:
            return lambda state, seat, move: False
        case [one]:
            return one
        case [one, two]:
            return lambda state, seat, move: one(state, seat, move) or two(state, seat, move)
        case [one, two, three]:
            return lambda state, seat, move: (
                one(state, seat, move) or two(state, seat, move) or three(state, seat, move)
            )
    first, others = _any_of(rules[:3]), _any_of(rules[3:])
    return lambda state, seat, move: first(state, seat, move) or others(state, seat, move)


def _held(fields: Mapping[str, Field]) -> Iterable[MoveRule]:
    """Return the rules that cards lie in a zone from which fields take them."""
    for name, field in fields.items():
        if field.zones and "{" not in field.zones:
            if field.kind == CARD:
                yield _held_card(name, field.zones)
            elif isinstance(field.kind, ListOf) and field.kind.item == CARD:
                yield _held_cards(name, field.zones)


def _cards_in(places: str) -> Callable[[Any, int], Sequence[str]]:
    """Return the function that lists the cards of these zones: a seat's own, where they belong to seats."""
    names = places.split()

    def several(state: Any, seat: int) -> Sequence[str]:
        cards: list[str] = []
        for name in names:
            zone = getattr(state, name)
            cards += zone[seat] if type(zone) is list else zone
        return cards

    def one(state: Any, seat: int) -> Sequence[str]:
        zone: Any = getattr(state, places)
        cards: Sequence[str] = zone[seat] if type(zone) is list else zone
        return cards

    return one if len(names) == 1 else several


def _held_card(name: str, place: str) -> MoveRule:
    cards = _cards_in(place)

    def broken(state: Any, seat: int, move: Move) -> bool:
        return move[name] not in cards(state, seat)

    def words(state: Any, seat: int, move: Move) -> str:
        return not_held(move[name], _where(state, place)).reason

    return MoveRule(NOT_HELD, broken, words, broken, name)


def _held_cards(name: str, place: str) -> MoveRule:
    cards = _cards_in(place)

    def absent(state: Any, seat: int, move: Move) -> str | None:
        left = [*cards(state, seat)]
        for card in move[name]:
            if card not in left:
                return str(card)
            left.remove(card)
        return None

    def broken(state: Any, seat: int, move: Move) -> bool:
        if len(move[name]) == 1:  # most plays
            return move[name][0] not in cards(state, seat)
        return absent(state, seat, move) is not None

    def words(state: Any, seat: int, move: Move) -> str:
        card = absent(state, seat, move)
        again = " so often" if card in cards(state, seat) else ""
        return not_held(card, _where(state, place) + again).reason

    return rule(NOT_HELD, broken, words)


def _where(state: Position, places: str) -> str:
    specs = [(name, layout(type(state)).zones[name]) for name in places.split()]
    return " or ".join(f"{'your' if spec.per_seat else 'the'} {spec.called or name}" for name, spec in specs)


class Compiled(NamedTuple):
    """What the engine uses, in the order of the names that a ruleset gives to it."""

    MOVES: dict[str, Mapping[str, Field]]
    PHASES: Mapping[str, Sequence[str]]
    OUT_OF_TURN: Sequence[str]
    candidates: Listing
    refuse: Callable[[Any, int, Move], Refusal | None]
    lists: Mapping[str, Listing]
    makes: Mapping[str, Mapping[str, Make]]


Phases = Mapping[str, Mapping[str, MoveType]]  # the blocks of each phase, by the name of their type


def compiled(blocks: Sequence[MoveType], lists: Mapping[str, Listing]) -> Compiled:
    """Return what the engine uses: the declarations and functions of a ruleset that these blocks give.

    Phases, and the moves of each, are in the order of the blocks; the last phase is `over`, without moves. A
    type whose moves are otherwise in another phase has a block for each, with the same fields. `lists`: phase
    → a function that lists a seat's legal moves faster than the blocks do, asking the same predicates. Raises
    ValueError for two blocks of a type with different fields or a phase in common, and for a list of a phase
    without blocks.
    """
    for one, other in combinations(blocks, 2):
        if one.name == other.name and one.fields != other.fields:
            raise ValueError(f"the blocks of {one.name} must have the same fields")
        if one.name == other.name and not {*one.phases}.isdisjoint(other.phases):
            raise ValueError(f"the blocks of {one.name} must not share a phase")
    at = dict.fromkeys(phase for block in blocks for phase in block.phases)
    for phase in lists:
        if phase not in at:
            raise ValueError(f"there is a list for the phase {phase!r}; blocks are in {', '.join(at)}")
    names = [*at, "over"]
    phases = {phase: {block.name: block for block in blocks if phase in block.phases} for phase in names}
    return Compiled(
        {block.name: block.fields for block in blocks},
        {phase: tuple(there) for phase, there in phases.items()},
        tuple(dict.fromkeys(block.name for block in blocks if block.out_of_turn)),
        _candidates(phases),
        _refuse(phases),
        {at: _together([each.listed for each in there.values()]) for at, there in phases.items()} | {**lists},
        {at: {name: block.make for name, block in there.items()} for at, there in phases.items()},
    )


def _candidates(phases: Phases) -> Listing:
    def candidates(state: Any, seat: int) -> Moves:
        return [move for block in phases[state.phase].values() for move in block.proposed(state, seat)]

    return candidates


def _refuse(phases: Phases) -> Callable[[Any, int, Move], Refusal | None]:
    tests = {phase: {name: block.broken for name, block in there.items()} for phase, there in phases.items()}

    def refuse(state: Any, seat: int, move: Move) -> Refusal | None:
        if not tests[state.phase][move["type"]](state, seat, move):
            return None
        rules = phases[state.phase][move["type"]].rules
        first = next(rule for rule in rules if rule.broken(state, seat, move))
        return Refusal(first.id, first.words(state, seat, move))

    return refuse


def _together(listings: Sequence[Listing]) -> Listing:
    """Return the function that lists the moves of several types, one after the other."""
    if len(listings) == 1:
        return listings[0]
    if len(listings) == 2:  # as many: whether to answer yes or no, say
        one, other = listings
        return lambda state, seat: [*one(state, seat), *other(state, seat)]

    def listed(state: Any, seat: int) -> Moves:
        moves: list[dict[str, Any]] = []
        for listing in listings:
            moves += listing(state, seat)
        return moves

    return listed


def _listing(
    name: str,
    fields: Mapping[str, Field],
    rules: Sequence[MoveRule],
    candidates: Listing | None,
    moves: Made,
    move: dict[str, Any],
) -> Listing:
    """Return the function that lists the legal moves of a type."""
    broken = _any_of(rules)
    if candidates is None and not fields:
        if not rules:
            return lambda state, seat: [move]
        return lambda state, seat: () if broken(state, seat, move) else [move]
    if candidates is None and [field.optional for field in fields.values()] == [False]:
        return _of_values(name, next(iter(fields.items())), rules, moves)

    def listed(state: Any, seat: int) -> Moves:
        tried = of_type(state, seat, name) if candidates is None else candidates(state, seat)
        return [move for move in tried if not broken(state, seat, move)]

    return listed


def _of_values(name: str, named: tuple[str, Field], rules: Sequence[MoveRule], moves: Made) -> Listing:
    """List moves with one field: rules about its values are asked once for all."""
    values_of = _values_of(name, *named)
    made = moves.__getitem__
    limits = [rule.stated for rule in rules if rule.field and rule.id != NOT_HELD]
    tests = [rule.broken for rule in rules if not rule.field]
    numbers = named[1].within or range(0)
    first, table = numbers.start, [*map(made, numbers)]

    def listed(state: Any, seat: int) -> Moves:
        values = values_of(state, seat)
        for limit in limits:
            values = _limited(values, limit(state, seat))
        if type(values) is range:  # of many numbers, so their moves are in a table
            moves = table[max(0, values.start - first) : max(0, values.stop - first)]
        else:
            moves = [*map(made, values)]
        for broken in tests:
            moves = [move for move in moves if not broken(state, seat, move)]
        return moves

    return listed


def _limited(values: Sequence[Any], allowed: Collection[Any] | None) -> Sequence[Any]:
    """Return those of the values that are allowed."""
    if allowed is None:
        return values
    if type(allowed) is range and type(values) is range:  # of step 1, both
        return range(max(values.start, allowed.start), min(values.stop, allowed.stop))
    return [value for value in values if value in allowed]


def _values_of(name: str, key: str, field: Field) -> Callable[[Any, int], Sequence[Any]]:
    """Return the function that lists the values of a field: cards of a zone, each once, or a constant."""
    place = field.zones
    if field.kind != CARD:
        few = field.within or few_values(field.kind, field, f"{name}.{key}")
        return lambda state, seat: few
    if not place or " " in place or "{" in place:
        return lambda state, seat: [move[key] for move in of_type(state, seat, name)]

    def values(state: Any, seat: int) -> Sequence[str]:
        zone = getattr(state, place)
        cards: Sequence[str] = zone[seat] if type(zone) is list else zone
        return cards if len({*cards}) == len(cards) else [*dict.fromkeys(cards)]

    return values
