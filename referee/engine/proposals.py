"""What a seat may try: every move that the declarations of its fields allow."""

from itertools import combinations, product
from typing import Any

from referee.engine.ruleset import Moves
from referee.engine.shapes import CARD, Bool, Field, Int, Kind, ListOf, Maybe, OneOf
from referee.engine.verdicts import Faulty

MOST_IN_SETS = 12  # cards of which all sets are listed
LEFT_OUT = object()  # the value of an optional field that a move does not have


def of_type(state: Any, seat: int, name: str) -> Moves:
    """Return the moves of a type with every value of their fields, cards from the zones named there.

    Raises Faulty for a field whose values are neither few nor declared.
    """
    fields = state.ruleset.MOVES[name]
    values = [_values(state, seat, field, f"{name}.{key}") for key, field in fields.items()]
    moves: list[dict[str, Any]] = []
    for chosen in product(*values):
        named = zip(fields, chosen, strict=True)
        moves.append({"type": name} | {key: value for key, value in named if value is not LEFT_OUT})
    return moves


def _values(state: Any, seat: int, field: Field, place: str) -> list[Any]:
    left_out = [LEFT_OUT] if field.optional else []
    is_set = field.sort is not None and isinstance(field.kind, ListOf)
    if field.kind != CARD and not is_set:
        return left_out + few_values(field.kind, field, f"{place} of {state.ruleset.ID}")
    cards: list[str] = [] if field.zones else [*state.ruleset.deck(state.seats, state.options)]
    for name in field.zones.split():
        zones = getattr(state, name)
        cards += zones[seat] if zones and isinstance(zones[0], list) else zones
    if is_set and len(cards) <= MOST_IN_SETS:
        every = (held for size in range(1, len(cards) + 1) for held in combinations(cards, size))
        return left_out + [[*held] for held in dict.fromkeys(every)]
    if is_set:
        raise Faulty(f"{place} of {state.ruleset.ID} has too many sets: define `candidates(state, seat)`")
    return [*left_out, *dict.fromkeys(cards)]


def few_values(kind: Kind, field: Field, place: str) -> list[Any]:
    """Return all values of a shape except cards. Raises Faulty where they are not few, or not declared."""
    if isinstance(kind, OneOf):
        return list(kind.values)
    if isinstance(kind, Bool):
        return [False, True]
    if isinstance(kind, Maybe):
        return [None, *few_values(kind.inner, field, place)]
    if isinstance(kind, Int):
        if field.within is not None:
            return list(field.within)
        if kind.low is not None and kind.high is not None:
            return list(range(kind.low, kind.high + 1))
    wanted = "declare the values that it can have, within=range(…)"
    if not isinstance(kind, Int):
        wanted = "define `candidates(state, seat)`"
    raise Faulty(f"{place} must be {kind.what}, which is not listed from its shape: {wanted}")
