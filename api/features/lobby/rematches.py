"""Rematches of games that are over.

An app creates a rematch with all its players. A guest or an account of the server takes a seat of it and
invites the others, who need no code.
"""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from api.context import Context
from api.core.errors import Conflict, Forbidden
from api.features.lobby import store
from api.games import acting, games
from api.games.game import FINISHED, FIRST_HASH, OPEN, Game
from api.games.loading import load, time_of
from api.games.seat import Seat
from api.games.views import visibility_of
from api.store import players


def rematch(context: Context, game_id: UUID, rotated: bool) -> object:
    """Create the same game again, with or for the same players. Raises NotFound, Forbidden, Conflict."""
    return acting.create(context, lambda: _make(context, game_id, rotated), acting.game_only)


def _make(context: Context, game_id: UUID, rotated: bool) -> Game:
    before = load(context, game_id, lock=True)
    visibility = visibility_of(context.caller, before)
    if not visibility.own and not visibility.seats:
        raise Forbidden("Only the app of this game, or one of its players, may do this.")
    if before.status != FINISHED:
        raise Conflict("A rematch is possible when the game is over.")
    if before.imported_by:
        raise Conflict("An imported game cannot have a rematch.")
    if before.rematch is not None:
        raise Conflict(f"There is a rematch already: {before.rematch}.", conflicts_with=str(before.rematch))
    if before.dealing is not None:
        raise Conflict("Its seats committed to their entropy and must do so again: create a new game.")
    if before.test_clock and not all(games.clock_free(context, before.test_clock)):
        raise Conflict("The game's test clock was deleted, or is being advanced.")
    now = time_of(context, before)
    again = replace(
        before,
        id=context.new_id(),
        status=OPEN,
        version=0,
        seats=_seats(context, before, rotated) if visibility.own else _invitations(context, before, rotated),
        seed=context.random_bytes(games.SEED_BYTES),
        head=FIRST_HASH,
        drawn=0,
        state=None,
        result=None,
        out=(),
        created_at=now,
        updated_at=now,
        labels=before.labels._replace(external_id=None),
        rematch_of=before.id,
        by=context.caller.person,
        entries=[],
        turns=[],
        moved=set(),
        left=[],
        later=[],
    )
    games.begin(context, again)
    store.link_rematch(context.session, before.id, again.id)
    return again


def _seats(context: Context, before: Game, rotated: bool) -> list[Seat]:
    """Return the seats with the same players, by their current names. Raises Conflict if one is gone."""
    ids = [UUID(seat.player.id) for seat in before.seats if seat.player]
    known = players.several(context.session, context.app_id, ids) if ids else {}
    if len(known) < len(set(ids)):
        raise Conflict("One of the players has been deleted.")
    seats = []
    for seat in before.seats:
        player = seat.player and seat.player._replace(name=known[UUID(seat.player.id)].name)
        seats.append(Seat(player=player, bot=seat.bot, public_key=seat.public_key))
    return [seats[-1], *seats[:-1]] if rotated else seats


def _invitations(context: Context, before: Game, rotated: bool) -> list[Seat]:
    """Return the seats with the caller and the bots of before; the other players are invited."""
    seats = []
    for seat in _seats(context, before, rotated):
        if seat.player is None or seat.player.id == str(context.caller.player_id):
            seats.append(replace(seat, public_key=None, host=seat.player is not None))
        else:
            seats.append(Seat(invited=seat.player.id))
    return seats
