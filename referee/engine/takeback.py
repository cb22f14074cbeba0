"""Moves that may be taken back: those that revealed nothing and drew no chance."""

from collections.abc import Sequence

from referee.engine.chance import Seeded
from referee.engine.play import advance
from referee.engine.position import EVERYONE, NOBODY, Moved, Position, Transfer, Viewers, cached, layout
from referee.engine.shapes import Move


def reveals(state: Position, seat: int, move: Move, chance: Seeded) -> str | None:
    """Make a legal move in place; return why it can never be taken back, or None if it can.

    A card is revealed when it moves to a place where another viewer sees it, and so are the cards of a zone
    that gets a new viewer. An announcement (a bid, a pass) may be taken back.
    """
    drawn, seen = chance.drawn, viewers(state)
    transfers = advance(state, seat, move, chance)
    return shown(state, transfers, seen, drew=chance.drawn != drawn)


@cached
def _shifts(kind: type[Position]) -> bool:
    """Return whether it depends on facts who sees a zone of such a game."""
    return any(type(spec.seen) is str for spec in layout(kind).zones.values())


@cached
def _has_secrets(kind: type[Position]) -> bool:
    """Return whether such a game has facts that one seat alone knows."""
    return any(spec.private for spec in layout(kind).facts.values())


def viewers(state: Position) -> list[Viewers]:
    """Return who sees each place; nothing of a game in which that never changes."""
    return [place.seen for place in state.places] if _shifts(type(state)) else []


def shown(state: Position, transfers: Sequence[Moved], seen: Sequence[Viewers], *, drew: bool) -> str | None:
    """Return what a move has shown that was hidden, or None; `seen` were the `viewers` before it.

    `drew` says whether chance was drawn.
    """
    if drew:
        return "chance was drawn"
    if any(_shows(moved.source_seen, moved.target_seen) for moved in map(Transfer._make, transfers)):
        return "a hidden card was shown"
    if any(_shows(before, place.seen) for before, place in zip(seen, state.places, strict=False) if place):
        return "hidden cards were shown"
    if state.result is not None:
        return "the game is over"
    if _has_secrets(type(state)):
        return "what one seat alone knew may have been shown"  # transfers do not show changes of facts
    return None


def _shows(before: Viewers, after: Viewers) -> bool:
    return after not in (before, NOBODY) and before != EVERYONE
