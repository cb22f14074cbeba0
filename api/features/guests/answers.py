"""What these operations answer."""

from __future__ import annotations

from typing import Annotated, TypedDict

import referee.table
from api.callers.answers import Player
from api.games.answers import Game, Pace
from api.http.answers import Count, Json, Positive, Timestamp, Uuid, choice


class NewSeatGuest(TypedDict):
    """A guest who has taken a seat, with a token that is shown only once and ends a day after the game."""

    player: Player
    token: str
    expires_at: Timestamp | None
    game: Game


class Seated(TypedDict):
    """Somebody who has a seat: a player or a bot."""

    seat: Count
    player: Annotated[Uuid | None, "The id of the player."]
    name: str | None
    bot: str | None


class Invitation(TypedDict):
    """The game to which an invite code belongs."""

    ruleset: str
    ruleset_version: Count
    options: Json
    title: str | None
    seats: Positive
    players: Annotated[list[Seated], "Who has a seat already."]
    pace: Annotated[Json, Pace] | None
    entropy: Annotated[
        str,
        choice("given", referee.table.COMMIT),
        "With `commit` a seat is taken with a `commitment` to its entropy.",
    ]
    guests: Annotated[bool, "Guests and accounts of this server can take a seat as themselves."]
