"""What these operations accept."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, validates_schema

from api.games.inputs import LONGEST
from api.http.fields import Input, Items, SeatNumber
from api.http.patterns import Duration
from api.http.queries import MOST_SEATS


class AddedTime(Input):
    """Time for the running turn of a seat."""

    seat = SeatNumber(0, MOST_SEATS - 1, required=True)
    length = Duration(required=True)

    @validates_schema
    def is_bounded(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse more than any game may last."""
        if data["length"] > LONGEST:
            raise ValidationError("Must be at most P3650D.", "length")


class Ruling(Input):
    """The seats that win and those that lose, as the director of a game decides."""

    winners = Items(SeatNumber(0, MOST_SEATS - 1), 0, MOST_SEATS, required=True)
    losers = Items(SeatNumber(0, MOST_SEATS - 1), 0, MOST_SEATS, required=True)

    @validates_schema
    def names_seats_once(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse a seat that is named twice."""
        named = [*data["winners"], *data["losers"]]
        if len({*named}) < len(named):
            raise ValidationError("Must name each seat once.", "losers")
