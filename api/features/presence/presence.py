"""Who follows a game, by the streams that are open."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import groupby
from typing import Annotated, NotRequired, TypedDict
from uuid import UUID

from api.context import Context
from api.games.loading import load
from api.games.views import visibility_of
from api.http.answers import Count, Timestamp
from api.streams.channels import Follower
from referee.clocks import timestamp

FRESH = timedelta(seconds=35)  # a stream is noted every 15 seconds, and written at most 10 seconds later

# Nothing for a game that is gone.
KEEP = """
    INSERT INTO followers (game_id, who, app_id, watching, seen_at)
    SELECT g.id, %s, g.app_id, %s, %s FROM games g WHERE g.id = %s
    ON CONFLICT (game_id, who) DO UPDATE SET watching = excluded.watching, seen_at = excluded.seen_at
"""
FORGET = "DELETE FROM followers WHERE watching AND seen_at < %s"
FIND = "SELECT who, watching, seen_at FROM followers WHERE game_id = %s"


class SeatPresence(TypedDict):
    """Whether a seat's player follows the game now, and when last."""

    seat: Count
    here: bool
    seen_at: NotRequired[Annotated[Timestamp, "Missing if the player has never had a stream of this game."]]


class Presence(TypedDict):
    """Who follows a game."""

    seats: Annotated[list[SeatPresence], "The seats that are held by players."]
    watching: Annotated[Count, "How many others follow the game now."]


def keep(context: Context, followers: Mapping[Follower, datetime]) -> None:
    """Store who followed games, and when last."""
    for app_id, found in groupby(sorted(followers.items()), lambda item: item[0].app_id):
        context.session.see(app_id)
        rows = [(who, watching, at, game) for (_, game, who, watching), at in found]
        context.session.execute_all(KEEP, rows)


def forget(context: Context) -> None:
    """Delete who watched and has left."""
    context.session.execute(FORGET, (context.now() - FRESH,))


def of_game(context: Context, game_id: UUID) -> Presence:
    """Return who follows a game. Raises NotFound."""
    game = load(context, game_id)
    visibility_of(context.caller, game)
    rows = context.session.execute(FIND, (game_id,)).fetchall()
    now, times = context.now(), {str(who): at for who, _, at in rows}
    seats: list[SeatPresence] = []
    for number, seat in enumerate(game.seats):
        if seat.player is None:
            continue
        at = times.get(seat.player.id)
        told: SeatPresence = {"seat": number, "here": at is not None and now - at < FRESH}
        seats.append(told if at is None else {**told, "seen_at": timestamp(at)})
    return {"seats": seats, "watching": sum(watching and now - at < FRESH for _, watching, at in rows)}
