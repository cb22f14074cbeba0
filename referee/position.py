"""Positions: zones of cards and facts, each declared once with who may see it.

A game declares its state as a dataclass whose every field is a `zone` or a `fact`. From these
declarations come the JSON form, the view of each seat and the record of every card that moves.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.shapes import Int, Kind, ListOf, Maybe

if TYPE_CHECKING:
    from referee.games import Ruleset

EVERYONE = -1
NOBODY = -2
OWNER = -3

Move = Mapping[str, Any]


SortKey = Callable[[str], Any]


def AS_TEXT(card: str) -> str:
    """Sort key of zones whose cards are kept sorted as plain strings."""
    return card


class Zone(list[str]):
    """Cards in one place. Cards enter and leave it through `move`, `move_card`, `put` and `gather` alone.

    `seen` is EVERYONE, NOBODY or the one seat that sees it. An unordered zone is kept `sorted` by `key`
    (None: as strings).
    """

    __slots__ = ("key", "name", "seen", "sorted")

    def __init__(self, name: str, seen: int, sort: SortKey | None, cards: Iterable[str] | None) -> None:
        if cards:  # reading a position makes many, most of them empty, and super() takes its time
            self.extend(cards)
        self.name = name
        self.seen = seen
        self.sorted = sort is not None
        self.key = None if sort is AS_TEXT else sort


# Cards that went from one zone to another (None is the deck that is being shuffled): source, target,
# cards, who saw the source and who saw the target: a seat, EVERYONE or NOBODY.
# A plain tuple: every card that moves makes one, and a named one takes three times as long.
Transfer = tuple[str | None, str | None, list[str], int, int]


@dataclass(slots=True, kw_only=True, eq=False)
class Position:
    """What every game's state has; a game's own dataclass adds its zones and facts."""

    ruleset: "Ruleset[Any]"
    seats: int
    options: dict[str, Any]
    phase: str = ""
    to_act: list[int] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)
    result: dict[str, Any] | None = None
    # Not parts of the position: the zones that exist at this table, in the order declared, and the
    # effects of the move being applied.
    places: list[Zone] = field(init=False)
    transfers: list[Transfer] | None = field(init=False, default_factory=list)  # None: nobody reads them
    won_by: int | None = field(init=False, default=None)  # the seat that has just taken a trick
    scored: bool = field(init=False, default=False)  # whether the scores have just changed

    def __post_init__(self) -> None:
        self.places = _places(self)


COMMON = frozenset(f.name for f in fields(Position))


Phases = Sequence[str] | None  # None: in all of them


class ZoneSpec(NamedTuple):
    """How a zone is declared; `seen` is EVERYONE, NOBODY, OWNER or the name of the fact that says who."""

    seen: int | str
    sort: SortKey | None
    per_seat: bool
    exists: Callable[[int], bool]
    phases: Phases


class FactSpec(NamedTuple):
    """How a fact is declared.

    `kind` gives its shape for a number of seats, `within` the shape that it has in its `phases`. Outside
    of them it is what `otherwise` gives for a number of seats.
    """

    kind: Callable[[int], Kind]
    private: bool
    doc: str
    phases: Phases
    within: Callable[[int], Kind]
    otherwise: Callable[[int], Any]


def zone(
    seen: int | str,
    *,
    sort: SortKey | None = None,
    per_seat: bool = False,
    exists: Callable[[int], bool] = lambda seats: True,
    phases: Phases = None,
) -> Any:
    """Declare a field as a zone (or, `per_seat`, as a list of zones `name.<seat>`).

    `seen`: EVERYONE, NOBODY, OWNER (the seat of a per-seat zone), or the name of the fact that holds the
    seat that sees it (whenever that fact changes, the game sets the zone's `seen` along with it).
    `sort`: the key by which an unordered zone is kept sorted, AS_TEXT or another. `exists`: for which
    numbers of seats; elsewhere the field is an empty zone that stands in no position. `phases`: where it
    may hold cards (None: in all); a position written by hand has none in it elsewhere.
    """
    return field(metadata={"declared": ZoneSpec(seen, sort, per_seat, exists, phases)})


def fact(
    kind: Kind | Callable[[int], Kind],
    doc: str = "",
    *,
    private: bool = False,
    phases: Phases = None,
    otherwise: Any = None,
) -> Any:
    """Declare a field as a fact of this shape, or of the shape that `kind` gives for a number of seats.

    A `private` fact is a list with one value a seat, `private.<seat>.<name>`, each for its seat alone.
    `phases`: where the fact exists (None: in all); elsewhere it is `otherwise`, null or another value, or
    what this gives for a number of seats.
    """
    within = cache(_of_seats(kind))
    absent = _of_seats(otherwise)
    shape = within
    if phases is not None and otherwise is None:
        shape = cache(lambda seats: within(seats) if within(seats).accepts(None) else Maybe(within(seats)))
    return field(metadata={"declared": FactSpec(shape, private, doc, phases, within, absent)})


def _of_seats(value: Any) -> Callable[[int], Any]:
    return value if callable(value) else (lambda seats: value)


def seat_number(seats: int) -> Kind:
    """Return the shape of a seat's number."""
    return Int(0, seats - 1)


def seat_list(seats: int) -> Kind:
    """Return the shape of a list of seats, any number of them."""
    return ListOf(seat_number(seats), 0, seats)


class Layout(NamedTuple):
    """A state's declarations, by field name."""

    zones: dict[str, ZoneSpec]
    facts: dict[str, FactSpec]


_LAYOUTS: dict[type, Layout] = {}


def layout(state: type[Position]) -> Layout:
    """Collect what a state declares. Raises TypeError for a field without a declared visibility."""
    if state in _LAYOUTS:
        return _LAYOUTS[state]
    zones: dict[str, ZoneSpec] = {}
    facts: dict[str, FactSpec] = {}
    for f in fields(state):
        declared = f.metadata.get("declared")
        if isinstance(declared, ZoneSpec):
            zones[f.name] = declared
        elif isinstance(declared, FactSpec):
            facts[f.name] = declared
        elif f.name not in COMMON:
            raise TypeError(f"{state.__module__}: {f.name} is neither a zone nor a fact")
    return _LAYOUTS.setdefault(state, Layout(zones, facts))


class Absent(NamedTuple):
    """The zones and facts that do not exist in a phase, by field name."""

    zones: list[tuple[str, ZoneSpec]]
    facts: list[tuple[str, FactSpec]]


_ABSENT: dict[tuple[type, str], Absent] = {}


def absent(state: type[Position], phase: str) -> Absent:
    """Return what does not exist in a phase."""
    if (state, phase) in _ABSENT:
        return _ABSENT[state, phase]
    zones, facts = layout(state)
    found = Absent(
        [(name, spec) for name, spec in zones.items() if phase not in (spec.phases or (phase,))],
        [(name, spec) for name, spec in facts.items() if phase not in (spec.phases or (phase,))],
    )
    return _ABSENT.setdefault((state, phase), found)


_ZONE_NAMES: dict[tuple[type, int], list[str]] = {}


def zone_names(state: type[Position], seats: int) -> Sequence[str]:
    """List the names of the zones that exist with so many seats, in the order declared."""
    if (state, seats) in _ZONE_NAMES:
        return _ZONE_NAMES[state, seats]
    names: list[str] = []
    for name, spec in layout(state).zones.items():
        if spec.exists(seats):
            names += [f"{name}.{s}" for s in range(seats)] if spec.per_seat else [name]
    return _ZONE_NAMES.setdefault((state, seats), names)


def build(
    rules: "Ruleset[Any]",
    seats: int,
    options: dict[str, Any],
    cards: Mapping[str, Sequence[str]],
    facts: Mapping[str, Any],
    **common: Any,
) -> Any:
    """Make a state with these cards by zone name and facts by field name; zones not named are empty."""
    declared = layout(rules.State)
    values: dict[str, Any] = {name: facts.get(name) for name in declared.facts}
    for name, (seen, sort, per_seat, _, _) in declared.zones.items():
        viewer: int = facts.get(seen, NOBODY) if isinstance(seen, str) else seen
        if per_seat:
            values[name] = [
                Zone(key := f"{name}.{s}", s if viewer == OWNER else viewer, sort, cards.get(key))
                for s in range(seats)
            ]
        else:
            values[name] = Zone(name, viewer, sort, cards.get(name))
    return rules.State(ruleset=rules, seats=seats, options=options, **values, **common)


def _places(state: Position) -> list[Zone]:
    found: list[Zone] = []
    for name, spec in layout(type(state)).zones.items():
        if spec.exists(state.seats):
            value = getattr(state, name)
            found += value if spec.per_seat else [value]
    return found


def clone(state: Any) -> Any:
    """Copy a state; nothing of the copy is shared with the original."""
    declared = layout(type(state))
    values: dict[str, Any] = {name: plain(getattr(state, name)) for name in declared.facts}
    for name, spec in declared.zones.items():
        value = getattr(state, name)
        if spec.per_seat:
            values[name] = [_copy(z) for z in value]
        else:
            values[name] = _copy(value)
    return type(state)(
        ruleset=state.ruleset,
        seats=state.seats,
        options=state.options,
        phase=state.phase,
        to_act=list(state.to_act),
        scores=list(state.scores),
        result=plain(state.result),
        **values,
    )


def _copy(place: Zone) -> Zone:
    return Zone(place.name, place.seen, (place.key or AS_TEXT) if place.sorted else None, place)


def plain(value: Any) -> Any:
    """Copy a JSON value."""
    if type(value) is list:
        return [plain(item) for item in value]
    if type(value) is dict:
        return {key: plain(item) for key, item in value.items()}
    return value
