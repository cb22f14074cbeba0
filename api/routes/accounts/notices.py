"""Which notices a player gets, and how."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from api.core.context import Context
from api.http import auth
from api.http.operation import Operations
from api.outbox.people import browsers, calendars, contacts
from api.schemas import people
from api.schemas.requests.queries import Pages

blueprint = Operations("notices", __name__)


@blueprint.GET("/v1/me/preferences", auth.PLAYERS, people.Preferences)
def get_preferences(context: Context) -> Any:
    """Show how I get notices of what happens in my games."""
    return contacts.show(context)


@blueprint.PATCH("/v1/me/preferences", auth.PLAYERS, people.Preferences, body=people.PreferencesChange)
def change_preferences(context: Context, body: dict[str, Any]) -> Any:
    """Change how I get notices of what happens in my games.

    `until_visit`: ten minutes after something happened one mail comes, unless I have been here since, and no
    other until I have; a visit is any request with my token, or on my behalf. `each`: a mail each time, at
    once. `daily`: one mail a day, at `digest_at` in my `time_zone`, of what is still true by then. `never`:
    none. Warnings that my time is nearly over wait for nothing.
    """
    return contacts.change(context, body)


@blueprint.PUT("/v1/me/email", auth.PLAYERS, people.Preferences, body=people.NewEmail, problems=("conflict",))
def set_email(context: Context, body: dict[str, Any]) -> Any:
    """Set my mail address, in place of the one before.

    A link is sent there; nothing else is before it has been opened. Guests have no address.
    """
    return contacts.set_email(context, body["address"])


@blueprint.DELETE("/v1/me/email", auth.PLAYERS)
def delete_email(context: Context) -> None:
    """Have my mail address forgotten."""
    contacts.delete_email(context)


@blueprint.GET("/v1/me/notices", auth.PLAYERS, people.PlayerNoticeList, query=Pages)
def list_notices(context: Context, query: dict[str, Any]) -> Any:
    """List the notices to me, and what became of them, newest first."""
    return contacts.log(context, query["page"])


@blueprint.POST(
    "/v1/me/notices/<uuid:notice>/retry",
    auth.PLAYERS,
    answers={202: people.PlayerNotice},
    idempotent=True,
)
def retry_notice(context: Context, notice: UUID) -> Any:
    """Send a notice now, also one that has failed or was sent before."""
    return contacts.retry(context, notice)


@blueprint.GET("/v1/me/push-subscriptions", auth.PLAYERS, people.PushSubscriptions)
def list_push_subscriptions(context: Context) -> Any:
    """List the browsers that take my push messages, and what one subscribes with.

    `key` is the `applicationServerKey` for `PushManager.subscribe`; every player has another one.
    """
    return browsers.show(context)


@blueprint.POST(
    "/v1/me/push-subscriptions",
    auth.PLAYERS,
    people.PushSubscription,
    body=people.NewPushSubscription,
    idempotent=True,
    problems=("conflict",),
)
def add_push_subscription(context: Context, body: dict[str, Any]) -> Any:
    """Have push messages sent to one more browser of mine.

    The body is what its `PushSubscription.toJSON()` returns. A message is JSON with `title`, `url`, `tag`,
    and what webhooks are sent (`type`, `timestamp`, `data`). Once the push service answers 404 or 410 the
    browser is forgotten.
    """
    wanted = {"endpoint": body["endpoint"], "keys": body["keys"]}
    return browsers.add(context, wanted)


@blueprint.DELETE("/v1/me/push-subscriptions/<uuid:subscription>", auth.PLAYERS)
def delete_push_subscription(context: Context, subscription: UUID) -> None:
    """Send nothing more to a browser of mine."""
    browsers.delete(context, subscription)


@blueprint.GET("/v1/me/calendar", auth.PLAYERS, people.CalendarAddress)
def get_calendar(context: Context) -> Any:
    """Show where the calendar of my deadlines is."""
    return calendars.show(context)


@blueprint.PUT("/v1/me/calendar", auth.PLAYERS, people.CalendarAddress, problems=("conflict",))
def replace_calendar(context: Context) -> Any:
    """Replace the address of the calendar of my deadlines (iCalendar); the one before leads nowhere.

    Calendar programs read it without a token: the address is the secret.
    """
    return calendars.replace(context)


@blueprint.DELETE("/v1/me/calendar", auth.PLAYERS)
def delete_calendar(context: Context) -> None:
    """Let the address of my calendar lead nowhere."""
    calendars.delete(context)
