"""Links that need no login: the owner of a link may do only what it is for.

A link names its player and its expiry (0: never), and proves with the player's own key that it is genuine.
Links in mails end when the address changes and when the player signs out everywhere.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from uuid import UUID

from api.context import Context
from api.core.errors import NotFound
from api.features.mail import store as contacts
from api.features.mail.phrases import mark
from api.features.mail.store import Contact

UNSUBSCRIBE, CONFIRM, MANAGE, DEVICE = "unsubscribe", "confirm", "manage", "device"
MAILED = "mailed"  # the scope of the tokens that links in mails give
MAC = 20  # bytes
LENGTH = 16 + 4 + MAC


def make(contact: Contact, purpose: str, until: datetime | None = None) -> str:
    """Return the secret part of a link; a confirmation link is valid only for the current address."""
    begun = contact.player_id.bytes + (int(until.timestamp()) if until else 0).to_bytes(4, "big")
    return base64.urlsafe_b64encode(begun + _mac(contact, purpose, begun)).decode().rstrip("=")


def to_game(game_id: UUID | None) -> str:
    """Return the purpose of a link that gives a token of its player for this game."""
    return f"game {game_id}"


def end_of(token: str) -> datetime:
    """Return when a link ends that was followed, and is not for ever."""
    raw = base64.urlsafe_b64decode(token.encode("ascii") + b"=" * (-len(token) % 4))
    return datetime.fromtimestamp(int.from_bytes(raw[16:20], "big"), UTC)


def _mac(contact: Contact, purpose: str, begun: bytes) -> bytes:
    mailbox = f" mailbox {contact.mailbox}" if contact.mailbox else ""
    belongs = {CONFIRM: f" {contact.email}{mailbox}", DEVICE: ""}
    about = purpose + belongs.get(purpose, mailbox)
    return hmac.digest(contact.key, about.encode() + b"\0" + begun, "sha256")[:MAC]


def follow(context: Context, purpose: str, token: str, *, lock: bool = False) -> Contact:
    """Return the player of a link; from here on the session sees the rows of its app. Raises NotFound."""
    try:
        raw = base64.urlsafe_b64decode(token.encode("ascii") + b"=" * (-len(token) % 4))
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) == LENGTH:
        player_id, until = UUID(bytes=raw[:16]), int.from_bytes(raw[16:20], "big")
        app_id = contacts.app_of(context.session, player_id)
        if app_id is not None:
            context.session.see(app_id)
            contact = contacts.get(context.session, player_id, lock=lock)
            proven = contact is not None and hmac.compare_digest(_mac(contact, purpose, raw[:20]), raw[20:])
            if contact is not None and proven and (not until or context.now().timestamp() < until):
                return contact
    raise NotFound(mark("The link is invalid or has expired."))


@contextmanager
def locked(context: Context, purpose: str, token: str) -> Iterator[Contact]:
    """Follow a link, and lock the contact of its player for a transaction."""
    follow(context, purpose, token)  # no session begins to see an app in a transaction
    with context.session.transaction():
        yield follow(context, purpose, token, lock=True)
