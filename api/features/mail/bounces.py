"""Mail that comes back, and complaints about it: to an address that names the player, passed on by HTTP.

Every mail has a sender of its own for what comes back (VERP), `bounces+TOKEN@…`. The token proves that this
server has sent mail to the player's present address, so whoever passes on a bounce needs no other secret.
"""

from __future__ import annotations

import base64
import hmac
import re
from datetime import timedelta
from email.parser import BytesHeaderParser
from email.policy import compat32
from uuid import UUID

from api.context import Context
from api.core.config import Settings
from api.core.errors import NotFound
from api.features.mail import queue, store
from api.features.mail.mail import NO_MAILBOX
from api.features.mail.store import BOUNCES, COMPLAINT, NO_SUCH_MAILBOX, Contact
from api.games import events
from api.games.events import Subject

MAC = 9  # bytes; with the player's id the token is 40 letters, and a local part may have 64
TOKEN = "[a-z2-7]{40}"
ADDRESSES = 10  # so many addresses of a message are looked up; anybody may post one that is full of them
MOST = 3  # mails on different days may bounce, before no more are sent
APART = timedelta(hours=20)
FORGOTTEN = timedelta(days=30)  # after this time without a bounce, counting begins again
FAILED = re.compile(rb"^Action:[ \t]*failed\b", re.IGNORECASE | re.MULTILINE)
STATUS = re.compile(rb"^Status:[ \t]*([45]\.\d{1,3}\.\d{1,3})\b", re.IGNORECASE | re.MULTILINE)


def sender(settings: Settings, contact: Contact) -> str | None:
    """Return the address to which a mail for this player bounces; None for that in MAIL_FROM."""
    if not settings.mail_bounces:
        return None
    local, _, domain = settings.mail_bounces.partition("@")
    raw = contact.player_id.bytes + _mac(contact)
    return f"{local}+{base64.b32encode(raw).decode().lower()}@{domain}"


def _mac(contact: Contact) -> bytes:
    about = b"bounce " + (contact.email or "").encode() + b"\0" + contact.player_id.bytes
    return hmac.digest(contact.key, about, "sha256")[:MAC]


def receive(context: Context, raw: bytes) -> None:
    """Take a message that came back. Raises NotFound if it does not name a player whom we have sent mail."""
    contact = _named(context, raw)
    said = _said(raw)
    if said is None:
        return  # an automatic answer, or news of a delay
    with context.session.transaction():
        current = store.get(context.session, contact.player_id, lock=True)
        if current is not None and current.email == contact.email and current.refused_at is None:
            _note(context, current, said)


def _named(context: Context, raw: bytes) -> Contact:
    """Return the player whom the address of a bounce names, in its own headers or in those of our mail."""
    local, _, domain = context.settings.mail_bounces.partition("@")
    address = rf"{re.escape(local)}\+({TOKEN})@{re.escape(domain)}"
    tokens = re.findall(address.encode(), raw, re.IGNORECASE) if local else []
    for token in list(dict.fromkeys(tokens))[:ADDRESSES]:
        known = base64.b32decode(token.upper())  # the pattern admits only what can be decoded
        player_id = UUID(bytes=known[:16])
        app_id = store.app_of(context.session, player_id)
        if app_id is not None:
            context.session.see(app_id)
            contact = store.get(context.session, player_id)
            if contact is not None and hmac.compare_digest(_mac(contact), known[16:]):
                return contact
    raise NotFound("This message names no address to which this server has sent mail.")


def _said(raw: bytes) -> str | None:
    """Return what a report says (RFC 3464, RFC 5965): COMPLAINT, or the status of a bounce, "" if unknown.

    Return None for what is no report of a failure.

    Only its headers are parsed, and the fields of its status are looked for: a message of thousands of nested
    parts costs no more than another.
    """
    headers = BytesHeaderParser(policy=compat32).parsebytes(raw)
    kind = str(headers.get_param("report-type", "")).lower()
    if headers.get_content_type() != "multipart/report":
        return None
    if kind == "feedback-report":
        return COMPLAINT
    if kind != "delivery-status" or not FAILED.search(raw):
        return None
    status = STATUS.search(raw)
    return status[1].decode() if status else ""


def _note(context: Context, contact: Contact, said: str) -> None:
    """Count a bounce, or send no more mail; tell the app."""
    now = context.now()
    if said != COMPLAINT:
        last = contact.bounced_at
        if last is None or now - last > FORGOTTEN:
            contact = contact._replace(bounces=1, bounced_at=now)
        elif now - last >= APART:
            contact = contact._replace(bounces=contact.bounces + 1, bounced_at=now)
    because = None
    if said == COMPLAINT:
        because = COMPLAINT
    elif said in NO_MAILBOX:
        because = NO_SUCH_MAILBOX
    elif contact.bounces >= MOST:
        because = BOUNCES
    if because is not None:
        contact = contact._replace(refused_at=now, refused_because=because)
        queue.hold(context.session, contact.player_id, urgent=True)
    store.update(context.session, contact)
    error = f"the mail bounced ({said})" if said else "the mail bounced"
    if said == COMPLAINT:
        error = "the player reported the mail as unwanted"
    failed = events.of_failed_mail(contact.player_id, None, error, disabled=because is not None)
    events.posted(context, Subject(contact.app_id), [failed], now)
