"""What these operations answer."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from api.core.paging import PageOf
from api.games.answers import VISIBILITIES, GameSummary, Pace, PlayerName
from api.http.answers import Count, Json, Keywords, OnePage, Timestamp, Uuid, choice


class Seek(TypedDict):
    """A player who looks for others, on these terms."""

    id: Uuid
    player: PlayerName
    ruleset: str
    options: Json
    seats: Annotated[int, Keywords(minimum=2), "The number of seats of the game."]
    bots: NotRequired[Annotated[list[str], "The bots that take the last of them."]]
    title: NotRequired[str | None]
    visibility: Annotated[str, choice(*VISIBILITIES)]
    pace: Annotated[Json, Pace] | None
    pool: str | None
    status: Annotated[str, choice("open", "matched", "expired")]
    game: Annotated[Uuid | None, "The game that has come of it."]
    created_at: Timestamp
    expires_at: Timestamp


class SeekList(PageOf[Seek]):
    """A page of open seeks, newest first."""


class OwnInvitation(TypedDict):
    """An open seat to which I am invited."""

    seat: Count
    game: GameSummary


class OwnInvitations(TypedDict):
    """The seats to which I am invited, newest first."""

    items: list[OwnInvitation]
    next: OnePage
