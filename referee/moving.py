"""What happens to a position: the few ways in which cards move, a phase that begins, and the end.

Each card that moves leaves one zone and enters another, and the transfer is noted.
"""

from collections.abc import Sequence
from typing import Any

from referee.position import NOBODY, Position, Zone, absent_facts, plain


def move(
    state: Position,
    source: Zone,
    target: Zone,
    cards: Sequence[str],
    *,
    at: int | None = None,
    to: int | None = None,
) -> None:
    """Move cards that lie in `source` to `target` and note the transfer.

    `at`: the cards are the run that begins at this index (else the first equal ones are taken);
    `to`: they go in before this index of an ordered target (else on its end).
    """
    moved = list(cards)
    if at is None:
        for card in moved:
            source.remove(card)
    else:
        end = at + len(moved)
        if source[at:end] != moved:
            raise ValueError(f"{moved} do not lie at {at} in {source.name}")
        del source[at:end]
    if to is None:
        target += moved
    else:
        target[to:to] = moved
    if target.sorted:
        target.sort(key=target.key)
    if state.transfers is not None:
        state.transfers.append((source.name, target.name, moved, source.seen, target.seen))


def move_card(state: Position, source: Zone, target: Zone, card: str) -> None:
    """Move one card that lies in `source` to `target`, on its end, and note the transfer."""
    source.remove(card)
    target.append(card)
    if target.sorted:  # a sorted list with one card behind it sorts faster than `insort` finds the place
        target.sort(key=target.key)
    transfers = state.transfers
    if transfers is not None:
        transfers.append((source.name, target.name, [card], source.seen, target.seen))


def move_all(state: Position, source: Zone, target: Zone) -> None:
    """Move all cards of `source`, if there are any, to `target`, on its end, and note the transfer."""
    if source:
        moved = source[:]
        source.clear()
        target += moved
        if target.sorted:
            target.sort(key=target.key)
        if state.transfers is not None:
            state.transfers.append((source.name, target.name, moved, source.seen, target.seen))


def gather(state: Position, *places: Zone) -> list[str]:
    """Take all cards out of these zones (all zones, where none is named), to be shuffled; returns them."""
    gathered: list[str] = []
    for place in places or state.places:
        if place:
            if state.transfers is not None:
                state.transfers.append((place.name, None, list(place), place.seen, NOBODY))
            gathered += place
            place.clear()
    return gathered


def put(state: Position, target: Zone, cards: Sequence[str]) -> None:
    """Deal cards of the shuffled deck to a zone, on its end."""
    if cards:
        target += cards
        if target.sorted:
            target.sort(key=target.key)
        if state.transfers is not None:
            state.transfers.append((None, target.name, list(cards), NOBODY, target.seen))


def deal_round(state: Position, places: Sequence[Zone], first: int, cards: Sequence[str]) -> None:
    """Deal cards of the shuffled deck one at a time to the places of all seats, clockwise from a seat on."""
    seats = state.seats
    for i in range(seats):
        put(state, places[(first + i) % seats], cards[i::seats])


def alone(state: Position, seat: int) -> list[int]:
    """Return the seats that win and lose with this one where there are no teams: itself."""
    return [seat]


def outcome(
    state: Position, winners: Sequence[int], reason: str, losers: Sequence[int] | None = None
) -> dict[str, Any]:
    """Return the result that these seats win; the others lose unless `losers` says who does.

    Raises ValueError for a reason that the ruleset does not declare.
    """
    if reason not in state.ruleset.REASONS:
        raise ValueError(f"{state.ruleset.ID} declares no reason {reason!r}")
    if losers is None:
        losers = [seat for seat in range(state.seats) if seat not in winners]
    return {"winners": list(winners), "losers": list(losers), "reason": reason}


def enter(state: Position, phase: str) -> None:
    """Begin a phase: the facts that do not exist in it become what they are declared to be otherwise."""
    state.phase = phase
    for name, value in absent_facts(type(state), phase, state.seats):
        setattr(state, name, plain(value))


def finish(state: Position, result: dict[str, Any]) -> None:
    """End a game by the move being made, in place; the cards stay where they are."""
    enter(state, "over")
    state.to_act = []
    state.result = result
