"""What players say of the notices that they get, and these notices."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, post_load

from api.core import languages
from api.features.mail import preferences
from api.features.mail.contacts import CONFIRMATION
from api.features.mail.kinds import EVENTS
from api.http.fields import Choice, Items, Text
from api.http.members import UUID, Count, DateTime, List, Object, String
from api.http.patterns import EmailAddress, Pattern, TimeZone
from api.http.shapes import Answer, Input, page_of, part

DAY = 24 * 60  # minutes
LONGEST_QUIET = DAY // 2
SPAN: dict[str, Any] = {"from": String(), "until": String()}
MAILED = List(Choice(*EVENTS), about="The events that are sent by mail.")


class Preferences(Answer):
    """The notification settings of a player."""

    email = part(
        "The address for mail, used after it is confirmed, and no longer after it was refused.",
        address=String(),
        confirmed_at=DateTime(null=True),
        refused_at=DateTime(
            null=True,
            about="Since then no more mail is sent: the mail server says that the address does not exist.",
        ),
        null=True,
    )
    frequency = Choice(*preferences.FREQUENCIES)
    mail = MAILED
    push = List(Choice(*EVENTS), about="The events that are sent to browsers, at once.")
    time_zone = String(about="An IANA time zone, such as `Europe/Berlin`.")
    language = Choice(*languages.NAMES, about="The language of mails and push messages.")
    push_quiet = part(
        "The time during which push messages wait, in the player's time zone.",
        null=True,
        **SPAN,
    )


class TimeOfDay(Pattern):
    """A time of the day, hours and minutes."""

    pattern, what = "^([01][0-9]|2[0-3]):[0-5][0-9]$", "a time of the day such as 08:30"


class Quiet(Input):
    """The hours during which push messages wait: at most twelve."""

    since = TimeOfDay(required=True, data_key="from")
    until = TimeOfDay(required=True)

    @post_load
    def short(self, data: dict[str, Any], **kwargs: Any) -> dict[str, str]:
        """Refuse more than twelve hours."""
        since, until = (60 * int(data[name][:2]) + int(data[name][3:]) for name in ("since", "until"))
        if not 0 < (until - since) % DAY <= LONGEST_QUIET:
            raise ValidationError("Must be at most twelve hours later than `from`.", "until")
        return {"from": data["since"], "until": data["until"]}


class PreferencesChange(Input):
    """The settings to change."""

    frequency = Choice(*preferences.FREQUENCIES)
    mail = Items(Choice(*EVENTS), 0, len(EVENTS))
    push = Items(Choice(*EVENTS), 0, len(EVENTS))
    time_zone = TimeZone()
    language = Choice(*languages.NAMES)
    push_quiet = fields.Nested(Quiet, allow_none=True)


class MailLink(Input):
    """The secret of a link to a table, from a mail."""

    link = Text(1, 100, required=True)


class NewEmail(Input):
    """A mail address."""

    address = EmailAddress(required=True)


class PlayerNotice(Answer):
    """A notification to a player, and its status."""

    id = UUID()
    channel = Choice("mail", "push")
    event = Choice(*EVENTS, CONFIRMATION)
    game = UUID(null=True)
    status = Choice("pending", "delivered", "failed", "held")
    created_at = DateTime()
    next_at = DateTime(null=True, about="The time of the next attempt.")
    delivered_at = DateTime(null=True)
    payload = part(
        "The content of the notification: its game, and members that depend on the type.",
        type=String(),
        timestamp=DateTime(),
        data=Object(),
    )
    attempts = List(
        part(
            "One attempt to deliver.",
            at=DateTime(),
            status=Count(null=True, about="The answer of the mail server or the push service."),
            error=String(null=True, about="What went wrong."),
        )
    )


PlayerNoticeList = page_of(PlayerNotice, "PlayerNoticeList", "A page of notices, newest first.")
