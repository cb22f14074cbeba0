"""Positions as JSON: the whole position, and what each seat may see of it.

A view is built by including what is declared visible, never by removing secrets from the whole.
"""

from collections.abc import Iterable
from typing import Any

from referee.engine.jsontext import plain
from referee.engine.position import EVERYONE, Moved, Position, layout, sees
from referee.engine.shapes import Move
from referee.engine.verdicts import Malformed


def dump(state: Position) -> dict[str, Any]:
    """Return the whole position in the documented form."""
    return {
        **_common(state),
        "zones": {place.name: place.copy() for place in state.places},
        "facts": _facts(state, range(state.seats)),
        **_outcome(state),
    }


def view(state: Position, seat: int | None) -> dict[str, Any]:
    """Return what a seat, or a spectator (None), may see; hidden cards are replaced by their number.

    Raises Malformed for a seat that the game does not have.
    """
    check_viewer(state.seats, seat)
    return {
        **_common(state),
        "zones": {
            place.name: place.copy() if sees(seat, place.seen) else {"count": len(place)}
            for place in state.places
        },
        "facts": _facts(state, () if seat is None else (seat,)),
        **_outcome(state),
    }


def check_viewer(seats: int, seat: object) -> None:
    """Check that somebody can see as this seat, or as a spectator. Raises Malformed.

    Negative numbers stand for other viewers in declarations, such as nobody: they would see what nobody may.
    """
    if seat is not None and seat not in range(seats):
        raise Malformed("seat", f"must be from 0 to {seats - 1}, or None for a spectator")


def _common(state: Position) -> dict[str, Any]:
    return {
        "ruleset": state.ruleset.ID,
        "version": state.ruleset.VERSION,
        "seats": state.seats,
        "options": dict(state.options),
        "phase": state.phase,
        "to_act": list(state.to_act),
    }


def _outcome(state: Position) -> dict[str, Any]:
    return {"scores": list(state.scores), "result": plain(state.result)}


def _facts(state: Position, private_of: Iterable[int]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for name, spec in layout(type(state)).facts.items():
        value = getattr(state, name)
        if spec.private:
            facts.update({f"private.{s}.{name}": plain(value[s]) for s in private_of})
        else:
            facts[name] = plain(value)
    return facts


def show_transfers(
    transfers: Iterable[Moved], seat: int | None, *, whole: bool = False
) -> list[dict[str, Any]]:
    """Return transfers as a seat (None: a spectator) saw them; `whole` shows every card."""
    shown = []
    for source, target, cards, left, came in transfers:  # most of them are seen by everybody
        seen = whole or EVERYONE in (left, came) or sees(seat, left) or sees(seat, came)
        shown.append({"from": source, "to": target, "cards": cards[:] if seen else [None] * len(cards)})
    return shown


def public_move(state: Position, move: Move) -> dict[str, Any]:
    """Return the public fields of a move: those that are declared and not declared secret."""
    shown: dict[str, Any] = {"type": move["type"]}
    for key, field in state.ruleset.MOVES[move["type"]].items():
        if key in move and not field.secret:
            shown[key] = sorted(move[key], key=field.sort) if field.sort else plain(move[key])
    return shown
