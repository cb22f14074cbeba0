"""Push messages (RFC 8030): encrypted for one browser (RFC 8291), signed for its push service (RFC 8292)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from email.utils import parseaddr
from typing import Any
from uuid import UUID

from api.context import Context
from api.core.config import Settings
from api.core.json import stored
from api.features.mail import present, queue
from api.features.mail import store as contacts
from api.features.mail.mail import Outcome
from api.features.mail.phrases import speaking
from api.features.mail.sending import record
from api.features.mail.store import Contact
from api.features.mail.words import line
from api.features.notices.outbound import Reply
from api.features.notices.outbox import PUSH, Outgoing
from api.features.push import browsers
from api.features.push.browsers import Browser, key_pair

DAY = 86_400  # seconds for which a push service keeps a message and, at most, a signature is valid
Request = tuple[str, dict[str, str], bytes]  # the address, headers, a body
GONE = (404, 410)  # the browser has unsubscribed
NEVER = (400, 401, 403, 413)  # another attempt is useless
ATTEMPT = timedelta(seconds=20)  # more than the push services have for their answers


def send(context: Context, player_id: UUID, lease: datetime) -> None:
    """Send what is claimed for a player until `lease` to each of its browsers."""
    with context.session.transaction():
        contact = contacts.get(context.session, player_id, lock=True)
        claimed = queue.claimed(context.session, player_id, PUSH, lease)
        if contact is None:
            return  # deleted meanwhile
        games = present.games_of(context.session, claimed)
        sent = present.of_notices(context.session, games, claimed, context.now())
        queue.cancel_others(context.session, claimed, sent)
        there = browsers.of_player(context.session, player_id)
    context.session.close()  # no database connection is held while waiting for push services
    for notice in sent:
        if context.now() + ATTEMPT > lease:
            return  # whoever claims it next sends what is left
        requests = [_request(context, contact, to, notice) for to in there]
        answers = asyncio.run(_post(context.settings, requests))
        gone = [to for to, answer in zip(there, answers, strict=True) if answer.status in GONE]
        there = [to for to in there if to not in gone]
        with context.session.transaction():
            contacts.get(context.session, player_id, lock=True)
            for to in gone:
                browsers.remove(context, player_id, to.id)
            record(context, [notice], _best(answers))


async def _post(settings: Settings, requests: Sequence[Request]) -> list[Reply]:
    """Send requests, only to addresses that are allowed for webhooks too."""
    from api.features.notices.client import Client  # web processes do without its memory

    client = Client(settings, len(requests))
    try:
        return await asyncio.gather(*(client.post(*request) for request in requests))
    finally:
        await client.close()


def _request(context: Context, contact: Contact, to: Browser, notice: Outgoing) -> Request:
    from py_vapid import Vapid02  # imported only here: with their own imports they take 4 MB
    from pywebpush import WebPusher

    settings = context.settings
    _, address = parseaddr(settings.mail_from)
    claims = {
        "aud": to.service,
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
    body = WebPusher(to.subscription).encode(_content(settings, contact, notice))["body"]
    return to.subscription["endpoint"], headers, body


def _content(settings: Settings, contact: Contact, notice: Outgoing) -> bytes:
    """Return the text that the browser shows, and its subject."""
    payload, preferences = notice.payload, contact.preferences
    with speaking(preferences.language):
        title = line(payload, preferences)
    shown: dict[str, Any] = {
        "title": title,
        "url": f"{settings.public_url}/table/{notice.game_id}",
        "tag": f"{notice.event} {notice.game_id}",
        **{name: payload[name] for name in ("type", "timestamp", "data")},
    }
    return stored(shown).encode()


def _best(answers: Sequence[Reply]) -> Outcome:
    """Return the best outcome, because the player reads one of the browsers."""
    for answer in answers:
        if answer.good:
            return Outcome(answer.status)
    for answer in answers:
        if answer.status not in GONE:
            error = f"the push service answered {answer.status or 'nothing'}"
            return Outcome(answer.status, error, final=answer.status in NEVER)
    return Outcome(answers[0].status if answers else None, "no browser accepts messages any more", final=True)
