"""Taking and leaving seats before the start."""

from __future__ import annotations

import hmac
from functools import partial
from uuid import UUID

import referee.table
from api.context import Context
from api.core.callers import APP, PLAYER, Caller
from api.core.errors import Forbidden, SeatTaken, UnknownPlayer
from api.core.json import Body
from api.games.acting import Act, Terms, act, game_only, nothing
from api.games.answers import Game as Shown
from api.games.game import Game
from api.games.refusals import BEFORE_START
from api.games.views import (
    PRIVATE,
    Visibility,
    invite,
    is_invited,
    may_invite,
    require_seat,
    seats_of,
    visibility_of,
)
from api.store import players
from referee.table import commands


def take(context: Context, game_id: UUID, seat: int, request: Body) -> Shown:
    """Take an open seat, possibly with its invite code; when the last seat is taken, the game starts.

    For a player who already has the seat nothing changes, whatever has become of the game; only another
    commitment is refused. An app key seats one of its own players. Raises NotFound, Forbidden, GameNotOpen,
    SeatTaken.
    """
    if "bot" in request:
        return _give_to_bot(context, game_id, seat, request["bot"])
    invited = partial(_newcomer, code=request.get("invite"))

    def change(act: Act) -> None:
        player = _player(context, act.game, request.get("player"))
        taken = act.game.seats[seat]
        if taken.player is None or taken.player.id != player.id:
            sit_down(act, seat, player, request)
        elif request.get("commitment", taken.commitment) != taken.commitment:
            raise SeatTaken(f"{player.name} has this seat already, with another commitment.")

    return act(context, game_id, seat, change, Terms(game_only, authorise=invited))


def _give_to_bot(context: Context, game_id: UUID, seat: int, bot: str) -> Shown:
    """Give an open seat to a bot, as whoever made the game may."""

    def change(act: Act) -> None:
        if act.game.seats[seat].bot != bot:
            act.game.obey(commands.seats.Sit(seat, referee.table.Who(None, bot)), act.now)
            act.game.go_on(act.now)

    return act(context, game_id, seat, change, Terms(game_only, authorise=_host))


def sit_down(act: Act, seat: int, player: referee.table.PlayerName, request: Body) -> None:
    """Let a player take a seat, as the request says, and deal if it was the last one."""
    sit = commands.seats.Sit(
        seat,
        referee.table.Who(player),
        entropy=request.get("entropy", ""),
        commitment=request.get("commitment"),
        public_key=request.get("public_key"),
        alone=act.game.distinct_players,
    )
    act.game.obey(sit, act.now)
    act.game.go_on(act.now)


def leave(context: Context, game_id: UUID, seat: int) -> None:
    """Leave a seat before the start. Raises NotFound, Forbidden, GameNotOpen."""

    def change(act: Act) -> None:
        if act.game.seats[seat].taken:
            act.game.obey(commands.seats.GetUp(seat), act.now)

    act(context, game_id, seat, change, Terms(nothing, authorise=_sitter, stages=BEFORE_START))


def _host(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, int | None]:
    visibility = visibility_of(caller, game)
    require_seat(game, seat)
    if not may_invite(game, visibility):
        raise Forbidden("Only whoever made the game gives its seats to bots.")
    if seat is not None and game.seats[seat].invited and not visibility.maker:
        raise Forbidden(f"Seat {seat} waits for a player who is invited.")
    return visibility, seat


def _sitter(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, int | None]:
    visibility = visibility_of(caller, game)
    require_seat(game, seat)
    is_own_bot = seat is not None and game.seats[seat].bot is not None and may_invite(game, visibility)
    if not visibility.maker and seat not in visibility.seats and not is_own_bot:
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
    if caller.kind == PLAYER and not invited and seat is not None and game.seats[seat].invited:
        raise Forbidden(f"Seat {seat} waits for a player who is invited.")
    return visibility, seat


def fits(game: Game, seat: int | None, code: str) -> bool:
    """Return whether this is the invite code of a seat, or that of all open seats, which fits without one."""
    if seat is not None and not 0 <= seat < len(game.seats):
        return False
    known = {invite(game), invite(game, seat)}
    return any(hmac.compare_digest(code.encode(), one.encode()) for one in known)


def _player(context: Context, game: Game, player: UUID | None) -> referee.table.PlayerName:
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
    return referee.table.PlayerName(str(player_id), named[player_id].name)
