"""Sends queued notices to players: at least once, with growing pauses after failures.

Several players get mail at once, and each player one mail after another.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID

from api.context import Context
from api.core import metrics
from api.core.shares import Resource
from api.feature import Contexts, Due, EventType
from api.features.mail import letters, mail, present, queue, recaps
from api.features.mail import store as contacts
from api.features.mail.kinds import CONFIRMATION, kinds
from api.features.mail.mail import Outcome
from api.features.mail.phrases import speaking
from api.features.mail.preferences import UNTIL_VISIT
from api.features.mail.queue import Claim
from api.features.mail.store import Contact
from api.features.notices import events, outbox
from api.features.notices.declared import ANNA
from api.features.notices.dispatch import Dispatcher, Slots
from api.features.notices.events import Notification, Subject
from api.features.notices.outbox import MAIL, Outgoing
from api.http.answers import Count, Uuid
from api.store import players
from referee.clocks import timestamp

log = logging.getLogger("card_referee.jobs")

CONNECTIONS = 8  # to the mail server: a slow one delays few others, and many servers allow no more

SENDER_SLOTS = Resource(
    "mail and push slots",
    "8 players at once by mail and 32 by push, in a worker",
    "apps; their players",
    "its notices wait",
)


class OfFailedMail(TypedDict):
    """The player, and the mail server's last answer, which contains no address."""

    player: Uuid
    status: Annotated[Count | None, "The status of the mail server; null if it could not be reached."]
    error: str
    address_disabled: Annotated[
        bool, "The address does not exist, and gets no more mail until it is set again."
    ]


EXAMPLE: OfFailedMail = {
    "player": ANNA,
    "status": 554,
    "error": "the mail server refused the recipient (5.7.1)",
    "address_disabled": False,
}
FAILED = EventType(
    "mail.failed",
    "Mail to a player could not be delivered and is not tried again.",
    OfFailedMail,
    {**EXAMPLE},
)

Send = Callable[[Context, UUID, datetime], None]
"""Sends what is claimed for a player until a time, and stores the outcome."""


class ToPlayers:
    """A channel to players: sends to several at once, and to each one thing after another."""

    def __init__(self, channel: str, send: Send, contexts: Contexts, size: int) -> None:
        self._channel, self._send_claimed, self._contexts = channel, send, contexts
        self._pool = ThreadPoolExecutor(size, channel)
        self._busy: set[UUID] = set()

    def claim(self, context: Context, slots: Slots) -> Sequence[Claim]:
        """Take what is due for one player."""
        [crowded] = slots.crowded()
        claimed = queue.claim(context, self._channel, [*self._busy], crowded)
        if claimed is None:
            return ()
        self._busy.add(claimed.player_id)
        return [claimed]

    async def send(self, claim: Claim) -> None:
        """Send it in a thread, which also stores what comes of it."""
        try:
            await asyncio.get_running_loop().run_in_executor(self._pool, self._send, claim)
        finally:
            self._busy.discard(claim.player_id)

    def _send(self, claim: Claim) -> None:
        with self._contexts() as context:
            self._send_claimed(context, claim.player_id, claim.lease)

    def record(self, context: Context, done: Sequence[None]) -> None:
        """Store nothing more."""

    async def close(self) -> None:
        """Start no more threads."""
        self._pool.shutdown(wait=False)


def dispatcher(
    channel: str, send: Send, contexts: Contexts, size: int = CONNECTIONS
) -> Dispatcher[Claim, None]:
    """Return what sends the notices of a channel to so many players at once.

    Each channel has its own: a slow mail server must not delay push messages.
    """
    due = Due(channel, f"outbox WHERE channel = '{channel}' AND next_at <= now()", "next_at")
    slots = Slots(size, SENDER_SLOTS)
    return Dispatcher(due, slots, lambda: ToPlayers(channel, send, contexts, size), contexts)


def send_mail(context: Context, player_id: UUID, lease: datetime) -> None:
    """Send one mail with everything that is claimed for a player."""
    now, session = context.now(), context.session
    with session.transaction():
        contact = contacts.get(session, player_id, lock=True)
        claimed = queue.claimed(session, player_id, MAIL, lease)
        wanted = _wanted(contact, claimed)
        games = present.games_of(session, wanted)
        sent = present.of_notices(session, games, wanted, now)
        queue.cancel_others(session, claimed, sent)
        if not sent or contact is None:
            return
        # Counted now, so that they count as tried even if the worker dies.
        outbox.count_try(session, sent)
        preferences = contact.preferences
        if preferences.frequency == UNTIL_VISIT and any(not each.urgent for each in sent):
            contacts.change(session, [player_id], mailed_at=now)
        player = players.get(session, contact.app_id, player_id)
        told_of = {notice.game_id for notice in sent}
        shown = [game for id_, game in games.items() if id_ in told_of]
        with speaking(preferences.language):
            told = recaps.of_games(context, contact, shown)
            name = player.name if player else ""
            message = letters.compose(context.settings, contact, name, sent, told, now)
    session.close()  # no database connection is held while waiting for the mail server
    outcome = mail.send(context.settings, message)
    with session.transaction():
        present_contact = contacts.get(session, player_id, lock=True)
        if outcome.error is not None:  # later ones do not wait for it
            contacts.change(session, [player_id], mailed_at=contact.mailed_at)
        # Not another address, which was set meanwhile.
        disabled = (
            outcome.no_mailbox and present_contact is not None and present_contact.email == contact.email
        )
        if disabled:
            contacts.change(session, [player_id], refused_at=context.now())
        if record(context, sent, outcome) and present_contact is not None:
            failed: OfFailedMail = {
                "player": str(player_id),
                "status": outcome.status,
                "error": str(outcome.error),
                "address_disabled": disabled,
            }
            notice = Notification(FAILED.name, {**failed})
            events.posted(context, Subject(contact.app_id), [notice], context.now())


def _wanted(contact: Contact | None, claimed: Sequence[Outgoing]) -> Sequence[Outgoing]:
    """Return the notices to mail together; one that asks to confirm an address is sent separately."""
    if contact is None or contact.email is None or contact.refused_at is not None:
        return []
    asking = [notice for notice in claimed if notice.event == CONFIRMATION]
    if asking or contact.confirmed_at is None:
        return asking[-1:]
    if contact.preferences.frequency != UNTIL_VISIT:
        return claimed
    return [each for each in claimed if each.urgent or _is_to_be_mailed(contact, each)]


def _is_to_be_mailed(contact: Contact, notice: Outgoing) -> bool:
    """Return whether to mail a notice that has waited for a visit.

    Not if the player was here since. After a mail, until the next visit, only what decides games.
    """
    visited, mailed = contact.visited_at, contact.mailed_at
    if visited is not None and visited > notice.created_at:
        return False
    had_mail = mailed is not None and (visited is None or mailed > visited)
    return not had_mail or bool(notice.tries) or kinds()[notice.event].decides


def record(context: Context, sent: Sequence[Outgoing], outcome: Outcome) -> bool:
    """Store the outcome, and when to try again, in a transaction; return whether anything is given up."""
    now, good, given_up = context.now(), outcome.error is None, False
    attempt = {"at": timestamp(now), "status": outcome.status, "error": outcome.error}
    done = [(each, each.after(attempt, now, good=good, final=outcome.final)) for each in sent]
    ours = outbox.record(context.session, done)
    for before, after in done:
        if before.id not in ours:  # another worker has sent it meanwhile
            continue
        again = after.next_at is not None
        how = metrics.DELIVERED if good else metrics.FAILED if again else metrics.GIVEN_UP
        metrics.sent.labels(before.channel, how).inc()
        if not good:
            then = "is tried again" if again else "is given up"
            log.warning("%s was not delivered and %s: %s", before.channel, then, outcome.error)
            given_up = given_up or not again
    return given_up
