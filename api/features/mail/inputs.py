"""What these operations accept."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, post_load

from api.core import languages
from api.features.mail import preferences
from api.features.mail.kinds import EVENTS
from api.http.fields import Choice, Input, Items, Text
from api.http.patterns import EmailAddress, Pattern, TimeZone

DAY = 24 * 60  # minutes
LONGEST_QUIET = DAY // 2


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
