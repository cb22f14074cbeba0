"""A player's address and preferences: show, change, confirm, and switch off by a link."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from api.callers import players
from api.callers.answers import NewTokenShown
from api.context import Context
from api.core.callers import GUEST, OF_GAME, SEAT_GUEST
from api.core.errors import Conflict, Forbidden, Unauthorized
from api.core.paging import Page, PageOf, uuid_page
from api.features.mail import allowances, answers, links, queue, store
from api.features.mail.kinds import CONFIRMATION, kinds
from api.features.mail.preferences import FREQUENCIES, NEVER, UNTIL_VISIT, Preferences
from api.features.mail.store import Contact
from api.features.mail.tables import contacts
from api.features.notices import outbox
from api.features.notices.outbox import MAIL, Outgoing
from api.games import looks, quotas
from api.http import idempotency
from api.http.answers import shown
from api.http.tokens import UNKNOWN
from api.store import credentials
from api.store.players import several
from referee.clocks import timestamp

KEY_BYTES = 32
CONFIRMED_WITHIN = timedelta(days=7)


def show(context: Context) -> answers.Preferences:
    """Show the caller's address and preferences."""
    return _show(store.get(context.session, context.player_id))


def change(
    context: Context, changes: dict[str, Any], check: Callable[[answers.Preferences], None]
) -> answers.Preferences:
    """Change the caller's preferences, if `check` lets them pass."""
    with context.session.transaction():
        contact = own_contact(context)
        check(_show(contact))
        contact = _choose(context, contact, contact.preferences.changed(changes))
    return _show(contact)


def _choose(context: Context, contact: Contact, after: Preferences) -> Contact:
    """Store a locked contact with these preferences, and cancel mails that it no longer wants; return it."""
    waited = contact.preferences.frequency == UNTIL_VISIT
    contact = contact._replace(preferences=after)
    if after.frequency != UNTIL_VISIT:
        contact = contact._replace(mailed_at=None)
    store.update(context.session, contact)
    if after.frequency == NEVER or (waited and after.frequency != UNTIL_VISIT):
        queue.cancel(context.session, contact.player_id)
    return contact


def set_email(context: Context, address: str) -> answers.Preferences:
    """Set the caller's address and send it a link; nothing else is sent until the link is followed.

    Raises Forbidden for guests, Conflict if the server sends no mail or was asked too often.
    """
    if context.caller.scopes & {GUEST, SEAT_GUEST}:
        raise Forbidden("Guests get mail after signing in.")
    if not context.settings.mail_from:
        raise Conflict("This server sends no mail.")
    with context.session.transaction():
        contact, now = own_contact(context), context.now()
        set_by = context.caller.credential_id if context.caller.by_app else None
        if set_by is None and contact.set_by is not None and contact.email == address:
            contact = contact._replace(set_by=None)  # the player itself says that the mailbox is its own
            store.update(context.session, contact)
        if contact.email != address or contact.confirmed_at is None or contact.refused_at is not None:
            allowances.take_confirmation(context, contact.player_id, address)
            queue.cancel(context.session, contact.player_id, urgent=True)
            if contact.email != address:
                contact = end_links(context, contact)._replace(email=address, set_by=set_by)
            contact = contact._replace(confirmed_at=None, refused_at=None)
            store.update(context.session, contact)
            payload: dict[str, Any] = {"type": CONFIRMATION, "timestamp": timestamp(now), "data": {}}
            whose = (context.new_id(), contact.app_id, MAIL, contact.player_id, None)
            asked = Outgoing(*whose, CONFIRMATION, payload, created_at=now, next_at=now, urgent=True)
            outbox.enqueue(context.session, [asked])
    return _show(contact)


def delete_email(context: Context) -> None:
    """Delete the caller's address, and give up waiting mails. Raises Conflict for accounts."""
    with context.session.transaction():
        contact = own_contact(context)
        if contact.account is not None:
            raise Conflict("An account needs its address to sign in. It can have another one, or be deleted.")
        queue.cancel(context.session, contact.player_id, urgent=True)
        gone = end_links(context, contact)._replace(
            email=None, set_by=None, confirmed_at=None, refused_at=None, mailed_at=None
        )
        store.update(context.session, gone)


def record_visits(context: Context, visits: Mapping[UUID, datetime]) -> None:
    """Store when players were here: mails wait for that."""
    store.record_visits(context.session, visits)


def forget(context: Context, player_id: UUID) -> None:
    """Delete what is known of a player, and everything queued for it, in the open transaction."""
    # First the contact, which whoever queues something locks.
    context.session.execute(contacts.delete().where(contacts.c.player_id == player_id))
    outbox.forget(context.session, player_id)


def known(context: Context, player_id: UUID) -> answers.Preferences | None:
    """Return how a player is reached, as the player sees it; None if it is not known."""
    contact = store.get(context.session, player_id)
    return None if contact is None else _show(contact)


def shut(context: Context, player_id: UUID) -> None:
    """End what works without a token, in the open transaction: links in mails."""
    contact = store.get(context.session, player_id, lock=True)
    if contact is not None:
        store.update(context.session, end_links(context, contact))


def end_links(context: Context, contact: Contact) -> Contact:
    """End links in mails that were sent, and the tokens that they gave; return the contact to be stored."""
    credentials.expire_tokens(context.session, [contact.player_id], links.MAILED, context.now())
    return contact.moved()


def open_game(context: Context, game_id: UUID, link: str) -> NewTokenShown:
    """Return a new token for one game, as the player of a link in a mail about it. Raises NotFound."""
    app_id = links.follow(context, links.to_game(game_id), link).app_id
    idempotency.belongs_to(context, app_id)
    with idempotency.transaction(context):
        contact = links.follow(context, links.to_game(game_id), link, lock=True)
        quotas.require_room_for_token(context, contact.player_id)
        scopes, ends = [f"{OF_GAME}{game_id}", links.MAILED], links.end_of(link)
        token_id, token = players.new_token(context, app_id, contact.player_id, scopes, ends)
        if contact.set_by is not None:
            looks.record_token(context, contact.player_id, token_id)
        answer: NewTokenShown = {
            "id": str(token_id),
            "token": token,
            "created_at": timestamp(context.now()),
            "expires_at": timestamp(ends),
            "game": str(game_id),
        }
        return idempotency.keep(context, answer)


def confirm(context: Context, token: str) -> None:
    """Confirm the address to which a link was sent. Raises NotFound."""
    with links.locked(context, links.CONFIRM, token) as contact:
        if contact.confirmed_at is None:
            store.update(context.session, contact._replace(confirmed_at=context.now()))


def unsubscribe(context: Context, token: str) -> None:
    """Stop mail to the player with this link. Raises NotFound."""
    with links.locked(context, links.UNSUBSCRIBE, token) as contact:
        _choose(context, contact, contact.preferences._replace(frequency=NEVER))
        queue.cancel(context.session, contact.player_id, urgent=True)


def manage(context: Context, token: str, frequency: str, mail: Sequence[str], *, again: bool) -> Contact:
    """Change the settings of the player with a link; return the contact. Raises NotFound.

    With `again`, mail is sent again to an address that was refused.
    """
    with links.locked(context, links.MANAGE, token) as contact:
        after = contact.preferences._replace(mail=tuple(event for event in kinds() if event in mail))
        if frequency in FREQUENCIES:
            after = after._replace(frequency=frequency)
        return _choose(context, contact._replace(refused_at=None) if again else contact, after)


def log(context: Context, chosen: Page) -> PageOf[answers.PlayerNotice]:
    """List the caller's notices, newest first, with the status of each."""
    rows = outbox.page(context.session, context.player_id, chosen.before, chosen.limit + 1)
    return uuid_page(rows, chosen, _show_notice)


def _show_notice(notice: Outgoing) -> answers.PlayerNotice:
    """Show a notice with its log, which contains no address."""
    return shown(answers.PlayerNotice, notice, game=notice.game_id)


def own_contact(context: Context) -> Contact:
    """Return the caller's contact, locked; it is created if it does not exist."""
    return contact_of(context, context.app_id, context.player_id)


def contact_of(context: Context, app_id: UUID, player_id: UUID) -> Contact:
    """Return a player's contact, locked; it is created if it does not exist.

    Raises Unauthorized for a player who was deleted meanwhile.
    """
    contact = store.get(context.session, player_id, lock=True)
    if contact is None:
        if not several(context.session, app_id, [player_id]):  # else a person who was erased would come back
            raise Unauthorized(UNKNOWN)
        contact = Contact(player_id, app_id, context.random_bytes(KEY_BYTES), Preferences.usual())
        store.insert(context.session, contact)
    return contact


def _show(contact: Contact | None) -> answers.Preferences:
    email = shown(answers.Email, contact, address=contact.email) if contact and contact.email else None
    return shown(answers.Preferences, contact.preferences if contact else Preferences.usual(), email=email)
