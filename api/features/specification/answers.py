"""Problems in answers: what all of them have, and what some types have besides."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from api.core.errors import CODES
from api.games.entries import Check
from api.http.answers import Count, Positive, Uuid, choice, inline
from api.rulesets.answers import Verdict


class Problem(TypedDict):
    """What every problem has (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str


class Conflict(TypedDict):
    """What every problem with the status 409 has."""

    conflicts_with: Annotated[
        Uuid | None,
        "The id of what is in the way, such as the game, its rematch, or the object that has the external "
        "id; null if it is no single object, or one of somebody else.",
    ]


Codes = Annotated[
    dict[str, list[Annotated[str, choice(*CODES)]]],
    "Field → a code for each of its `errors`, in the same order.",
]


class OfFields(TypedDict):
    """The fields that are wrong."""

    errors: Annotated[dict[str, list[str]], "Field → what is wrong."]
    codes: Codes


class Detached(TypedDict):
    """Where to continue."""

    cursor: Annotated[str, "The cursor after which the feed continues."]


class NotInstalled(TypedDict):
    """What is missing."""

    ruleset: Annotated[str, "The ruleset of the game."]
    version: Annotated[Positive, "Its version."]


class Reached(TypedDict):
    """The limit."""

    setting: Annotated[str, "The name of the server's setting."]
    limit: Annotated[Count, "Its value."]


class Restored(TypedDict):
    """Where to continue."""

    cursor: NotRequired[Annotated[str | None, "The cursor after which a feed continues."]]


class Stale(TypedDict):
    """What is new."""

    version: Annotated[Count, "The newest version."]


@inline
class Refused(TypedDict):
    """The move."""

    n: Count
    seat: Count
    move: object
    verdict: Verdict


class Illegal(TypedDict):
    """Why the move is refused, and in an imported record, which one."""

    verdict: Verdict
    errors: NotRequired[
        Annotated[dict[str, list[str]], "The place of the move in the request → what is wrong."]
    ]
    codes: NotRequired[Codes]
    seq: NotRequired[Annotated[Count | None, "The entry of the record's log; null without a log."]]
    refused: NotRequired[Refused]


class Invalid(TypedDict):
    """What is wrong with a record."""

    checks: list[Check]
    seq: Annotated[Count | None, "The first entry that fails; null if it cannot be determined."]
