"""Seeks in requests and answers."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, NotRequired, TypedDict

from marshmallow import ValidationError, fields, validates_schema

from api.core.paging import PageOf
from api.games.bots import BOTS
from api.games.requests import NewPace
from api.games.shapes import GameSummary, Pace, PlayerName
from api.http.answers import Count, Json, Keywords, OnePage, Timestamp, Uuid, choice
from api.http.fields import AnyObject, Choice, Items, Text, Whole
from api.http.patterns import Duration, Id
from api.http.queries import MOST_SEATS, TITLE, VISIBILITIES, Pages
from api.http.shapes import Input

LONGEST = timedelta(days=30)


class NewSeek(Input):
    """The terms of a game for which players are looked for. Only seeks with equal terms match."""

    ruleset = Text(1, 64, required=True)
    seats = Whole(2, MOST_SEATS, required=True, about="The number of seats, this player's included.")
    bots = Items(
        Choice(*sorted(BOTS)), 0, MOST_SEATS - 2, load_default=list, about="Bots for the last of these seats."
    )
    title = TITLE
    options = AnyObject(load_default=dict)
    visibility = Choice(*VISIBILITIES, load_default="private")
    pace = fields.Nested(NewPace, load_default=None, allow_none=True)
    pool = Text(
        1,
        64,
        load_default=None,
        allow_none=True,
        about="Only seeks of the same pool match: a class of strength, a club, a language.",
    )
    expires_in = Duration(about="How long to look for players: at most 30 days. Default: a day.")

    @validates_schema
    def is_bounded(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse seeks that nobody would remember."""
        if data.get("expires_in", LONGEST) > LONGEST:
            raise ValidationError("Must be at most P30D.", "expires_in")
        if "seats" in data and len(data["bots"]) > data["seats"] - 2:
            raise ValidationError("Must leave seats for two players.", "bots")


class SeekFilters(Pages):
    """Which open seeks to find."""

    ruleset = Text(1, 64, about="Only seeks for this ruleset.")
    pool = Text(1, 64, about="Only seeks of this pool.")
    player = Id(about="Only seeks of this player.")


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


class Rematch(Input):
    """The seats in a rematch."""

    seats = Choice(
        "rotated",
        "same",
        load_default="rotated",
        about="Whether everybody moves up by one seat or keeps their seat.",
    )
