"""Which notices a player gets, and how."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import Any
from uuid import UUID

from marshmallow import ValidationError, fields, post_load

from api.callers.answers import NewTokenShown
from api.context import Context
from api.core import languages
from api.features.mail import contacts, preferences
from api.features.mail.answers import PlayerNoticeList, Preferences
from api.features.mail.kinds import kinds
from api.http import auth
from api.http.conditional import require_same, tagged
from api.http.fields import Choice, Input, Items, Text
from api.http.operation import Operations
from api.http.patterns import EmailAddress, Pattern, TimeZone
from api.http.queries import Pages

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
    mail = Items(Choice(*kinds()), 0, len(kinds()))
    push = Items(Choice(*kinds()), 0, len(kinds()))
    time_zone = TimeZone()
    language = Choice(*languages.NAMES)
    push_quiet = fields.Nested(Quiet, allow_none=True)


class MailLink(Input):
    """The secret of a link to a table, from a mail."""

    link = Text(1, 100, required=True)


class NewEmail(Input):
    """A mail address."""

    address = EmailAddress(required=True)


blueprint = Operations("notices", __name__, "Notifications to players: preferences, mail, push messages.")


@blueprint.GET("/v1/me/preferences", auth.PLAYERS, etag=True, cacheable=False, presents=tagged)
def get_preferences(context: Context) -> Preferences:
    """Show which notifications I get about my games, and how."""
    return contacts.show(context)


@blueprint.PATCH(
    "/v1/me/preferences",
    auth.PLAYERS,
    body=PreferencesChange,
    etag=True,
    presents=tagged,
)
def change_preferences(context: Context, body: dict[str, Any]) -> Preferences:
    """Change which notifications I get about my games, and how.

    `until_visit`: one mail ten minutes after an event, unless I have visited since; until my next visit, no
    other mail except about turns, seats and results. A visit is any request with my token, or on my behalf.
    `each`: one mail for each event, at once. `never`: no mail. Warnings that a deadline is near are always
    sent at once.
    """
    return contacts.change(context, body, partial(require_same, context))


@blueprint.PUT("/v1/me/email", auth.PLAYERS, body=NewEmail, problems=("conflict",))
def set_email(context: Context, body: dict[str, Any]) -> Preferences:
    """Set my e-mail address, replacing the previous one.

    A link is sent to it; nothing else is sent until the link has been confirmed. Guests and accounts of this
    server confirm an address by signing in.
    """
    return contacts.set_email(context, body["address"])


@blueprint.DELETE("/v1/me/email", auth.PLAYERS, "The mail address is gone.", problems=("conflict",))
def delete_email(context: Context) -> None:
    """Delete my e-mail address, unless I sign in with it."""
    contacts.delete_email(context)


@blueprint.GET("/v1/me/notices", auth.PLAYERS, query=Pages)
def list_notices(context: Context, query: dict[str, Any]) -> PlayerNoticeList:
    """List the notifications to me and their status, newest first."""
    return contacts.log(context, query["page"])


@blueprint.POST(
    "/v1/games/<uuid:game>/mail-tokens",
    auth.ANYBODY,
    body=MailLink,
    problems=("limit-reached",),
    idempotent=True,
    secret=itemgetter("link"),
)
def open_mail_link(context: Context, game: UUID, body: dict[str, Any]) -> NewTokenShown:
    """Open a game with the link of a mail about it, on any device: get a token of its player for that game.

    The link is `/table/{game}#mail=…` on this server. It is valid for 30 days and can be used repeatedly; the
    token ends with it, and can be revoked like any other. Another mail address, and
    signing out everywhere, end the links in earlier mails, and the tokens that they gave.
    """
    return contacts.open_game(context, game, body["link"])
