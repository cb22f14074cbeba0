"""Handing a seat to another player or a bot during the game: by the app, or by all other seats together.

The other seats can only replace a player who is missing. The seat keeps its cards, its entropy and its
reserve; `left` and `joined` in the log say who took over.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import referee.table
from api.context import Context
from api.core.callers import APP, Caller
from api.core.errors import Forbidden, UnknownPlayer
from api.games.acting import Act, Terms, act, game_only
from api.games.commanding import Given, obey_signed
from api.games.game import Game
from api.games.history import recent
from api.games.loading import time_of
from api.games.refusals import IN_PLAY
from api.games.seat import Seat
from api.games.views import Visibility, require_seat, visibility_of
from api.store import players
from referee.table import commands


def replace(context: Context, game_id: UUID, seat: int, request: dict[str, Any]) -> Any:
    """Hand a seat over or, as a player, agree to that; repeating the request changes nothing."""

    def change(act: Act) -> None:
        who, imposed = _who(context, act.game, request), act.seen_as.maker
        if not _sits(act.game.seats[seat], who) and (
            imposed or _agreed(act, seat, who, request.get("signed"))
        ):
            act.game.hand_over(commands.seats.HandOver(seat, who, None if imposed else "agreed"), act.now)

    terms = Terms(game_only, authorise=_app_or_others, stages=IN_PLAY)
    return act(context, game_id, seat, change, terms)


def _app_or_others(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, int | None]:
    visibility = visibility_of(caller, game)
    require_seat(game, seat)
    if not (visibility.maker and caller.kind == APP) and not _others(visibility, seat):
        raise Forbidden("Only the app, or all other seats together, may hand a seat over.")
    return visibility, seat


def _others(visibility: Visibility, seat: int | None) -> list[int]:
    return [number for number in visibility.seats if number != seat]


def _sits(seat: Seat, who: referee.table.Who) -> bool:
    """Return whether this player or bot already has the seat."""
    if who.player is None:
        return seat.bot == who.bot
    return seat.player is not None and seat.player.id == who.player.id


def _who(context: Context, game: Game, request: dict[str, Any]) -> referee.table.Who:
    if "bot" in request:
        return referee.table.Who(bot=request["bot"])
    named = players.several(context.session, game.app_id, [request["player"]])
    if request["player"] not in named:
        raise UnknownPlayer("player")
    player = named[request["player"]]
    return referee.table.Who(referee.table.PlayerName(str(player.id), player.name))


def _agreed(act: Act, seat: int, who: referee.table.Who, given: Given) -> bool:
    """Record the caller's agreement; return whether all other seats have now agreed.

    A signature is valid for one seat: a player who holds several with keys agrees for one of them at a time.
    """
    context, game = act.context, act.game
    votes, proposal = recent(context, game).votes.about(seat), (who.player and who.player.id, who.bot)
    voters = [voter for voter in _others(act.seen_as, seat) if votes.get(voter) != proposal]
    for n, voter in enumerate(sorted(voters, key=lambda voter: game.seats[voter].public_key is None)):
        if n and game.seats[voter].public_key is not None:
            continue
        agreement = commands.seats.AgreeToReplace(voter, seat, who)
        obey_signed(context, game, agreement, time_of(context, game), None if n else given)
        votes[voter] = proposal
    others = [n for n, taken in enumerate(game.seats) if taken.player and n != seat]
    return all(votes.get(other) == proposal for other in others)
