"""Who may know of a game, what of it they see, and for which seats they act."""

from __future__ import annotations

from typing import NamedTuple

from api.services.context import ANONYMOUS, APP, PLAYER, Caller
from api.services.errors import BadRequest, Forbidden, NotFound
from api.services.table import Table


class Sight(NamedTuple):
    """What a caller sees of a game: as these seats do, or (`whole`) everything.

    Its `maker` is its app with scope `write`: it acts for every seat and sees the invite codes.
    """

    seats: tuple[int, ...] = ()
    whole: bool = False
    maker: bool = False


SPECTATOR = Sight()


def seats_of(caller: Caller, table: Table) -> tuple[int, ...]:
    """List the seats that a player holds."""
    if caller.player_id is None:
        return ()
    mine = str(caller.player_id)
    return tuple(n for n, seat in enumerate(table.seats) if seat["player"] and seat["player"]["id"] == mine)


def sight(caller: Caller, table: Table) -> Sight:
    """Tell what the caller sees. Raises NotFound for a game that it may not know of."""
    own = caller.app_id == table.app_id
    if own and caller.kind == APP:
        return Sight(whole="audit" in caller.scopes, maker="write" in caller.scopes)
    if own and caller.kind == PLAYER:
        seats = seats_of(caller, table)
        if seats:
            return Sight(seats)
    if table.visibility == "public" or (table.visibility == "unlisted" and caller.kind != ANONYMOUS):
        return SPECTATOR
    raise NotFound("There is no such game.")


def require_seat(table: Table, seat: int | None) -> None:
    """Raises NotFound for a seat that the game does not have."""
    if seat is None or not 0 <= seat < len(table.seats):
        raise NotFound(f"The game has seats 0 to {len(table.seats) - 1}.")


def _may_speak(table: Table, seat: int) -> bool:
    """Return whether a seat is its app's: neither open nor of a player of another service."""
    return not table.is_open(seat) and "name" not in table.seats[seat]


def acting_seat(caller: Caller, table: Table, sight: Sight, seat: int | None) -> int:
    """Tell for which seat the caller acts.

    Raises Forbidden where it may act for none, or not for this one; BadRequest where it has to say which.
    """
    if sight.maker:
        seats = tuple(n for n, taken in enumerate(table.seats) if not taken["bot"] and _may_speak(table, n))
    else:
        seats = sight.seats
    if seat is None:
        if not seats:
            raise Forbidden("You hold no seat of this game.")
        if len(seats) > 1 or sight.maker:
            raise BadRequest({"seat": [f"Say which seat: one of {', '.join(map(str, seats))}."]})
        return seats[0]
    if seat not in seats:
        raise Forbidden(f"Seat {seat} is not yours to act for.")
    return seat
