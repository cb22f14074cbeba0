"""Random games in which a ruleset is tried, and what each seat has been shown in them."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from referee.computer.playout import choose
from referee.engine.chance import Seeded
from referee.engine.loading import default_options
from referee.engine.play import advance, deal
from referee.engine.position import Moved, Position, Transfer, clone, sees
from referee.engine.ruleset import Ruleset
from referee.engine.shapes import Bool, OneOf, Option
from referee.engine.views import public_move

Cards = set[str]
WORD = re.compile(r"\w+")


class Point(NamedTuple):
    """A move of a random game: the states before and after it, and the chance that it begins with."""

    number: int
    before: Any
    seat: int
    move: dict[str, Any]
    after: Any
    transfers: list[Moved]
    chance: Callable[[], Seeded]
    known: dict[int | None, Cards]  # by seat, None for a spectator: the cards shown to it so far

    def __str__(self) -> str:
        return f"{self.before.seats} seats, move {self.number}, seat {self.seat}: {self.move}"


def tables(rules: Ruleset[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield every number of seats, with the default options and with others."""
    for seats in rules.SEATS:
        defaults = default_options(rules, seats)
        others = {name: other(option) for name, option in rules.options(seats).items()}
        yield seats, defaults
        if others != defaults:
            yield seats, others


def other(option: Option) -> Any:
    """Return a value of an option that is not its default; the default if there is none to be tried."""
    if isinstance(option.kind, Bool):
        return not option.default
    if isinstance(option.kind, OneOf):
        return next((value for value in option.kind.values if value != option.default), option.default)
    return option.default


def play(rules: Ruleset[Any], seats: int, options: dict[str, Any], seed: bytes, most: int) -> Iterator[Point]:
    """Play a random game up to a number of moves; yield its deal as a move of seat -1, and each move."""
    chance = Seeded.from_seed(seed, [""] * seats)
    below = Seeded.from_seed(seed, ["choices"]).pick
    state, dealt = deal(rules.ID, seats, options, chance, version=rules.VERSION)
    known: dict[int | None, Cards] = {viewer: set() for viewer in (None, *range(seats))}
    _learn(known, state, dealt)
    again = partial(Seeded.from_seed, seed, [""] * seats)
    yield Point(0, state, -1, {}, clone(state), dealt, again, known)
    for number in range(1, most + 1):
        if state.result is not None:
            return
        seat, move = choose(state, below)
        before, drawn = clone(state), partial(again, chance.drawn)
        transfers = advance(state, seat, move, chance)
        _learn(known, state, transfers)
        known[seat] |= cards_in(dict(move), state)
        for cards in known.values():
            cards |= cards_in(public_move(before, move), state)
        yield Point(number, before, seat, move, clone(state), transfers, drawn, known)


def _learn(known: dict[int | None, Cards], state: Position, transfers: list[Moved]) -> None:
    for viewer, cards in known.items():
        for place in state.places:
            if sees(viewer, place.seen):
                cards.update(place)
        for moved in map(Transfer._make, transfers):
            if sees(viewer, moved.source_seen) or sees(viewer, moved.target_seen):
                cards.update(moved.cards)


def cards_in(value: Any, state: Position) -> Cards:
    """Return the cards of the deck that a JSON value names, at any depth, also as words of a text."""
    return _strings(value) & set(state.ruleset.deck(state.seats, state.options))


def _strings(value: Any) -> set[str]:
    if isinstance(value, str):
        return {value, *WORD.findall(value)}
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set[str]().union(*map(_strings, inner))
