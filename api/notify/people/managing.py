"""What a link in a mail lets the owner of the mailbox change: which mail is sent, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from api.context import Context
from api.core.errors import NotFound
from api.notify.people import links
from api.notify.people.contacts import ACCEPTED, reschedule
from api.notify.people.preferences import EVENTS, FREQUENCIES, Preferences
from api.store.notify import contacts as store
from api.store.notify.contacts import Contact


class Managed(NamedTuple):
    """What the page shows; `refused_because`: why no mail is sent at the moment, since `refused_at`."""

    frequency: str
    mail: Sequence[str]
    refused_at: datetime | None
    refused_because: str | None


def show(context: Context, token: str) -> Managed:
    """Return a player's settings for mail. Raises NotFound."""
    return _managed(links.follow(context, links.MANAGE, token))


def change(context: Context, token: str, frequency: str, mail: Sequence[str], *, again: bool) -> Managed:
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
