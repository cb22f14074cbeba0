"""Browsers that receive push messages: their keys, and the browsers of a player.

Every player has a separate key pair (VAPID, RFC 8292), so a push service cannot tell by the key which players
belong to one server. It is derived from the key of the player's contact.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from sqlalchemy import ColumnElement, exists, select

from api.context import Context
from api.core.errors import BadRequest, Conflict, NotFound
from api.core.json import loads, stored
from api.features.mail.contacts import own_contact
from api.features.mail.posting import Reach
from api.features.mail.store import Contact
from api.features.notices import outbound
from api.features.notices.outbox import PUSH
from api.features.push import answers
from api.features.push.tables import SUBSCRIPTION, push_subscriptions
from api.http import idempotency
from api.store.database.session import Session
from api.store.tables.accounts import credentials
from api.store.tables.columns import among
from referee.clocks import timestamp

ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256
MOST = 10  # browsers of a player
AUTH_BYTES = 16

t = push_subscriptions.c
REVOKED: ColumnElement[bool] = exists(credentials.c.id).where(
    credentials.c.id == t.credential_id, credentials.c.revoked_at.is_not(None)
)


class Browser(NamedTuple):
    """A browser's own description: `endpoint`, and `keys` with which messages are encrypted for it."""

    id: UUID
    subscription: dict[str, Any]
    created_at: datetime

    @property
    def service(self) -> str:
        """The host of the push service; the rest of the address is the browser's secret."""
        address = urlsplit(self.subscription["endpoint"])
        return f"{address.scheme}://{address.netloc}"

    def to_json(self) -> answers.PushSubscription:
        """Return its form in answers."""
        return {"id": str(self.id), "service": self.service, "created_at": timestamp(self.created_at)}


def of_player(session: Session, player_id: UUID) -> list[Browser]:
    """List a player's browsers, oldest first. Raises Undecipherable."""
    whole = select(t.id, t.subscription, t.created_at).where(t.player_id == player_id, ~REVOKED)
    return [
        Browser(row[0], loads(session.cipher.open(row[1], row[0].bytes, SUBSCRIPTION)), row[2])
        for row in session.execute(whole.order_by(t.id))
    ]


def reach(context: Context, people: Sequence[Contact]) -> Reach:
    """Return which of these players have a browser; all get messages at once, except in quiet hours."""
    ids = [contact.player_id for contact in people]
    rows = context.session.execute(select(t.player_id).where(among(t.player_id, ids), ~REVOKED).distinct())
    now = context.now()  # real time, even if the game has a test clock
    return Reach(
        PUSH,
        {row[0] for row in rows},
        lambda preferences, event, at: preferences.push_at(now) if event in preferences.push else None,
    )


def key_pair(contact: Contact) -> ec.EllipticCurvePrivateKey:
    """Return the key pair that signs push messages to a player."""
    drawn = int.from_bytes(hmac.digest(contact.key, b"push", "sha512"), "big")
    return ec.derive_private_key(drawn % (ORDER - 1) + 1, ec.SECP256R1())


def show(context: Context) -> answers.PushSubscriptions:
    """Show the key for subscribing, and the caller's browsers."""
    with context.session.transaction():
        contact = own_contact(context)
    public = key_pair(contact).public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    there = of_player(context.session, contact.player_id)
    key = base64.urlsafe_b64encode(public).decode().rstrip("=")
    return {"key": key, "items": [each.to_json() for each in there], "next": None}


def add(context: Context, request: dict[str, Any]) -> answers.PushSubscription:
    """Send the caller's push messages to one more browser.

    Raises BadRequest if nothing could be sent there, Conflict if this server sends no push messages or there
    are too many browsers.
    """
    if not context.settings.public_url:
        raise Conflict("This server sends no push messages.")
    _check(context, request)
    with idempotency.transaction(context):
        session, contact = context.session, own_contact(context)
        session.execute(push_subscriptions.delete().where(t.player_id == contact.player_id, REVOKED))
        there = of_player(session, contact.player_id)
        token = {"credential_id": context.caller.credential_id}
        browser = next((each for each in there if each.subscription == request), None)
        if browser is not None:
            session.execute(push_subscriptions.update().where(t.id == browser.id).values(token))
            return idempotency.keep(context, browser.to_json())
        if len(there) >= MOST:
            raise Conflict(f"A player has at most {MOST} browsers.")
        browser = Browser(context.new_id(), request, context.now())
        sealed = session.cipher.seal(stored(request).encode(), browser.id.bytes, SUBSCRIPTION)
        whose = {"app_id": contact.app_id, "player_id": contact.player_id, **token}
        row = {**browser._asdict(), **whose, "subscription": sealed}
        session.execute(push_subscriptions.insert().values(row))
        return idempotency.keep(context, browser.to_json())


def _check(context: Context, request: dict[str, Any]) -> None:
    """Raise BadRequest if nothing could be encrypted for a browser or sent to it."""
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decoded(request["keys"]["p256dh"]))
        if len(_decoded(request["keys"]["auth"])) != AUTH_BYTES:
            raise ValueError
    except ValueError:
        raise BadRequest({"keys": ["These are not the keys of a browser's subscription."]}) from None
    try:
        outbound.check(request["endpoint"], context.settings)
    except outbound.Refused as refused:
        raise BadRequest({"endpoint": [str(refused)]}) from None


def _decoded(text: str) -> bytes:
    """Return the bytes that a browser writes in base64url without padding. Raises ValueError."""
    return base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))


def delete(context: Context, browser_id: UUID) -> None:
    """Send nothing more to a browser of the caller. Raises NotFound."""
    if not remove(context, context.player_id, browser_id):
        raise NotFound("There is no such subscription.")


def remove(context: Context, player_id: UUID, browser_id: UUID) -> bool:
    """Delete a browser; return whether it existed."""
    statement = push_subscriptions.delete().where(t.player_id == player_id, t.id == browser_id)
    return context.session.execute(statement).rowcount == 1


def delete_all(context: Context, player_id: UUID) -> None:
    """Delete a player's browsers, in the open transaction."""
    context.session.execute(push_subscriptions.delete().where(t.player_id == player_id))
