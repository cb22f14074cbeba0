"""Full positions that agree with what a seat sees: the hidden cards dealt again, the private facts guessed.

A ruleset whose facts say something about hidden cards, or whose private facts cannot be guessed from their
shapes, declares it with two optional functions:

- `known(view)` returns hidden cards whose place follows from the facts: zone name → cards. It
  may name cards that the view shows there.
- `guess(view, seat, below)` returns the private facts of a seat, by name; in this view no zone is hidden.
  Those that it leaves out are guessed from their shapes.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from referee.engine.chance import Below
from referee.engine.jsontext import plain
from referee.engine.play import read
from referee.engine.position import absent_facts, layout
from referee.engine.registry import find
from referee.engine.shapes import CARD, Bool, Int, Kind, ListOf, Maybe, OneOf
from referee.engine.verdicts import Malformed

TRIES = 100  # deals of the hidden cards before a view is given up
FAR = 16  # the greatest distance from its bound of an integer with one bound, and the longest list


def sample(view: Mapping[str, Any], below: Below) -> Any:
    """Return a position that looks like this view to its viewer; other players' secrets are guessed.

    `below(n)` picks a number from 0 to n-1: `random.Random(7).randrange`, say. All deals of the hidden cards
    that the rules allow are equally likely. Raises Malformed if no possible position was found.
    """
    return Sampler(view).draw(below)


class Sampler:
    """Draws many positions that agree with one view."""

    def __init__(self, view: Mapping[str, Any]) -> None:
        """Raise Malformed if the view shows or implies cards that the deck does not have."""
        self._view = {name: value for name, value in view.items() if name not in ("seat", "zones")}
        self._rules: Any = find(view["ruleset"], view["version"])
        known = getattr(self._rules, "known", None)
        fixed: Mapping[str, list[str]] = {} if known is None else known(view)
        self._faces = list(dict.fromkeys(self._rules.deck(view["seats"], view["options"])))
        unseen = Counter(self._rules.deck(view["seats"], view["options"]))
        self._zones: dict[str, list[str | None]] = {}
        for name, shown in view["zones"].items():
            cards: list[str | None] = list(shown) if isinstance(shown, list) else [None] * shown["count"]
            lacking = Counter(fixed.get(name, ())) - Counter(card for card in cards if card is not None)
            for card in lacking.elements():
                if None not in cards:
                    raise Malformed(f"zones.{name}", f"has no room for the {card} that must be there")
                cards[cards.index(None)] = card
            unseen.subtract(card for card in cards if card is not None)
            self._zones[name] = cards
        self._pool = sorted(unseen.elements())
        if len(self._pool) != sum(cards.count(None) for cards in self._zones.values()):
            raise Malformed("zones", "must hide just the cards of the deck that are not shown")
        self._absent, self._missing = _missing_facts(self._rules, view)

    def draw(self, below: Below) -> Any:
        """Return a position. Raises Malformed if none of many that were tried is possible."""
        for _ in range(TRIES):
            try:
                return read(self._filled(below))
            except Malformed as error:
                why = error
        raise Malformed(why.place, f"{why.detail}; no position was found that agrees with the view")

    def _filled(self, below: Below) -> dict[str, Any]:
        pool = self._pool[:]
        for left in range(len(pool) - 1, 0, -1):
            other = below(left + 1)
            pool[left], pool[other] = pool[other], pool[left]
        zones = {
            name: [pool.pop() if card is None else card for card in cards] if None in cards else cards[:]
            for name, cards in self._zones.items()
        }
        position: dict[str, Any] = {**plain(self._view), "zones": zones}  # shares nothing with other draws
        if self._absent or self._missing:
            position["facts"] = {**position["facts"], **self._absent, **self._guessed(position, below)}
        return position

    def _guessed(self, position: dict[str, Any], below: Below) -> dict[str, Any]:
        guess = getattr(self._rules, "guess", None)
        facts: dict[str, Any] = {}
        for seat, missing in self._missing.items():
            values: dict[str, Any] = {} if guess is None else guess(position, seat, below)
            for name in [name for name in missing if name not in values]:
                values[name] = _any_value(missing[name], self._faces, below)
            facts |= {f"private.{seat}.{name}": values[name] for name in missing}
        return facts


def _missing_facts(rules: Any, view: Mapping[str, Any]) -> tuple[dict[str, Any], dict[int, dict[str, Kind]]]:
    """Return the private facts that a view does not show: the values of those that do not exist in its phase,
    and the shapes of the others by seat and name.
    """
    seats = view["seats"]
    outside = dict(absent_facts(rules.State, view["phase"], seats))
    absent: dict[str, Any] = {}
    missing: dict[int, dict[str, Kind]] = {}
    for name, spec in layout(rules.State).facts.items():
        for seat in range(seats) if spec.private else ():
            key = f"private.{seat}.{name}"
            if key in view["facts"]:
                continue
            if name in outside:
                absent[key] = outside[name][seat]
            else:
                missing.setdefault(seat, {})[name] = spec.within(seats)
    return absent, missing


def _any_value(kind: Kind, faces: list[str], below: Below) -> Any:
    """Return any value of a shape; a string is a card of the deck."""
    if isinstance(kind, OneOf):
        return kind.values[below(len(kind.values))]
    if isinstance(kind, Bool):
        return below(2) == 1
    if isinstance(kind, Maybe):
        return _any_value(kind.inner, faces, below) if below(2) else None
    if isinstance(kind, Int):
        low = kind.low if kind.low is not None else 0 if kind.high is None else kind.high - FAR
        return low + below((low + FAR if kind.high is None else kind.high) - low + 1)
    if isinstance(kind, ListOf):
        most = max(kind.low, FAR) if kind.high is None else kind.high
        return [_any_value(kind.item, faces, below) for _ in range(kind.low + below(most - kind.low + 1))]
    if kind == CARD:
        return faces[below(len(faces))]
    raise Malformed("facts", f"cannot guess a private fact that must be {kind.what}: declare `guess`")
