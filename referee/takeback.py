"""Moves that may be taken back: those by which nobody has learnt anything, and no chance was drawn."""

from referee.chance import Seeded
from referee.play import advance
from referee.position import EVERYONE, NOBODY, Move, Position, layout


def reveals(state: Position, seat: int, move: Move, chance: Seeded) -> str | None:
    """Make a legal move, in place; say why it can never be taken back, None where it can.

    A card that goes where somebody sees it who did not see it before was revealed, and so were the cards
    of a zone that somebody sees now and did not before. What a move says (a bid, a pass) may be unsaid.
    """
    drawn = chance.drawn
    seen = [place.seen for place in state.places]
    transfers = advance(state, seat, move, chance)
    if chance.drawn != drawn:
        return "chance was drawn"
    if any(_shows(left, came) for _, _, cards, left, came in transfers if cards):
        return "a hidden card was shown"
    if any(_shows(before, place.seen) for before, place in zip(seen, state.places, strict=True) if place):
        return "hidden cards were shown"
    if state.result is not None:
        return "the game is over"
    if any(spec.private for spec in layout(type(state)).facts.values()):
        return "what one seat alone knew may have been shown"  # no transfer says so of a fact
    return None


def _shows(before: int, after: int) -> bool:
    return after != before and before != EVERYONE and after != NOBODY
