"""What these operations accept."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from marshmallow import ValidationError, fields, validates_schema

from api.games.answers import VISIBILITIES
from api.games.bots import BOTS
from api.games.inputs import NewPace
from api.http.fields import AnyObject, Choice, Input, Items, Text, Whole
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


class Rematch(Input):
    """The seats in a rematch."""

    seats = Choice(
        "rotated",
        "same",
        load_default="rotated",
        about="Whether everybody moves up by one seat or keeps their seat.",
    )
