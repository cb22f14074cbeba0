"""Views as rows of numbers, all of one length in a game, for programs that learn."""

from collections.abc import Callable, Iterable, Mapping, MutableSequence
from typing import Any, NamedTuple

from referee.engine.position import NOBODY, layout, zone_names
from referee.engine.shapes import CARD, Bool, Int, Kind, ListOf, Maybe, Object, OneOf

LONGEST = 16  # items of a list without a greatest length that are shown
Row = MutableSequence[float]
Writer = Callable[[Row, Any], None]
# A zone's first place, and by face those of the number and, where it counts, of the order.
ZoneAt = tuple[int, dict[str, int], dict[str, int] | None]


class Part(NamedTuple):
    """A part of a row: what it is about, its first place, how many numbers it has, and what they say."""

    name: str
    start: int
    size: int
    says: str


class Observer:
    """Writes what a seat sees of a ruleset's games, for a number of seats and options, as numbers.

    In this order: the viewer's seat (one number for each seat, 1 for its own), the phase and the seats
    waited for in the same way, the scores, and the zones: the number of cards and, unless nobody ever sees
    them, how many of each face are seen and, where the order counts, at which place from the bottom the
    topmost of each lies. Then come the facts. `layout` lists the parts of a row, and `parts` has the first
    place of each by its name; `faces` are the cards in the order of their numbers.
    """

    def __init__(self, rules: Any, seats: int, options: Mapping[str, Any]) -> None:
        self._seats = seats
        deck = rules.deck(seats, dict(options))
        self.faces = list(dict.fromkeys(deck))
        self._phases = {phase: place for place, phase in enumerate(rules.PHASES)}
        specs = layout(rules.State)
        by_name = {name: specs.zones[name.split(".")[0]] for name in zone_names(rules.State, seats)}
        self._zones = [(name, spec.seen != NOBODY, spec.sort is None) for name, spec in by_name.items()]
        self._facts: list[tuple[str, Kind, bool]] = [
            (name, spec.kind(seats), spec.private) for name, spec in specs.facts.items()
        ]
        self.layout: list[Part] = []
        self.size = 0
        for name, size, says in self._sizes():
            self.layout.append(Part(name, self.size, size, says))
            self.size += size
        self.parts = {part.name: part.start for part in self.layout}
        starts = [part.start for part in self.layout]
        self._starts = starts[:4]
        self._zones_at: list[ZoneAt] = [
            (start, self._by_face(start + 1), self._by_face(start + 1 + len(self.faces)) if ordered else None)
            for start, (_, _, ordered) in zip(starts[4:], self._zones, strict=False)
        ]
        kinds = zip(self._facts, starts[4 + len(self._zones) :], strict=True)
        self._writers = [self._writer(kind, start) for (_, kind, _), start in kinds]

    def write(self, view: Mapping[str, Any], seat: int) -> list[float]:
        """Return the numbers of a seat's view."""
        row = [0.0] * self.size
        in_seat, in_phase, in_to_act, in_scores = self._starts
        row[in_seat + seat] = row[in_phase + self._phases[view["phase"]]] = 1.0
        for s in view["to_act"]:
            row[in_to_act + s] = 1.0
        for place, score in enumerate(view["scores"], in_scores):
            row[place] = float(score)
        for (start, faces, tops), (name, _, _) in zip(self._zones_at, self._zones, strict=True):
            shown = view["zones"][name]
            cards = shown if isinstance(shown, list) else ()
            row[start] = float(len(shown) if isinstance(shown, list) else shown["count"])
            for place, card in enumerate(cards, 1):
                row[faces[card]] += 1.0
                if tops is not None:
                    row[tops[card]] = float(place)
        for put, (name, _, private) in zip(self._writers, self._facts, strict=True):
            value = view["facts"][f"private.{seat}.{name}" if private else name]
            if put is not None and value is not None:
                put(row, value)
        return row

    def _by_face(self, start: int) -> dict[str, int]:
        return {face: place for place, face in enumerate(self.faces, start)}

    def _sizes(self) -> Iterable[tuple[str, int, str]]:
        faces = len(self.faces)
        yield "seat", self._seats, "1 for the viewer's seat"
        yield "phase", len(self._phases), "1 for the phase, in the order declared"
        yield "to_act", self._seats, "1 for each seat that the game waits for"
        yield "scores", self._seats, "the score of each seat"
        for name, seen, ordered in self._zones:
            says = "how many cards" + ", how many of each face are seen" * seen
            says += ", the place of the topmost of each face, from the bottom" * (seen and ordered)
            yield name, 1 + faces * (seen + (seen and ordered)), says
        for name, kind, private in self._facts:
            yield name, self._size(kind), kind.what + ", the viewer's own" * private

    def _size(self, kind: Kind) -> int:
        """Return how many numbers stand for a value of this shape."""
        if isinstance(kind, Maybe):
            return 1 + self._size(kind.inner)
        if isinstance(kind, OneOf):
            return len(kind.values)
        if isinstance(kind, ListOf):
            return 1 + _most(kind) * self._size(kind.item)
        if isinstance(kind, Object):
            return sum(map(self._size, kind.fields.values()))
        if kind == CARD:
            return len(self.faces)
        return int(isinstance(kind, Int | Bool))  # free text is not shown

    def _writer(self, kind: Kind, start: int) -> Writer | None:
        """Return what writes a value of this shape from a place on; None for free text."""
        if isinstance(kind, Int | Bool):
            return lambda row, value: row.__setitem__(start, float(value))
        if isinstance(kind, Maybe):
            return self._one_more(start, self._writer(kind.inner, start + 1))
        if isinstance(kind, OneOf):
            places = {(type(value), value): start + place for place, value in enumerate(kind.values)}
            return lambda row, value: row.__setitem__(places[type(value), value], 1.0)
        if isinstance(kind, ListOf):
            size = self._size(kind.item)
            return self._list(
                [self._writer(kind.item, start + 1 + i * size) for i in range(_most(kind))], start
            )
        if isinstance(kind, Object):
            writers = []
            for key, of in kind.fields.items():
                writers.append((key, self._writer(of, start)))
                start += self._size(of)
            return self._members(writers)
        return self._card(start) if kind == CARD else None

    def _card(self, start: int) -> Writer:
        places = self._by_face(start)

        def write(row: Row, value: Any) -> None:
            if value in places:
                row[places[value]] = 1.0

        return write

    @staticmethod
    def _one_more(start: int, inner: Writer | None) -> Writer:
        def write(row: Row, value: Any) -> None:
            row[start] = 1.0
            if inner is not None:
                inner(row, value)

        return write

    @staticmethod
    def _list(writers: list[Writer | None], start: int) -> Writer:
        def write(row: Row, value: Any) -> None:
            row[start] = float(len(value))
            for put, item in zip(writers, value, strict=False):
                if put is not None and item is not None:
                    put(row, item)

        return write

    @staticmethod
    def _members(writers: list[tuple[str, Writer | None]]) -> Writer:
        def write(row: Row, value: Any) -> None:
            for key, put in writers:
                if put is not None and value.get(key) is not None:
                    put(row, value[key])

        return write


def _most(kind: ListOf) -> int:
    return LONGEST if kind.high is None else kind.high
