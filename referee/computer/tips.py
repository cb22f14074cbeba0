"""Tips: a good move for a seat, and where its cards go."""

from typing import Any

from referee.computer.bots import BUDGET
from referee.computer.skilled import skilled_bot
from referee.engine.chance import Below, Seeded
from referee.engine.play import advance, legal_moves
from referee.engine.position import Position, clone, sees
from referee.engine.views import view


def suggest(state: Position, seat: int, below: Below) -> dict[str, Any] | None:
    """Return a good move for a seat, except for talk; None if there is none.

    It is the choice of the strongest bot.
    """
    moves = [move for move in legal_moves(state, seat) if "..." not in move.values()]
    return skilled_bot(view(state, seat), seat, moves, below, BUDGET) if moves else None


def ways(state: Position, seat: int, move: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the transfers from and to a seat that its move makes at once, as far as it can know them before.

    What only follows from the move is left out: a trick that is taken, a card that is drawn instead.
    """
    transfers = advance(clone(state), seat, move, Seeded.from_seed(b"", [""] * state.seats))
    grown: set[str | None] = set()  # zones of nobody that got cards, which others may take with theirs
    found: list[dict[str, Any]] = []
    for number, (source, target, cards, left, _) in enumerate(transfers):
        is_known = sees(seat, left)
        is_direct = number == 0 or (is_known and source not in grown)
        grown.update({target} if target and "." not in target else ())
        if is_direct and _is_of(seat, source, target):
            found.append(
                {"from": source, "to": target, "cards": cards[:] if is_known else [None] * len(cards)}
            )
    return found


def _is_of(seat: int, *zones: str | None) -> bool:
    """Whether both are zones, and one of them is this seat's."""
    return None not in zones and any(str(zone).endswith(f".{seat}") for zone in zones)
