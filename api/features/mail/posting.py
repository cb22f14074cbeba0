"""Queue notices of games in the open transaction, above all those for their players."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple
from uuid import UUID

from api.context import Context
from api.feature import Hook
from api.features.mail import store as contacts
from api.features.mail.kinds import TO_TABLE, URGENT, kinds, to_seat
from api.features.mail.preferences import Preferences
from api.features.mail.store import Contact
from api.features.notices import events
from api.features.notices.events import Notification, Subject
from api.features.notices.outbox import MAIL, Outgoing, enqueue
from api.features.notices.projection import Announcement, Listening


class Reach(NamedTuple):
    """Which players a channel reaches, and when each of them gets an event of a time (None: not at all)."""

    channel: str
    players: Collection[UUID]
    when: Callable[[Preferences, str, datetime], datetime | None]


reach: Hook[[Sequence[Contact]], Reach] = Hook()
"""Returns which of these players a channel reaches."""


def by_mail(context: Context, people: Sequence[Contact]) -> Reach:
    """Return to which of these players mail is sent, and when."""
    return Reach(MAIL, {each.player_id for each in people if each.has_mail}, Preferences.mail_at)


def listening(context: Context, app_id: UUID) -> Listening | None:
    """Return what the players of an app want who can be reached; None if nobody can."""
    if not contacts.are_there(context.session, app_id):
        return None
    return Listening((*kinds(), events.GAME_LEFT), partial(post_all, context))


def post(context: Context, subject: Subject, announced: Sequence[Notification], at: datetime) -> None:
    """Queue notices of a game for those of its players who can be reached."""
    post_all(context, [Announcement(subject, announced, at)])


def post_all(context: Context, announcements: Sequence[Announcement]) -> None:
    """Queue notices of games for those of their players who can be reached; none are about tests."""
    told = defaultdict[UUID, list[tuple[Announcement, Notification]]](list)
    for each in announcements:
        for notice in each.notices if each.subject.test_clock is None else ():
            for player in _whom(notice, each.subject.players):
                told[UUID(player)].append((each, notice))
    people = contacts.of_players(context.session, [*told]) if told else []
    channels = reach(context, people) if people else []
    rows: list[Outgoing] = []
    for contact in people:
        preferences = contact.preferences
        rows += [
            _queued(context, contact, to.channel, each, notice, when)
            for each, notice in told[contact.player_id]
            for to in channels
            if contact.player_id in to.players
            if (when := to.when(preferences, _event(notice), each.at)) is not None
        ]
    if rows:
        enqueue(context.session, rows)


def _whom(notice: Notification, players: Sequence[str]) -> list[str]:
    subject = notice.data.get("player")
    if notice.event in to_seat() or _is_replaced(notice):
        return [str(subject)] if subject else []
    if notice.event == events.GAME_REPLACED:
        return list(players)
    moved = notice.event == events.DEADLINE_MOVED  # by others, or by nobody at the table
    doer = notice.by if moved else notice.by or subject
    return [player for player in players if player != doer] if notice.event in TO_TABLE else []


def _is_replaced(notice: Notification) -> bool:
    """Return whether a player has left a seat because somebody else takes it over."""
    replaced = notice.entry is not None and notice.entry.public.get("replaced")
    return notice.event == events.GAME_LEFT and bool(replaced)


def _event(notice: Notification) -> str:
    """Return the event of a notice as players get it, also whoever is replaced."""
    return events.GAME_REPLACED if _is_replaced(notice) else notice.event


def _queued(
    context: Context,
    contact: Contact,
    channel: str,
    announcement: Announcement,
    notice: Notification,
    when: datetime,
) -> Outgoing:
    """Return what is queued of a notice: it has no labels of the app, but the seat to be handed over.

    A deadline that moved has the type of the entry by which it did.
    """
    subject, event = announcement.subject, _event(notice)
    data = {**notice.data, "ruleset": subject.ruleset, "title": subject.title}
    if event == events.DEADLINE_MOVED:
        entries = [each.entry.public for each in announcement.notices if each.entry]
        data["because"] = next((it["type"] for it in entries if it["seq"] == data["version"]), None)
    if event == events.GAME_REPLACEMENT_AGREED and notice.entry is not None:
        data["replacement"] = notice.entry.public["replacement"]
    return Outgoing(
        context.new_id(),
        contact.app_id,
        channel,
        contact.player_id,
        subject.game_id,
        event,
        events.payload(Notification(event, data), announcement.at),
        created_at=context.now(),  # real time, even if the game has a test clock
        next_at=when,
        urgent=event in URGENT,
    )
