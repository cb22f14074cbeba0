"""Positions: zones of cards and facts, each declared once with who may see it.

A game declares its state as a dataclass whose every field is a `zone` or a `fact`. From these
declarations come the JSON form, the view of each seat and the record of every card that moves.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast, dataclass_transform

from referee.engine.jsontext import plain
from referee.engine.registry import find
from referee.engine.ruleset import Listing, Make, Ruleset
from referee.engine.shapes import Int, Kind, ListOf, Maybe

EVERYONE = -1
NOBODY = -2
OWNER = -3
Viewers = int | tuple[int, ...]  # EVERYONE, NOBODY, a seat, or several seats

P = ParamSpec("P")
T = TypeVar("T")


def cached(function: Callable[P, T]) -> Callable[P, T]:
    """Cache a function's results like `functools.cache`, but keep its type."""
    return cast(Callable[P, T], cache(function))


SortKey = Callable[[str], Any]


def AS_TEXT(card: str) -> str:
    """Sort key of zones whose cards are kept sorted as plain strings."""
    return card


class Zone(list[str]):
    """Cards in one place. They enter and leave it only through the functions of `referee/engine/moving.py`.

    `seen` is who sees it; `ViewedZone` reads that from a fact. An unordered
    zone is kept `sorted` by `key` (None: as strings). `build` creates zones, because with an `__init__`
    creating each would take three times as long.
    """

    __slots__ = ("key", "name", "seen", "sorted")
    name: str
    seen: Viewers
    sorted: bool
    key: SortKey | None


def sees(viewer: int | None, seen: Viewers) -> bool:
    """Return whether a seat, or a spectator (None), is among those who see something."""
    return seen in (viewer, EVERYONE) or (isinstance(seen, tuple) and viewer in seen)


def seats_of(seen: Viewers) -> tuple[int, ...]:
    """Return the seats that see something which not everybody sees."""
    return seen if isinstance(seen, tuple) else () if seen == NOBODY else (seen,)


class ViewedZone(Zone):
    """A zone that is seen by the seat or seats that a fact of its table names, by nobody if it is null."""

    __slots__ = ("fact", "state")
    fact: str
    state: "Position"

    @property
    def seen(self) -> Viewers:  # type: ignore[override]  # computed, where others store it
        """Who sees it now."""
        seats: int | list[int] | None = getattr(self.state, self.fact)
        if isinstance(seats, list):
            return tuple(seats)
        return NOBODY if seats is None else seats


# A transfer without names: every card that moves creates one, and a named tuple takes three times as long.
Moved = tuple[str | None, str | None, list[str], Viewers, Viewers]


class Transfer(NamedTuple):
    """Cards that went from one zone to another (None: the deck that is being shuffled), and who saw both."""

    source: str | None
    target: str | None
    cards: list[str]
    source_seen: Viewers
    target_seen: Viewers


@dataclass(slots=True, kw_only=True, eq=False)
class Position:
    """The state that all games share; a game's own dataclass adds its zones and facts."""

    ruleset: Ruleset[Any]
    seats: int
    options: dict[str, Any]
    phase: str = ""
    to_act: list[int] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)
    result: dict[str, Any] | None = None
    # Not part of the position: the zones of this table, in the order declared, the functions of its ruleset
    # by phase, and the effects of the current move.
    places: list[Zone]
    lists: Mapping[str, Listing] = field(init=False)
    makes: Mapping[str, Mapping[str, Make]] = field(init=False)
    transfers: list[Moved] | None = field(init=False, default_factory=list)  # None: not recorded
    won_by: int | None = field(init=False, default=None)  # the seat that has just taken a trick
    before: list[int] | None = field(init=False, default=None)  # the scores before the move; None at a deal

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle as a position: the ruleset by its id and version, and no effects of a move."""
        zones = {place.name: list(place) for place in self.places}
        facts = {name: plain(getattr(self, name)) for name in layout(type(self)).facts}
        common = {name: plain(getattr(self, name)) for name in ("phase", "to_act", "scores", "result")}
        return _rebuilt, (
            self.ruleset.ID,
            self.ruleset.VERSION,
            self.seats,
            self.options,
            zones,
            facts,
            common,
        )


COMMON = frozenset(f.name for f in fields(Position))


Phases = Sequence[str] | None  # None: all of them
Size = Callable[[Any, int], int | range | None]  # of a position and a seat


class ZoneSpec(NamedTuple):
    """The declaration of a zone; `seen` is EVERYONE, NOBODY, OWNER or the name of the fact with the viewers.

    `called` is its usual name; "" if that is the name of the field. `size` returns how many cards are in it,
    as one of a collection; None if that follows from nothing else.
    """

    seen: int | str
    sort: SortKey | None
    per_seat: bool
    exists: Callable[[int], bool]
    phases: Phases
    called: str
    size: Size


class FactSpec(NamedTuple):
    """The declaration of a fact.

    `kind` returns its shape for a number of seats, and `within` the shape in its `phases`. In other phases it
    has the value that `otherwise` returns for a number of seats. `shows` says that it may name hidden cards.
    """

    kind: Callable[[int], Kind]
    private: bool
    doc: str
    phases: Phases
    within: Callable[[int], Kind]
    otherwise: Callable[[int], Any]
    shows: bool


def zone(
    seen: int | str,
    *,
    sort: SortKey | None = None,
    per_seat: bool = False,
    exists: Callable[[int], bool] = lambda seats: True,
    phases: Phases = None,
    called: str = "",
    size: int | range | Callable[..., int | range | None] | None = None,
) -> Any:
    """Declare a field as a zone, or with `per_seat` as a list of zones `name.<seat>`.

    `seen`: EVERYONE, NOBODY, OWNER (the seat of a per-seat zone), or the name of a public fact with the seat
    that sees it, a list of such seats, or null for nobody. `sort`: the key by which an unordered zone is
    kept sorted, AS_TEXT or another. `exists`: for which numbers of seats the zone exists; otherwise the field
    is an empty zone that is in no position. `phases`: when it may have cards (None: always); in other phases,
    a handwritten position may have none in it. `called`: its usual name, if different ("the …", "Anna’s …").
    `size`: how many cards a handwritten position must have in it in these phases: a number, a range of
    numbers, or the result of this function for the state, of a per-seat zone for the state and the seat.
    """
    sized = _size(size, per_seat)
    return field(metadata={"declared": ZoneSpec(seen, sort, per_seat, exists, phases, called, sized)})


def _size(size: Any, per_seat: bool) -> Size:
    if not callable(size):
        return lambda state, seat: size
    return size if per_seat else (lambda state, seat: size(state))


def fact(
    kind: Kind | Callable[[int], Kind],
    doc: str = "",
    *,
    private: bool = False,
    phases: Phases = None,
    otherwise: Any = None,
    shows: bool = False,
) -> Any:
    """Declare a field as a fact of this shape, or of the shape that `kind` returns for a number of seats.

    A `private` fact is a list with one value for each seat, `private.<seat>.<name>`, which only that seat
    sees. `phases`: when the fact exists (None: always); in other phases it is `otherwise`: null, another
    value, or the result of this function for a number of seats. `shows`: by the rules it names cards that its
    readers would not know otherwise.

    Raises TypeError for a class instead of a Kind.
    """
    if isinstance(kind, type):
        raise TypeError(f"the shape of a fact is a Kind such as {kind.__name__}(…), not the class")
    within = cache(_of_seats(kind))
    absent = _of_seats(otherwise)
    shape = within
    if phases is not None and otherwise is None:
        shape = cache(lambda seats: within(seats) if within(seats).accepts(None) else Maybe(within(seats)))
    return field(metadata={"declared": FactSpec(shape, private, doc, phases, within, absent, shows)})


def _of_seats(value: Any) -> Callable[[int], Any]:
    return value if callable(value) else (lambda seats: value)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(zone, fact))
def state(fields: type[T]) -> type[T]:
    """Declare a game's state: a class derived from `Position` whose every field is a `zone` or a `fact`."""
    return dataclass(slots=True, kw_only=True, eq=False)(fields)


def seat_number(seats: int) -> Kind:
    """Return the shape of a seat's number."""
    return Int(0, seats - 1)


def seat_list(seats: int) -> Kind:
    """Return the shape of a list of any number of seats."""
    return ListOf(seat_number(seats), 0, seats)


class Layout(NamedTuple):
    """The declarations of a state, by field name."""

    zones: dict[str, ZoneSpec]
    facts: dict[str, FactSpec]


@cached
def layout(state: type[Position]) -> Layout:
    """Return the declarations of a state. Raises TypeError for a field without a declared visibility."""
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
    return Layout(zones, facts)


@cached
def absent_zones(state: type[Position], phase: str) -> list[str]:
    """List the fields of zones that may have no cards in a phase."""
    return [name for name, spec in layout(state).zones.items() if phase not in (spec.phases or (phase,))]


@cached
def absent_facts(state: type[Position], phase: str, seats: int) -> list[tuple[str, Any]]:
    """List the facts that do not exist in a phase, each with its value in that case."""
    facts = layout(state).facts.items()
    return [(name, spec.otherwise(seats)) for name, spec in facts if phase not in (spec.phases or (phase,))]


@cached
def needed_facts(state: type[Position], phase: str, seats: int) -> list[tuple[str, Kind]]:
    """List the facts that exist from a phase on and must not be null in it, each with its shape."""
    facts = [(name, spec.within(seats), spec.phases or ()) for name, spec in layout(state).facts.items()]
    return [(name, kind) for name, kind, phases in facts if phase in phases and not kind.accepts(None)]


@cached
def zone_names(state: type[Position], seats: int) -> dict[str, None]:
    """Return the names of the zones for a number of seats, in the order declared."""
    plan = _plan(state, seats)
    return dict.fromkeys(name for name, *_ in plan.zones[: plan.existing])


@cached
def fact_kinds(state: type[Position], seats: int) -> dict[str, Kind]:
    """Return the members that positions have for the facts, each with its shape."""
    kinds: dict[str, Kind] = {}
    for name, spec in layout(state).facts.items():
        keys = [f"private.{seat}.{name}" for seat in range(seats)] if spec.private else [name]
        kinds |= dict.fromkeys(keys, spec.kind(seats))
    return kinds


@cached
def private_facts(state: type[Position]) -> list[str]:
    """List the facts of which each seat has its own value."""
    return [name for name, spec in layout(state).facts.items() if spec.private]


class Plan(NamedTuple):
    """How to create the zones of a state: name, viewer, whether it is sorted, and its key.

    The zones that exist for the number of seats come first. `fields` says which zone or zones a field has.
    """

    zones: list[tuple[str, Any, bool, SortKey | None]]
    existing: int
    fields: dict[str, Any]


@cached
def _plan(state: type[Position], seats: int) -> Plan:
    zones: list[tuple[str, Any, bool, SortKey | None]] = []
    fields_of: dict[str, Any] = {}
    existing = 0
    declared = layout(state).zones.items()
    for name, spec in sorted(declared, key=lambda item: not item[1].exists(seats)):
        first = len(zones)
        key = None if spec.sort is AS_TEXT else spec.sort
        for s in range(seats if spec.per_seat else 1):
            seen = s if spec.seen == OWNER else spec.seen
            zones.append((f"{name}.{s}" if spec.per_seat else name, seen, spec.sort is not None, key))
        fields_of[name] = slice(first, len(zones)) if spec.per_seat else first
        existing = len(zones) if spec.exists(seats) else existing
    return Plan(zones, existing, fields_of)


def build(
    rules: Ruleset[Any],
    seats: int,
    options: dict[str, Any],
    cards: Mapping[str, Sequence[str]],
    facts: Mapping[str, Any],
    **common: Any,
) -> Any:
    """Return a state with these cards by zone name and facts by field name; other zones are empty."""
    plan = _plan(rules.State, seats)
    zones: list[Zone] = []
    viewed: list[ViewedZone] = []
    for name, seen, is_sorted, key in plan.zones:
        if type(seen) is str:
            place: Zone = (viewed_zone := ViewedZone(cards.get(name, ())))
            viewed_zone.fact = seen
            viewed.append(viewed_zone)
        else:
            place = Zone(cards.get(name, ()))
            place.seen = seen
        place.name, place.sorted, place.key = name, is_sorted, key
        zones.append(place)
    values: dict[str, Any] = {name: zones[which] for name, which in plan.fields.items()}
    for name in layout(rules.State).facts:
        values[name] = facts.get(name)
    places = zones[: plan.existing]
    state = rules.State(ruleset=rules, seats=seats, options=options, places=places, **values, **common)
    state.lists, state.makes = rules.lists, rules.makes
    for viewed_zone in viewed:
        viewed_zone.state = state
    return state


def _rebuilt(
    ruleset: str,
    version: int,
    seats: int,
    options: dict[str, Any],
    zones: Mapping[str, Sequence[str]],
    facts: Mapping[str, Any],
    common: dict[str, Any],
) -> Any:
    return build(find(ruleset, version), seats, options, zones, facts, **common)


def clone(state: Any) -> Any:
    """Return a copy of a state that shares nothing with the original."""
    return build(
        state.ruleset,
        state.seats,
        state.options,
        {place.name: place for place in state.places},
        {name: plain(getattr(state, name)) for name in layout(type(state)).facts},
        phase=state.phase,
        to_act=list(state.to_act),
        scores=list(state.scores),
        result=plain(state.result),
    )
