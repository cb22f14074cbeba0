"""Queues notices for the webhooks of apps, in the open transaction; a worker delivers them.

Notices of entries are queued by a worker that follows the log (see `projection`), all others where they
happen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from functools import cache, partial
from itertools import chain
from typing import TypedDict
from uuid import UUID

from api.context import Context
from api.feature import EventType
from api.features import load_features
from api.features.notices.events import ENTRY, MISSED_FOR, Notification, Subject, payload
from api.features.notices.outbox import WEBHOOK, Outgoing, enqueue
from api.features.notices.projection import Announcement, Listening
from api.features.webhooks import store as webhooks
from api.features.webhooks.store import Listener
from api.games.views import SPECTATOR, show_entry
from api.http.answers import Uuid


class OfTest(TypedDict):
    """The webhook, and nothing else."""

    webhook: Uuid


TEST = EventType(
    "webhook.test",
    "A test that you requested.",
    OfTest,
    {"webhook": "019ca94f-4d80-7000-8000-000000000002"},
)


@cache
def events() -> dict[str, EventType]:
    """Return the events that webhooks may name: those of all features."""
    return {event.name: event for event in load_features().events if event is not TEST}


@cache
def usual() -> Collection[str]:
    """Return the events that a webhook gets that names none."""
    return {name for name, event in events().items() if not event.on_request}


def listening(context: Context, app_id: UUID) -> Listening | None:
    """Return what the webhooks of an app want; None if it has none."""
    if not webhooks.are_there(context.session, app_id):
        return None
    hooks = webhooks.listeners(context.session, app_id)
    return Listening({*chain(*map(wanted_by, hooks))}, partial(post_all, context, hooks))


def post(context: Context, subject: Subject, notices: Sequence[Notification], at: datetime) -> None:
    """Queue notices of what happened at the time `at` for every webhook of an app that wants them."""
    post_all(
        context, webhooks.listeners(context.session, subject.app_id), [Announcement(subject, notices, at)]
    )


def post_all(context: Context, hooks: Sequence[Listener], announcements: Sequence[Announcement]) -> None:
    """Queue the notices of an app's games for its webhooks."""
    rows = [row for each in announcements if hooks for row in _deliveries(context, each, hooks)]
    if rows:
        enqueue(context.session, rows)


def _deliveries(
    context: Context, announcement: Announcement, hooks: Sequence[Listener]
) -> Iterator[Outgoing]:
    subject, at, tick = announcement.subject, announcement.at, announcement.tick
    whole = about(subject, announcement.notices)
    for hook in hooks:
        if tick is not None and tick < hook.tick:
            continue
        for notice in whole:
            if _wants(hook, notice, at):
                queued = delivery(context, hook.id, subject, as_asked(hook, notice), at)
                yield queued if hook.disabled_at is None else queued._replace(next_at=None)


def about(subject: Subject, notices: Sequence[Notification]) -> list[Notification]:
    """Return notices with the description of the game."""
    members = subject.to_json()
    return [notice._replace(data={**notice.data, **members}) for notice in notices]


def _wants(hook: Listener, notice: Notification, at: datetime) -> bool:
    """Return whether a webhook gets a notice: none after being disabled for long."""
    if hook.disabled_at is not None and at - hook.disabled_at >= MISSED_FOR:
        return False
    return notice.event in wanted_by(hook)


def wanted_by(hook: Listener) -> Collection[str]:
    """Return the events that a webhook wants."""
    return hook.events or usual()


def as_asked(hook: Listener, notice: Notification) -> Notification:
    """Return a notice with its entry, if the webhook includes that."""
    if notice.entry is None or ENTRY not in hook.include:
        return notice
    return notice._replace(data={**notice.data, "entry": show_entry(notice.entry, SPECTATOR)})


def delivery(
    context: Context, webhook_id: UUID, subject: Subject, notice: Notification, at: datetime
) -> Outgoing:
    """Return what is queued of a notice, due now; its payload is the same at every attempt."""
    now = context.now()
    to = subject.app_id, WEBHOOK, webhook_id, subject.game_id
    return Outgoing(context.new_id(), *to, notice.event, payload(notice, at), now, now, in_order=True)


def of_test(webhook_id: UUID) -> Notification:
    """Return an empty notice, to test whether it arrives."""
    return Notification(TEST.name, {"webhook": str(webhook_id)})
