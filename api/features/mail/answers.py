"""What these operations answer."""

from __future__ import annotations

from typing import Annotated, TypedDict

from api.core import languages
from api.core.paging import PageOf
from api.features.mail import preferences
from api.features.mail.kinds import CONFIRMATION, kinds
from api.http.answers import Count, Json, Timestamp, Uuid, choice, published


@published(inline=True)
class Email(TypedDict):
    """The address for mail, used after it is confirmed, and no longer after it was refused."""

    address: str
    confirmed_at: Timestamp | None
    refused_at: Annotated[
        Timestamp | None,
        "Since then no more mail is sent: the mail server says that the address does not exist.",
    ]


_From = TypedDict("_From", {"from": str})


@published(inline=True)
class PushQuiet(_From):
    """The time during which push messages wait, in the player's time zone."""

    until: str


class Preferences(TypedDict):
    """The notification settings of a player."""

    email: Email | None
    frequency: Annotated[str, choice(*preferences.FREQUENCIES)]
    mail: Annotated[list[Annotated[str, choice(*kinds())]], "The events that are sent by mail."]
    push: Annotated[list[Annotated[str, choice(*kinds())]], "The events that are sent to browsers, at once."]
    time_zone: Annotated[str, "An IANA time zone, such as `Europe/Berlin`."]
    language: Annotated[str, choice(*languages.NAMES), "The language of mails and push messages."]
    push_quiet: Annotated[dict[str, str], PushQuiet] | None


@published(inline=True)
class Payload(TypedDict):
    """The content of the notification: its game, and members that depend on the type."""

    type: str
    timestamp: Timestamp
    data: Json


@published(inline=True)
class Attempt(TypedDict):
    """One attempt to deliver."""

    at: Timestamp
    status: Annotated[Count | None, "The answer of the mail server or the push service."]
    error: Annotated[str | None, "What went wrong."]


class PlayerNotice(TypedDict):
    """A notification to a player, and its status."""

    id: Uuid
    channel: Annotated[str, choice("mail", "push")]
    event: Annotated[str, choice(*kinds(), CONFIRMATION)]
    game: Uuid | None
    status: Annotated[str, choice("pending", "delivered", "failed", "held")]
    created_at: Timestamp
    next_at: Annotated[Timestamp | None, "The time of the next attempt."]
    delivered_at: Timestamp | None
    payload: Annotated[Json, Payload]
    attempts: list[Annotated[Json, Attempt]]


class PlayerNoticeList(PageOf[PlayerNotice]):
    """A page of notices, newest first."""
