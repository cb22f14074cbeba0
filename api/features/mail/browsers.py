"""Browsers that receive push messages: their keys, and the browsers of a player.

Every player has a separate key pair (VAPID, RFC 8292), so a push service cannot tell by the key which players
belong to one server. It is derived from the key of the player's contact.
"""

from __future__ import annotations

import base64
import hmac
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from api.context import Context
from api.core.errors import BadRequest, Conflict, NotFound
from api.features.mail import store_push as store
from api.features.mail.contacts import own_contact
from api.features.mail.store_contacts import Contact
from api.features.mail.store_push import PushSubscription
from api.features.notices import outbound
from api.http import idempotency
from referee.clocks import timestamp

ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256
MOST = 10  # browsers of a player
AUTH_BYTES = 16


def key_pair(contact: Contact) -> ec.EllipticCurvePrivateKey:
    """Return the key pair that signs push messages to a player."""
    drawn = int.from_bytes(hmac.digest(contact.key, b"push", "sha512"), "big")
    return ec.derive_private_key(drawn % (ORDER - 1) + 1, ec.SECP256R1())


def encoded(raw: bytes) -> str:
    """Return bytes as browsers write them: base64url without padding."""
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def decoded(text: str) -> bytes:
    """Return the bytes of what `encoded` writes. Raises ValueError."""
    return base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))


def show(context: Context) -> dict[str, Any]:
    """Show the key for subscribing, and the caller's browsers."""
    with context.session.transaction():
        contact = own_contact(context)
    public = key_pair(contact).public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    subscriptions = store.of_player(context.session, contact.player_id)
    return {"key": encoded(public), "subscriptions": [_show(each) for each in subscriptions]}


def add(context: Context, request: dict[str, Any]) -> dict[str, Any]:
    """Send the caller's push messages to one more browser.

    Raises BadRequest if nothing could be sent there, Conflict if this server sends no push messages or there
    are too many browsers.
    """
    if not context.settings.public_url:
        raise Conflict("This server sends no push messages.")
    _check(context, request)
    with idempotency.transaction(context):
        contact = own_contact(context)
        store.delete_revoked(context.session, contact.player_id)
        there = store.of_player(context.session, contact.player_id)
        known = next((each for each in there if each.subscription == request), None)
        if known is None and len(there) >= MOST:
            raise Conflict(f"A player has at most {MOST} browsers.")
        token = context.caller.credential_id
        subscription = known or PushSubscription(
            context.new_id(), contact.player_id, request, context.now(), token
        )
        if known is None:
            store.insert(context.session, contact.app_id, subscription)
        else:
            store.renew(context.session, known.id, token)
        return idempotency.keep(context, _show(subscription))


def _check(context: Context, request: dict[str, Any]) -> None:
    """Raise BadRequest if nothing could be encrypted for a browser or sent to it."""
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(request["keys"]["p256dh"]))
        if len(decoded(request["keys"]["auth"])) != AUTH_BYTES:
            raise ValueError
    except ValueError:
        raise BadRequest({"keys": ["These are not the keys of a browser's subscription."]}) from None
    try:
        outbound.check(request["endpoint"], context.settings)
    except outbound.Refused as refused:
        raise BadRequest({"endpoint": [str(refused)]}) from None


def delete(context: Context, subscription_id: UUID) -> None:
    """Send nothing more to a browser of the caller. Raises NotFound."""
    if not store.delete(context.session, context.player_id, subscription_id):
        raise NotFound("There is no such subscription.")


def origin(subscription: PushSubscription) -> str:
    """Return the host of the push service; the rest of the address is the browser's secret."""
    address = urlsplit(subscription.subscription["endpoint"])
    return f"{address.scheme}://{address.netloc}"


def _show(subscription: PushSubscription) -> dict[str, Any]:
    return {
        "id": str(subscription.id),
        "service": origin(subscription),
        "created_at": timestamp(subscription.created_at),
    }
