"""Taking and leaving seats before the start."""

from __future__ import annotations

import hmac
from functools import partial
from typing import Any
from uuid import UUID

import referee
from api.context import Context
from api.core.callers import APP, PLAYER, Caller
from api.core.errors import Forbidden, GameNotOpen, SeatTaken, UnknownPlayer
from api.game.game import Game
from api.game.rows import read_hours
from api.game.saving import end_guests
from api.game.show import invite
from api.game.visibility import PRIVATE, Visibility, is_invited, require_seat, seats_of, visibility_of
from api.play.acting import Act, Rules, act, game_only, nothing
from api.play.refusals import OPEN, require_stage
from api.play.seating.entropy import given, require_apart
from api.store.accounts import players
from api.store.game import seating


def take(context: Context, game_id: UUID, seat: int, request: dict[str, Any]) -> Any:
    """Take an open seat, possibly with its invite code; when the last seat is taken, the game starts.

    For a player who already has the seat nothing changes, whatever has become of the game; only another
    commitment is refused. An app key seats one of its own players. Raises NotFound, Forbidden, GameNotOpen,
    SeatTaken.
    """
    invited = partial(_newcomer, code=request.get("invite"))

    def change(act: Act) -> None:
        player = _player(context, act.game, request.get("player"))
        taken = act.game.seats[seat]
        if taken.player is None or taken.player.id != player.id:
            require_stage(act.game, OPEN)
            require_free(act.game, seat)
            _require_distinct(act.game, player)
            added = given(act.game.dealing, request)
            require_apart(act.game.seats, added.get("commitment"))
            act.game.later.append(partial(seat_player, context, act.game, seat, player))
            key = request.get("public_key")
            act.game.join(act.now, seat, referee.Who(player), public_key=key, **added)
            read_hours(context, act.game)
            act.game.go_on(act.now)
        elif request.get("commitment", taken.commitment) != taken.commitment:
            raise SeatTaken(f"{player.name} has this seat already, with another commitment.")

    return act(context, game_id, seat, change, Rules(authorise=invited, show=game_only))


def leave(context: Context, game_id: UUID, seat: int) -> None:
    """Leave a seat before the start. Raises NotFound, Forbidden, GameNotOpen."""

    def change(act: Act) -> None:
        taken = act.game.seats[seat]
        if act.game.dealing is not None and act.game.full:
            raise GameNotOpen("All seats are taken: nobody can leave before the cards are dealt.")
        if taken.taken:
            act.game.change(seat, guest=False, host=False)
            freed = partial(seating.seat_player, context.session, game_id, seat, None, None)
            act.game.later += [partial(end_guests, context, taken), freed]
            act.game.append("left", act.now, {"seat": seat, **taken.who.to_json()})

    act(context, game_id, seat, change, Rules(authorise=_sitter, stages=OPEN, show=nothing))


def _sitter(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, int | None]:
    visibility = visibility_of(caller, game)
    require_seat(game, seat)
    if not visibility.maker and seat not in visibility.seats:
        raise Forbidden(f"Seat {seat} is not yours to leave.")
    return visibility, seat


def _newcomer(
    caller: Caller, game: Game, seat: int | None, code: str | None
) -> tuple[Visibility, int | None]:
    """Authorise a player with a valid invite code; without one, the game must be visible to the caller."""
    if caller.by_app and game.seats_private:  # the answer shows the hand
        raise Forbidden(f"{PRIVATE} The app's own key may seat a player.")
    invited = code is not None and seat is not None and fits(game, seat, code)
    if seat is not None and 0 <= seat < len(game.seats) and is_invited(caller, game, seat):
        invited = True
    if invited and caller.kind == PLAYER and caller.app_id == game.app_id:
        return Visibility(seats_of(caller, game)), seat
    visibility = visibility_of(caller, game)
    if caller.app_id != game.app_id:
        raise Forbidden("Only players of the app that made this game may sit down.")
    if code is not None and not invited:
        raise Forbidden("This is not the invite code of the seat.")
    require_seat(game, seat)
    return visibility, seat


def fits(game: Game, seat: int | None, code: str) -> bool:
    """Return whether this is the invite code of a seat, or that of all open seats, which fits without one."""
    if seat is not None and not 0 <= seat < len(game.seats):
        return False
    known = {invite(game), invite(game, seat)}
    return any(hmac.compare_digest(code.encode(), one.encode()) for one in known)


def _player(context: Context, game: Game, player: UUID | None) -> referee.PlayerName:
    """Return the player who takes the seat: the caller, or the one that its app names."""
    caller = context.caller
    if caller.kind == APP and player is None:
        raise Forbidden("With an app key, name the player who takes the seat.")
    player_id = player or caller.player_id
    assert player_id is not None
    if caller.kind == PLAYER and player_id != caller.player_id:
        raise Forbidden("A player token can take a seat only for its own player.")
    named = players.several(context.session, game.app_id, [player_id])
    if player_id not in named:
        raise UnknownPlayer("player")
    return referee.PlayerName(str(player_id), named[player_id].name)


def seat_player(context: Context, game: Game, seat: int, player: referee.PlayerName) -> None:
    """Store who has taken a seat of a game, in the open transaction. Raises UnknownPlayer."""
    player_id = UUID(player.id)
    if not players.several(context.session, game.app_id, [player_id]):
        raise UnknownPlayer("player")
    seating.seat_player(context.session, game.id, seat, player_id, None)


def _require_distinct(game: Game, player: referee.PlayerName) -> None:
    """Raise SeatTaken if nobody may hold two seats in this game and this player has one."""
    if game.distinct_players and any(seat.player and seat.player.id == player.id for seat in game.seats):
        raise SeatTaken(f"{player.name} sits at this table already (distinct_players).")


def require_free(game: Game, seat: int | None) -> None:
    """Raise SeatTaken if the seat is taken, or without one, if all are."""
    if seat is None:
        if game.full:
            raise SeatTaken("All seats are taken.")
        return
    if game.seats[seat].taken:
        raise SeatTaken(f"Seat {seat} is taken.")
