"""Changes of a position: how cards move, the beginning of a phase, and the end.

Each card that moves leaves one zone and enters another, and the transfer is recorded.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from referee.engine.jsontext import plain
from referee.engine.position import NOBODY, Position, Zone, absent_facts

ALL = slice(None)  # every card of a zone


def move(
    state: Position,
    source: Zone,
    target: Zone,
    what: str | int | slice | Sequence[str] = ALL,
    to: int | None = None,
) -> None:
    """Move cards from `source` to `target` and record the transfer, if there are any.

    `what` says which: a card or several (the first equal ones are taken), an index, or a slice. `to`: they
    are inserted before this index of an ordered target (else at its end).
    """
    if type(what) is str:  # most moves
        source.remove(what)
        moved = [what]
        if to is None:
            target.append(what)
        else:
            target.insert(to, what)
    else:
        if type(what) is int:
            moved = [source.pop(what)]
        elif type(what) is slice:
            moved = source[what]
            del source[what]
        else:
            moved = [*what]  # type: ignore[misc]  # mypy does not narrow by `type(…) is`
            for card in moved:
                source.remove(card)
        if not moved:
            return
        if to is None:
            target += moved
        else:
            target[to:to] = moved
    if target.sorted:  # adding and sorting is faster than `insort`
        target.sort(key=target.key)
    transfers = state.transfers
    if transfers is not None:
        transfers.append((source.name, target.name, moved, source.seen, target.seen))


def gather(state: Position, *places: Zone) -> list[str]:
    """Take all cards out of these zones (all zones, if none is named) to be shuffled; return them."""
    gathered: list[str] = []
    transfers = state.transfers
    for place in places or state.places:
        if place:
            cards = place.copy()
            if transfers is not None:
                transfers.append((place.name, None, cards, place.seen, NOBODY))
            gathered += cards
            place.clear()
    return gathered


def put(state: Position, target: Zone, cards: Sequence[str]) -> None:
    """Deal cards of the shuffled deck to the end of a zone."""
    if cards:
        target += cards
        if target.sorted:
            target.sort(key=target.key)
        if state.transfers is not None:
            state.transfers.append((None, target.name, [*cards], NOBODY, target.seen))


def deal_round(
    state: Position, places: Sequence[Zone], first: int, cards: Sequence[str], source: Zone | None = None
) -> None:
    """Deal cards one at a time to the zones of all seats, clockwise from a seat.

    They come from the shuffled deck, or from the zone `source`.
    """
    for i, seat in enumerate(clockwise(state, first)):
        if source is None:
            put(state, places[seat], cards[i :: state.seats])
        else:
            move(state, source, places[seat], cards[i :: state.seats])


def clockwise(state: Position, first: int) -> list[int]:
    """Return all seats, clockwise from this one; a seat number beyond the last goes around."""
    first %= state.seats
    return [*range(first, state.seats), *range(first)]


def alone(state: Position, seat: int) -> list[int]:
    """Return the seats that win and lose with this one if there are no teams: only itself."""
    return [seat]


def always(deck: Sequence[str]) -> Callable[[int, Mapping[str, Any]], Sequence[str]]:
    """Return a function `deck` for rules that always use these cards."""
    return lambda seats, options: deck


def to_act(state: Position) -> list[int]:
    """Return the seats in `state.to_act`: `due` of games in which only the moves made determine them."""
    return state.to_act


def across(state: Position, seat: int) -> list[int]:
    """Return the seats of a team of two who sit opposite each other, of four seats."""
    return [seat % 2, seat % 2 + 2]


def score(state: Position, seats: Iterable[int], points: int) -> None:
    """Add points to the scores of these seats."""
    for seat in seats:
        state.scores[seat] += points


def leaders(state: Position) -> list[int]:
    """Return the seats with most points."""
    most = max(state.scores)
    return [seat for seat, score in enumerate(state.scores) if score == most]


def outcome(
    state: Position, winners: Sequence[int], reason: str, losers: Sequence[int] | None = None
) -> dict[str, Any]:
    """Return the result that these seats win; the others lose unless `losers` says who does.

    Raises ValueError for a reason that the ruleset does not declare.
    """
    _require_declared(state, reason)
    if losers is None:
        losers = [seat for seat in range(state.seats) if seat not in winners]
    return {"winners": list(winners), "losers": list(losers), "reason": reason}


def _require_declared(state: Position, reason: str) -> None:
    if reason not in state.ruleset.REASONS:
        raise ValueError(f"{state.ruleset.ID} declares no reason {reason!r} in REASONS")


def enter(state: Position, phase: str) -> None:
    """Begin a phase: facts that do not exist in it get the value that is declared for this case."""
    state.phase = phase
    for name, value in absent_facts(type(state), phase, state.seats):
        setattr(state, name, None if value is None else plain(value))


def finish(state: Position, result: dict[str, Any] | None) -> bool:
    """End a game with the current move, in place, if it has a result, and return whether it has.

    The cards stay where they are.

    Raises ValueError for a reason that the ruleset does not declare.
    """
    if result is None:
        return False
    _require_declared(state, result["reason"])
    enter(state, "over")
    state.to_act = []
    state.result = result
    return True
