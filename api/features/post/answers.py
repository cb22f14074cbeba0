"""What these operations answer."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from api.http.answers import Count, Json, Timestamp, Uuid, published
from api.rulesets.answers import Verdict


@published(inline=True)
class Ordered(TypedDict):
    """A future move."""

    move: Json


@published(inline=True)
class Routine(TypedDict):
    """What is done at every other turn; missing if nothing is."""

    always_pass: bool
    only_move: bool


@published(inline=True)
class Cancelled(TypedDict):
    """Why there are no orders any more."""

    at: Timestamp
    move: Json
    verdict: Verdict


class Orders(TypedDict):
    """The standing orders of a seat, shown only to its player."""

    seat: Count
    orders: list[Ordered]
    automatic: NotRequired[Routine]
    held: NotRequired[
        Annotated[bool, "They wait until the seat has moved, because it has taken a move back."]
    ]
    cancelled: Annotated[
        Cancelled | None,
        "Why there are no orders any more: the next one could not be played, or, if its verdict is legal, "
        "it was the last of a hundred automatic moves.",
    ]


@published(inline=True)
class OnVacation(TypedDict):
    """A seat in a running game with deadlines."""

    game: Uuid
    seat: Count
    until: Annotated[Timestamp | None, "The end of the seat's vacation; null if it was refused."]
    left: Annotated[Count, "How many days of vacation are left."]
    refused: Annotated[str | None, "Why it was refused."]


class VacationsTaken(TypedDict):
    """The games in which a player is now on vacation."""

    games: list[OnVacation]
