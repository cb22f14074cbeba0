"""Views as rows of numbers, all of one length in a game, for programs that learn."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from referee.engine.position import NOBODY, layout, zone_names
from referee.engine.shapes import CARD, Bool, Int, Kind, ListOf, Maybe, Object, OneOf

LONGEST = 16  # items of a list without a greatest length that are shown


class Observer:
    """Writes the views of a ruleset, for a number of seats and options, as numbers.

    In this order: the viewer's seat (one number for each seat, 1 for its own), the phase and the seats
    waited for in the same way, the scores, and the zones: the number of cards and, unless nobody ever sees
    them, how many of each face are seen and, where the order counts, at which place from the bottom the
    topmost of each lies. Then come the facts. `parts` has the name and the first place of each part.
    """

    def __init__(self, rules: Any, seats: int, options: Mapping[str, Any]) -> None:
        self._seats = seats
        self._faces = list(dict.fromkeys(rules.deck(seats, dict(options))))
        self._phases = list(rules.PHASES)
        specs = layout(rules.State)
        by_name = {name: specs.zones[name.split(".")[0]] for name in zone_names(rules.State, seats)}
        self._zones = [(name, spec.seen != NOBODY, spec.sort is None) for name, spec in by_name.items()]
        self._facts: list[tuple[str, Kind, bool]] = [
            (name, spec.kind(seats), spec.private) for name, spec in specs.facts.items()
        ]
        self.parts: dict[str, int] = {}
        place = 0
        for name, size in self._sizes():
            self.parts[name] = place
            place += size
        self.size = place

    def write(self, view: Mapping[str, Any], seat: int) -> list[float]:
        """Return the numbers of a seat's view."""
        row = [float(s == seat) for s in range(self._seats)]
        row += [float(phase == view["phase"]) for phase in self._phases]
        row += [float(s in view["to_act"]) for s in range(self._seats)]
        row += map(float, view["scores"])
        for name, seen, ordered in self._zones:
            shown = view["zones"][name]
            cards: Sequence[str] = shown if isinstance(shown, list) else ()
            row.append(float(len(shown) if isinstance(shown, list) else shown["count"]))
            if seen:
                row += [float(cards.count(face)) for face in self._faces]
            if seen and ordered:
                tops = {card: number for number, card in enumerate(cards, 1)}
                row += [float(tops.get(face, 0)) for face in self._faces]
        for name, kind, private in self._facts:
            row += self._numbers(kind, view["facts"][f"private.{seat}.{name}" if private else name])
        return row

    def part_of(self, place: int) -> str:
        """Return which part of a row a place belongs to."""
        starts = [*self.parts.items(), ("", self.size)]
        return next(name for (name, start), (_, end) in pairwise(starts) if start <= place < end)

    def _sizes(self) -> list[tuple[str, int]]:
        faces = len(self._faces)
        sizes = [("seat", self._seats), ("phase", len(self._phases)), ("to_act", self._seats)]
        sizes.append(("scores", self._seats))
        sizes += [(name, 1 + faces * (seen + (seen and ordered))) for name, seen, ordered in self._zones]
        return sizes + [(name, len(self._numbers(kind, None))) for name, kind, _ in self._facts]

    def _numbers(self, kind: Kind, value: Any) -> list[float]:
        """Return a value as numbers, always as many for a shape; zeros for null."""
        if isinstance(kind, Maybe):
            return [float(value is not None), *self._numbers(kind.inner, value)]
        if isinstance(kind, OneOf):
            return [float(type(known) is type(value) and known == value) for known in kind.values]
        if isinstance(kind, Int | Bool):
            return [float(value or 0)]
        if isinstance(kind, ListOf):
            most = LONGEST if kind.high is None else kind.high
            items = [] if value is None else value[:most]
            row = [float(len(value or ()))]
            for item in [*items, *[None] * (most - len(items))]:
                row += self._numbers(kind.item, item)
            return row
        if isinstance(kind, Object):
            fields = {} if value is None else value
            return [
                number for key, of in kind.fields.items() for number in self._numbers(of, fields.get(key))
            ]
        if kind == CARD:
            return [float(face == value) for face in self._faces]
        return []  # free text is not shown
