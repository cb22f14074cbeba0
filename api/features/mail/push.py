"""Push messages (RFC 8030): encrypted for one browser (RFC 8291), signed for its push service (RFC 8292)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from email.utils import parseaddr
from typing import Any

from api.context import Context
from api.core.config import Settings
from api.core.json import loads, stored
from api.features.mail.browsers import key_pair, origin
from api.features.mail.phrases import speaking
from api.features.mail.preferences import Preferences
from api.features.mail.store_contacts import Contact
from api.features.mail.store_notices import QueuedNotice
from api.features.mail.store_push import PushSubscription
from api.features.mail.words import line
from api.features.notices.outbound import Reply

DAY = 86_400  # seconds for which a push service keeps a message and, at most, a signature is valid
Request = tuple[str, dict[str, str], bytes]  # the address, headers, a body
GONE = (404, 410)  # the browser has unsubscribed
NEVER = (400, 401, 403, 413)  # another attempt is useless


def content(settings: Settings, contact: Contact, notice: QueuedNotice) -> bytes:
    """Return the text that the browser shows, and its subject."""
    payload, preferences = loads(notice.payload), Preferences.of(contact)
    with speaking(preferences.language):
        title = line(payload, preferences)
    shown: dict[str, Any] = {
        "title": title,
        "url": f"{settings.public_url}/table/{notice.game_id}" if notice.game_id else settings.public_url,
        "tag": f"{notice.event} {notice.game_id}",
        **{name: payload[name] for name in ("type", "timestamp", "data")},
    }
    return stored(shown).encode()


def send(
    context: Context, contact: Contact, browsers: Sequence[PushSubscription], notice: QueuedNotice
) -> list[Reply]:
    """Send a notice to all browsers of a player, only to addresses that are allowed for webhooks too."""
    requests = [_request(context, contact, to, notice) for to in browsers]
    return asyncio.run(_send(context.settings, requests))


async def _send(settings: Settings, requests: Sequence[Request]) -> list[Reply]:
    from api.features.notices.client import Client  # web processes do without its memory

    client = Client(settings, len(requests))
    try:
        return await asyncio.gather(*(client.post(*request) for request in requests))
    finally:
        await client.close()


def _request(context: Context, contact: Contact, to: PushSubscription, notice: QueuedNotice) -> Request:
    from py_vapid import Vapid02  # imported only here: with their own imports they take 4 MB
    from pywebpush import WebPusher

    settings = context.settings
    _, address = parseaddr(settings.mail_from)
    claims = {
        "aud": origin(to),
        "sub": f"mailto:{address}" if address else settings.public_url,
        "exp": int(context.now().timestamp()) + DAY // 2,
    }
    headers = {
        **Vapid02(private_key=key_pair(contact)).sign(claims),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(DAY),
        "Urgency": "high" if notice.urgent else "normal",
    }
    body = WebPusher(to.subscription).encode(content(settings, contact, notice))["body"]
    return to.subscription["endpoint"], headers, body
