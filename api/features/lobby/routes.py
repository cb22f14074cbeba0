"""Seeks, with which players find each other."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from marshmallow import ValidationError, fields, validates_schema

from api.context import Context
from api.features.lobby import seeks
from api.features.lobby.answers import Seek, SeekList
from api.games.answers import VISIBILITIES
from api.games.bots import BOTS
from api.games.inputs import NewPace
from api.http import auth
from api.http.fields import AnyObject, Choice, Input, Items, Text, Whole
from api.http.operation import Operations
from api.http.patterns import Duration, Id
from api.http.queries import MOST_SEATS, TITLE, Pages

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


blueprint = Operations("seeks", __name__, "Players who look for others: equal ones get a game.")


@blueprint.POST(
    "/v1/seeks",
    auth.PLAYERS,
    body=NewSeek,
    cost=2,
    problems=("invalid-options", "conflict", "limit-reached"),
    idempotent=True,
    creates="/v1/seeks",
)
def create_seek(context: Context, body: dict[str, Any]) -> Seek:
    """Look for players of the same app.

    As soon as there are open seeks of as many players with equal terms, their game is created, and each of
    the seeks names it. Seats are drawn. Each seek leads to one game at most.
    """
    return seeks.create(context, body)


@blueprint.GET("/v1/seeks", auth.READERS_OR_ANYBODY, query=SeekFilters)
def list_seeks(context: Context, query: dict[str, Any]) -> SeekList:
    """List the open seeks of the app, newest first.

    Without a token, list those of guests and accounts of this server.
    """
    return seeks.page(context, query.pop("page"), query)


@blueprint.GET("/v1/seeks/<uuid:seek>", auth.READERS)
def get_seek(context: Context, seek: UUID) -> Seek:
    """Show a seek.

    A player can show only their own. It is kept for a day after it expires.
    """
    return seeks.get(context, seek)


@blueprint.DELETE("/v1/seeks/<uuid:seek>", auth.WRITERS, "The seek is gone.", problems=("conflict",))
def withdraw_seek(context: Context, seek: UUID) -> None:
    """Withdraw a seek that has not led to a game yet."""
    seeks.withdraw(context, seek)
