"""Who may know of a game, what they see of it, and for which seats they act."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from api.core.callers import ANONYMOUS, APP, PLAYER, WATCH, Caller
from api.core.errors import BadRequest, Forbidden, NotFound
from api.game.game import OPEN, RUNNING, Game


class Visibility(NamedTuple):
    """What a caller sees of a game: what these seats see, or everything (`whole`).

    The `maker` is the game's app with scope `write`, which acts for every seat and sees the invite codes.
    """

    seats: tuple[int, ...] = ()
    whole: bool = False
    maker: bool = False
    own: bool = False
    """Its app asks: it is shown what it has written on the game."""
    former: tuple[tuple[int, int], ...] = ()
    """Seats that the caller has held, each with the version up to which it sees what that seat saw."""
    until: int | None = None
    """Nothing later is shown: the game is private, and the caller holds no seat of it any more."""

    def at(self, version: int) -> Visibility:
        """Return what the caller sees of what happened at a version."""
        if not self.former:
            return self
        seats = {*self.seats, *(seat for seat, until in self.former if version <= until)}
        return self._replace(seats=tuple(sorted(seats)), former=(), until=None)

    def covers(self, version: int) -> bool:
        """Return whether the caller may see what happened at a version."""
        return self.until is None or version <= self.until


SPECTATOR = Visibility()
PRIVATE = "In this game only players act for their seats, with tokens of their own (seats_private)."


def seats_of(caller: Caller, game: Game) -> tuple[int, ...]:
    """List the seats of a player."""
    return _held_by(caller.player_id, game)


def _held_by(player_id: UUID | None, game: Game) -> tuple[int, ...]:
    if player_id is None:
        return ()
    mine = str(player_id)
    return tuple(n for n, seat in enumerate(game.seats) if seat.player and seat.player.id == mine)


def is_invited(caller: Caller, game: Game, seat: int) -> bool:
    """Return whether a player may take this open seat without its invite code."""
    mine = caller.app_id == game.app_id and caller.kind == PLAYER and not caller.by_app
    return mine and not game.seats[seat].taken and game.seats[seat].invited == str(caller.player_id)


def invited_seats(caller: Caller, game: Game) -> list[int]:
    """List the open seats that a player may take without their invite codes."""
    return [seat for seat in range(len(game.seats)) if is_invited(caller, game, seat)]


def visibility_of(caller: Caller, game: Game) -> Visibility:
    """Return what the caller sees.

    Raises NotFound for a game that it may not know of, Forbidden for an app key that acts as a player if the
    game does not allow it.
    """
    own = caller.app_id == game.app_id
    if own and caller.kind == APP:
        return Visibility(whole="audit" in caller.scopes, maker="write" in caller.scopes, own=True)
    if own and caller.kind == PLAYER:
        seats = seats_of(caller, game)
        if seats and caller.by_app and game.seats_private:
            raise Forbidden(PRIVATE)
        if seats and not (caller.ended and game.status in (OPEN, RUNNING)):
            return Visibility(seats)
        if game.status == OPEN and invited_seats(caller, game):
            return SPECTATOR
    if own and WATCH in caller.scopes and caller.only_game == game.id and _held_by(caller.sharer, game):
        return SPECTATOR  # as long as whoever gave the link away sees the game
    if game.visibility == "public" or (game.visibility == "unlisted" and caller.kind != ANONYMOUS):
        return SPECTATOR
    raise NotFound("There is no such game.")


def reading(caller: Caller, game: Game) -> Visibility:
    """Return what a reading caller sees; a former holder of a seat still sees the game up to then.

    Raises NotFound, Forbidden.
    """
    former = _former(caller, game)
    try:
        visibility = visibility_of(caller, game)
    except NotFound:
        if not former:
            raise
        return Visibility(former=former, until=max(version for _, version in former))
    return visibility._replace(former=former)


def _former(caller: Caller, game: Game) -> tuple[tuple[int, int], ...]:
    if caller.player_id is None or caller.app_id != game.app_id:
        return ()
    mine = str(caller.player_id)
    former = tuple((n, seat.former[mine]) for n, seat in enumerate(game.seats) if mine in seat.former)
    if former and caller.by_app and game.seats_private:
        raise Forbidden(PRIVATE)
    return () if caller.ended and game.status in (OPEN, RUNNING) else former


def require_seat(game: Game, seat: int | None) -> None:
    """Raise NotFound if the game does not have this seat."""
    if seat is None or not 0 <= seat < len(game.seats):
        raise NotFound(f"The game has seats 0 to {len(game.seats) - 1}.")


def _may_speak(game: Game, seat: int) -> bool:
    """Return whether a seat belongs to its app: neither open nor of a player of another service."""
    return not game.is_open(seat) and game.seats[seat].name is None


def acting_seat(game: Game, visibility: Visibility, seat: int | None) -> int:
    """Return the seat that the caller acts for.

    Raises Forbidden if it may act for none, or not for this one; BadRequest if it must name the seat, or the
    game has no such seat.
    """
    if visibility.maker:
        if game.seats_private:
            raise Forbidden(PRIVATE)
        seats = tuple(n for n, taken in enumerate(game.seats) if not taken.bot and _may_speak(game, n))
    else:
        seats = visibility.seats
    if seat is None:
        if not seats:
            raise Forbidden("You hold no seat of this game.")
        if len(seats) > 1 or visibility.maker:
            raise BadRequest({"seat": [f"Say which seat: one of {', '.join(map(str, seats))}."]})
        return seats[0]
    if seats and seat >= len(game.seats):
        raise BadRequest({"seat": [f"The game has seats 0 to {len(game.seats) - 1}."]})
    if seat not in seats:
        raise Forbidden(f"Seat {seat} is not yours to act for.")
    return seat
