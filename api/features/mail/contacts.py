"""A player's address and preferences: show, change, confirm, and switch off by a link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from api.context import Context
from api.core.callers import GUEST, SEAT_GUEST
from api.core.errors import Conflict, Forbidden, NotFound
from api.core.json import loads, stored
from api.core.paging import Page, uuid_page
from api.features.mail import allowances, links
from api.features.mail import store_contacts as store
from api.features.mail import store_notices as notices
from api.features.mail import store_push as push
from api.features.mail.preferences import DAILY, EVENTS, FREQUENCIES, NEVER, UNTIL_VISIT, Preferences
from api.features.mail.store_contacts import Contact
from api.features.mail.store_notices import MAIL, NewNotice, QueuedNotice
from api.http import idempotency
from referee.clocks import timestamp

KEY_BYTES = 32
CONFIRMATION = "email.confirmation"
ACCEPTED: dict[str, Any] = {"refused_at": None, "refused_because": None, "bounces": 0, "bounced_at": None}
CONFIRMED_WITHIN = timedelta(days=7)


def show(context: Context) -> dict[str, Any]:
    """Show the caller's address and preferences."""
    return _show(store.get(context.session, context.player_id))


def change(
    context: Context, changes: dict[str, Any], check: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """Change the caller's preferences, if `check` lets them pass; waiting notices are rescheduled."""
    with context.session.transaction():
        contact = own_contact(context)
        check(_show(contact))
        contact = reschedule(context, contact, Preferences.of(contact).changed(changes))
    return _show(contact)


def reschedule(context: Context, contact: Contact, after: Preferences) -> Contact:
    """Store a locked contact with these preferences, and move its waiting notices; return it."""
    before = Preferences.of(contact)
    contact = contact._replace(preferences=after.stored())
    if after.frequency != UNTIL_VISIT:
        contact = contact._replace(awaited=False, mailed_at=None)
    store.update(context.session, contact)
    if after.frequency == NEVER:
        notices.hold(context.session, contact.player_id, MAIL)
    elif DAILY in (before.frequency, after.frequency) and after != before:
        now = context.now()
        at = after.next_digest(now) if after.frequency == DAILY else now
        notices.reschedule(context.session, contact.player_id, MAIL, at)
    return contact


def set_email(context: Context, address: str) -> dict[str, Any]:
    """Set the caller's address and send it a link; nothing else is sent until the link is followed.

    Raises Forbidden for guests, Conflict if the server sends no mail or was asked too often.
    """
    if context.caller.scopes & {GUEST, SEAT_GUEST}:
        raise Forbidden("Guests get mail after signing in: see POST /v1/sign-ins.")
    if not context.settings.mail_from:
        raise Conflict("This server sends no mail.")
    with context.session.transaction():
        contact, now = own_contact(context), context.now()
        if contact.email != address or contact.confirmed_at is None or contact.refused_at is not None:
            allowances.take_confirmation(context, contact.player_id, address)
            notices.hold(context.session, contact.player_id, MAIL, urgent=True)
            if contact.email != address:
                contact = contact.moved()
            contact = contact._replace(email=address, confirmed_at=None, **ACCEPTED)
            store.update(context.session, contact)
            payload = stored({"type": CONFIRMATION, "timestamp": timestamp(now), "data": {}})
            of = (context.new_id(), contact.app_id, contact.player_id, None)
            asked = NewNotice(*of, MAIL, CONFIRMATION, payload, True, now)
            notices.enqueue(context.session, [asked], now)
    return _show(contact)


def delete_email(context: Context) -> None:
    """Delete the caller's address, and give up waiting mails. Raises Conflict for accounts."""
    with context.session.transaction():
        contact = own_contact(context)
        if contact.account is not None:
            raise Conflict("An account needs its address to sign in. It can have another one, or be deleted.")
        notices.hold(context.session, contact.player_id, MAIL, urgent=True)
        gone = contact.moved()._replace(
            email=None, confirmed_at=None, awaited=False, mailed_at=None, **ACCEPTED
        )
        store.update(context.session, gone)


def note_visit(context: Context, player_id: UUID) -> None:
    """Cancel the mails that are sent unless the player visits."""
    notices.note_visit(context.session, player_id)


def forget(context: Context, player_id: UUID) -> None:
    """Delete what is known of a player, and everything queued for it, in the open transaction."""
    notices.delete_all(context.session, player_id)
    push.delete_all(context.session, player_id)
    store.delete(context.session, player_id)


def shut(context: Context, player_id: UUID) -> None:
    """End what works without a token, in the open transaction: push messages, calendar, links in mails."""
    session = context.session
    push.delete_all(session, player_id)
    contact = store.get(session, player_id, lock=True)
    if contact is not None:
        store.update(session, contact.moved()._replace(calendar=None))


def confirm(context: Context, token: str, *, change: bool) -> None:
    """Confirm the address to which a link was sent, or only check the link. Raises NotFound."""
    contact = links.follow(context, links.CONFIRM, token)
    if change and contact.confirmed_at is None:
        with context.session.transaction():
            current = store.get(context.session, contact.player_id, lock=True)
            if current is None or current.email != contact.email:
                raise NotFound("The link is invalid or has expired.")
            store.update(context.session, current._replace(confirmed_at=context.now()))


def unsubscribe(context: Context, token: str, *, change: bool) -> None:
    """Stop mail to the player with this link, or only check the link. Raises NotFound."""
    contact = links.follow(context, links.UNSUBSCRIBE, token)
    if change:
        with context.session.transaction():
            current = store.get(context.session, contact.player_id, lock=True)
            if current is not None:
                silent = Preferences.of(current)._replace(frequency=NEVER).stored()
                changed = current._replace(preferences=silent, awaited=False, mailed_at=None)
                store.update(context.session, changed)
                notices.hold(context.session, current.player_id, MAIL, urgent=True)


def log(context: Context, chosen: Page) -> dict[str, Any]:
    """List the caller's notices, newest first, with the status of each."""
    rows = notices.page(context.session, context.player_id, chosen.before, chosen.limit + 1)
    return uuid_page(rows, chosen, show_notice)


def retry(context: Context, notice_id: UUID) -> dict[str, Any]:
    """Send a notice now, whether it was sent before or not. Raises NotFound."""
    with idempotency.transaction(context):
        notice = notices.get(context.session, context.player_id, notice_id)
        if notice is None:
            raise NotFound("There is no such notice.")
        if notice.channel == MAIL:
            _count_retry(context, notice)
        again: dict[str, Any] = {"tries": 0, "next_at": context.now(), "delivered_at": None, "held": False}
        notices.keep(context.session, [notice.id], urgent=True, **again)
        context.session.wake_workers()
        return idempotency.keep(context, show_notice(notice._replace(**again)))


def _count_retry(context: Context, notice: QueuedNotice) -> None:
    """Count a mail that is sent again: it is one more in somebody's mailbox. Raises Conflict."""
    contact = store.get(context.session, notice.player_id)
    if notice.event == CONFIRMATION and contact is not None and contact.email is not None:
        allowances.take_confirmation(context, notice.player_id, contact.email)
    else:
        allowances.take_retry(context, notice.player_id)


def show_notice(notice: QueuedNotice) -> dict[str, Any]:
    """Show a notice with its log, which contains no address."""
    waiting = notice.next_at is not None
    ended = "delivered" if notice.delivered_at else "held" if notice.held else "failed"
    return {
        "id": str(notice.id),
        "channel": notice.channel,
        "event": notice.event,
        "game": notice.game_id and str(notice.game_id),
        "status": "pending" if waiting else ended,
        "created_at": timestamp(notice.created_at),
        "next_at": notice.next_at and timestamp(notice.next_at),
        "delivered_at": notice.delivered_at and timestamp(notice.delivered_at),
        "payload": loads(notice.payload),
        "attempts": loads(notice.attempts),
    }


def own_contact(context: Context) -> Contact:
    """Return the caller's contact, locked; it is created if it does not exist."""
    contact = store.get(context.session, context.player_id, lock=True)
    if contact is None:
        contact = Contact(context.player_id, context.app_id, context.random_bytes(KEY_BYTES))
        store.insert(context.session, contact)
    return contact


def _show(contact: Contact | None) -> dict[str, Any]:
    email = None
    if contact is not None and contact.email is not None:
        email = {
            "address": contact.email,
            "confirmed_at": contact.confirmed_at and timestamp(contact.confirmed_at),
            "refused_at": contact.refused_at and timestamp(contact.refused_at),
            "refused_because": contact.refused_because,
        }
    return {"email": email, **Preferences.of(contact).to_json()}


class Managed(NamedTuple):
    """What the page shows; `refused_because`: why no mail is sent at the moment, since `refused_at`."""

    frequency: str
    mail: Sequence[str]
    refused_at: datetime | None
    refused_because: str | None


def show_managed(context: Context, token: str) -> Managed:
    """Return a player's settings for mail. Raises NotFound."""
    return _managed(links.follow(context, links.MANAGE, token))


def change_managed(
    context: Context, token: str, frequency: str, mail: Sequence[str], *, again: bool
) -> Managed:
    """Change a player's settings; with `again`, send mail again to an address that was refused.

    Raises NotFound.
    """
    managed = links.follow(context, links.MANAGE, token)
    with context.session.transaction():
        contact = store.get(context.session, managed.player_id, lock=True)
        if contact is None:
            raise NotFound("The link is invalid or has expired.")
        before = Preferences.of(contact)
        chosen = tuple(event for event in EVENTS if event in mail)
        after = before._replace(
            mail=chosen, frequency=frequency if frequency in FREQUENCIES else before.frequency
        )
        if again:
            contact = contact._replace(**ACCEPTED)
        return _managed(reschedule(context, contact, after))


def _managed(contact: Contact) -> Managed:
    preferences = Preferences.of(contact)
    return Managed(preferences.frequency, preferences.mail, contact.refused_at, contact.refused_because)
