"""Queue notices of games in the open transaction, above all those for their players."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from uuid import UUID

from api.context import Context
from api.core.json import stored
from api.features.mail import store_contacts as contacts
from api.features.mail import store_notices as notices
from api.features.mail import store_push as push
from api.features.mail.preferences import EVENTS, TO_SEAT, TO_TABLE, UNTIL_VISIT, URGENT, Preferences
from api.features.mail.store_contacts import Contact
from api.features.mail.store_notices import MAIL, PUSH, NewNotice
from api.features.notices.projection import Announcement, Listening
from api.games import events
from api.games.events import Notification, Subject
from referee.clocks import timestamp


def listening(context: Context, app_id: UUID, game_ids: Sequence[UUID]) -> Listening | None:
    """Return what the players of an app want who can be reached; None if nobody can."""
    if not contacts.are_there(context.session, app_id):
        return None
    return Listening((*EVENTS, events.SEAT_LEFT), partial(post_all, context))


def post(context: Context, subject: Subject, announced: Sequence[Notification], at: datetime) -> None:
    """Queue notices of a game for those of its players who can be reached."""
    post_all(context, [Announcement(subject, announced, at)])


def post_all(context: Context, announcements: Sequence[Announcement]) -> None:
    """Queue notices of games for those of their players who can be reached."""
    by_player = _by_player(announcements)
    if not by_player:
        return
    now = context.now()  # real time, even if the game has a test clock
    rows, awaited = [], []
    people = contacts.of_players(context.session, list(by_player))
    subscribed = push.subscribed(context.session, [contact.player_id for contact in people]) if people else ()
    for contact in people:
        if not contact.has_mail and contact.player_id not in subscribed:
            continue
        preferences, queued = Preferences.of(contact), list[NewNotice]()
        for number, mine in by_player[contact.player_id].items():
            subject, at = announcements[number].subject, announcements[number].at
            queued += _mails(context, contact, preferences, subject, mine, at)
            if contact.player_id in subscribed:
                pushed = [notice for notice in mine if notice.event in preferences.push]
                then = preferences.push_at(now)
                rows += [_new(context, contact, PUSH, subject, notice, at, then) for notice in pushed]
        rows += queued
        if queued and preferences.frequency == UNTIL_VISIT and not contact.awaited:
            awaited.append(contact.player_id)
    if rows:
        notices.enqueue(context.session, rows, now)
    if awaited:
        contacts.await_visits(context.session, awaited)


def _by_player(announcements: Sequence[Announcement]) -> dict[UUID, dict[int, list[Notification]]]:
    """Return the notices of each player, by the number of their announcement; none are about tests."""
    players: dict[UUID, dict[int, list[Notification]]] = {}
    for number, each in enumerate(announcements):
        for notice in each.notices if each.subject.test_clock is None else ():
            for player in _whom(notice, each.subject.players):
                players.setdefault(UUID(player), {}).setdefault(number, []).append(_for_players(notice))
    return players


def _whom(notice: Notification, players: Sequence[str]) -> list[str]:
    subject = notice.data.get("player")
    if notice.event in TO_SEAT or _is_replaced(notice):
        return [str(subject)] if subject else []
    if notice.event == events.SEAT_REPLACED:
        return list(players)
    doer = notice.by or subject
    return [player for player in players if player != doer] if notice.event in TO_TABLE else []


def _is_replaced(notice: Notification) -> bool:
    """Return whether a player has left a seat because somebody else takes it over."""
    replaced = notice.entry is not None and notice.entry.public.get("replaced")
    return notice.event == events.SEAT_LEFT and bool(replaced)


def _for_players(notice: Notification) -> Notification:
    """Return a notice as players get it: also whoever is replaced, and which seat is to be handed over."""
    if _is_replaced(notice):
        return notice._replace(event=events.SEAT_REPLACED)
    if notice.event == events.REPLACEMENT_AGREED and notice.entry is not None:
        agreed = notice.entry.public["replacement"]
        return notice._replace(data={**notice.data, "replacement": agreed})
    return notice


def _mails(
    context: Context,
    contact: Contact,
    preferences: Preferences,
    subject: Subject,
    announced: Sequence[Notification],
    at: datetime,
) -> list[NewNotice]:
    if not contact.has_mail:
        return []
    when = [(notice, preferences.mail_at(notice.event, at)) for notice in announced]
    return [
        _new(context, contact, MAIL, subject, notice, at, then) for notice, then in when if then is not None
    ]


def _new(
    context: Context,
    contact: Contact,
    channel: str,
    subject: Subject,
    notice: Notification,
    at: datetime,
    when: datetime,
) -> NewNotice:
    data = {**notice.data, "ruleset": subject.ruleset, "title": subject.title}  # without the app's own labels
    if subject.forked_from:
        data["forked_from"] = subject.forked_from
    return NewNotice(
        id=context.new_id(),
        app_id=contact.app_id,
        player_id=contact.player_id,
        game_id=subject.game_id,
        channel=channel,
        event=notice.event,
        payload=stored({"type": notice.event, "timestamp": timestamp(at), "data": data}),
        urgent=notice.event in URGENT,
        next_at=when,
    )
