"""Handing a seat to another player or a bot during the game: by the app, or by all other seats together.

The other seats can only replace a player who is missing. The seat keeps its cards, its entropy and its
reserve; `left` and `joined` in the log say who took over.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

import referee
from api.context import Context
from api.core.callers import APP, Caller
from api.core.errors import Conflict, Forbidden, SeatTaken, UnknownPlayer
from api.game.game import Game
from api.game.history import recent
from api.game.rows import time_of
from api.game.visibility import Visibility, require_seat, visibility_of
from api.play.acting import Act, Rules, act, game_only
from api.play.handing_over import hand_over
from api.play.signing import Given, signature
from api.play.waiting import waited_since
from api.store.accounts import players

MISSED = 2  # deadlines in a row
MISSING_AFTER = timedelta(days=7)  # a turn without a move, not counting days off and pauses


def replace(context: Context, game_id: UUID, seat: int, request: dict[str, Any]) -> Any:
    """Hand a seat over or, as a player, agree to that; repeating the request changes nothing."""

    def change(act: Act) -> None:
        who = _who(context, act.game, request, seat)
        imposed = act.seen_as.maker
        if not _sits(act.game, seat, who) and (imposed or _agreed(act, seat, who, request.get("signed"))):
            if who.player is not None:  # who may have been deleted in the meantime
                act.game.later.append(partial(_who, context, act.game, request, seat))
            hand_over(context, act.game, seat, who, **({} if imposed else {"agreed": True}))

    return act(context, game_id, seat, change, Rules(authorise=_app_or_others, show=game_only))


def _app_or_others(caller: Caller, game: Game, seat: int | None) -> tuple[Visibility, int | None]:
    visibility = visibility_of(caller, game)
    require_seat(game, seat)
    if not (visibility.maker and caller.kind == APP) and not _others(visibility, seat):
        raise Forbidden("Only the app, or all other seats together, may hand a seat over.")
    return visibility, seat


def _others(visibility: Visibility, seat: int | None) -> list[int]:
    return [number for number in visibility.seats if number != seat]


def _sits(game: Game, seat: int, who: referee.Who) -> bool:
    """Return whether this player or bot already has the seat."""
    taken = game.seats[seat]
    if who.player is None:
        return taken.bot == who.bot
    return taken.player is not None and taken.player.id == who.player.id


def _who(context: Context, game: Game, request: dict[str, Any], seat: int) -> referee.Who:
    if "bot" in request:
        return referee.Who(bot=request["bot"])
    named = players.several(context.session, game.app_id, [request["player"]])
    if request["player"] not in named:
        raise UnknownPlayer("player")
    player = named[request["player"]]
    who = referee.Who(referee.PlayerName(str(player.id), player.name))
    if any(_sits(game, other, who) for other in range(len(game.seats)) if other != seat):
        raise SeatTaken(f"{player.name} sits at this table already.")
    return who


def _agreed(act: Act, seat: int, who: referee.Who, given: Given) -> bool:
    """Record the caller's agreement; return whether all other seats have now agreed.

    A signature is valid for one seat: a player who holds several with keys agrees for one of them at a time.
    """
    context, game = act.context, act.game
    votes, missing = _votes(context, game, seat)
    if not missing:
        raise Conflict(
            f"Seat {seat} is not missing: it has not missed {MISSED} deadlines in a row,"
            " and the game has not waited for it for a week."
        )
    proposal = (who.player and who.player.id, who.bot)
    new = {"seat": seat, "player": proposal[0], "bot": proposal[1]}
    voters = [voter for voter in _others(act.seen_as, seat) if votes.get(voter) != proposal]
    for n, voter in enumerate(sorted(voters, key=lambda voter: game.seats[voter].public_key is None)):
        if n and game.seats[voter].public_key is not None:
            continue
        signed = signature(game, voter, None if n else given, "replacement_agreed", replacement=new)
        agreed = {**game.who(voter), "replacement": {"seat": seat, **who.to_json()}}
        game.append("replacement_agreed", time_of(context, game), agreed, signed=signed)
        votes[voter] = proposal
    others = [n for n, taken in enumerate(game.seats) if taken.player and n != seat]
    return all(votes.get(other) == proposal for other in others)


def _votes(context: Context, game: Game, seat: int) -> tuple[dict[int, referee.Newcomer], bool]:
    """Return who has agreed to whom since the seat was last taken, and whether its player is missing."""
    past = recent(context, game)
    since = waited_since(game, past, seat)
    idle = since is not None and time_of(context, game) - since >= MISSING_AFTER
    return past.votes.about(seat), past.votes.late[seat] >= MISSED or idle
