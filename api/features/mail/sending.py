"""Sends queued notices to players: at least once, with growing pauses after failures.

Several players get mail at once, and each player one mail after another.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

from api.context import Context
from api.core import metrics
from api.core.json import loads, stored
from api.feature import Due
from api.features.mail import bounces, mail, present, push, recaps
from api.features.mail import store_contacts as contacts
from api.features.mail import store_notices as notices
from api.features.mail import store_push as push_store
from api.features.mail.contacts import CONFIRMATION
from api.features.mail.mail import Outcome
from api.features.mail.phrases import speaking
from api.features.mail.preferences import ALWAYS, UNTIL_VISIT, Preferences
from api.features.mail.store_contacts import Contact
from api.features.mail.store_notices import MAIL, PUSH, QueuedNotice
from api.features.notices.outbound import Reply
from api.games import events
from api.games.events import Subject
from referee.clocks import timestamp

KEPT_ATTEMPTS = 20
log = logging.getLogger("card_referee.jobs")

PAUSES = [*map(timedelta, (0,) * 8, (5, 30, 300, 1800, 7200, 18_000, 36_000, 50_400))]  # 31 hours altogether
LEASE = timedelta(seconds=120)  # a mail server has 20 seconds for each step of a conversation
CONNECTIONS = 8  # to the mail server: a slow one delays few others, and many servers allow no more


class Claim(NamedTuple):
    """All that is due to one player on one channel, claimed until `lease`."""

    channel: str
    player_id: UUID
    lease: datetime

    def send(self, context: Context) -> None:
        """Send what is still claimed, and store the outcome."""
        send = _send_mail if self.channel == MAIL else _send_pushes
        send(context, self)


def next_job(context: Context, channel: str, busy: Collection[UUID] = ()) -> Claim | None:
    """Claim what is due to the player who has waited longest and is not busy; return None if nothing is."""
    now = context.now()
    lease = now + LEASE
    with context.session.transaction():
        player_id = notices.claim(context.session, channel, now, lease, busy)
    return Claim(channel, player_id, lease) if player_id else None


def send_next(context: Context) -> bool:
    """Send what is due to the player who has waited longest, by mail or push; return whether anything was."""
    job = next_job(context, MAIL) or next_job(context, PUSH)
    if job is not None:
        job.send(context)
    return job is not None


class Sender:
    """Sends the notices of one channel to several players at once, whenever it is woken."""

    def __init__(self, channel: str, new_context: Callable[[], AbstractContextManager[Context]]) -> None:
        self.due: Due | None = Due(
            channel, f"notices WHERE channel = '{channel}' AND next_at <= now()", "next_at"
        )
        self._channel = channel
        self._new_context = new_context
        self._busy: set[UUID] = set()
        self._lock = threading.Lock()
        self._woken = threading.Event()
        self._stopping = False

    def run(self) -> None:
        """Send what is due until `stop`; then finish the current jobs and return."""
        with ThreadPoolExecutor(CONNECTIONS, self._channel) as pool:
            while True:
                self._woken.clear()
                if self._stopping:  # asked only now, or the wake-up of `stop` might just have been cleared
                    break
                job = self._claim()
                if job is None:
                    self._woken.wait()
                else:
                    pool.submit(self._send, job)

    def hear(self, app: UUID | None) -> None:
        """Look at the queue now, if something was queued."""
        if app is None:
            self.wake()

    def wake(self) -> None:
        """Look at the queue now; may be called from any thread."""
        self._woken.set()

    def stop(self) -> None:
        """Claim nothing more; may be called from any thread."""
        self._stopping = True
        self.wake()

    def _claim(self) -> Claim | None:
        with self._lock:
            busy = list(self._busy)
        if len(busy) >= CONNECTIONS:
            return None
        job = None
        with _reported(), self._new_context() as context:
            job = next_job(context, self._channel, busy)
        if job is not None:
            with self._lock:
                self._busy.add(job.player_id)
        return job

    def _send(self, job: Claim) -> None:
        """Send a job. After an error, it is sent again when its lease is over."""
        try:
            with _reported(), self._new_context() as context:
                job.send(context)
        finally:
            with self._lock:
                self._busy.discard(job.player_id)
            self.wake()


@contextmanager
def _reported() -> Iterator[None]:
    """Log errors, which must not end the thread."""
    try:
        yield
    except psycopg.OperationalError as error:
        log.warning("the database does not answer: %s", type(error).__name__)
    except Exception:
        log.exception("a notice could not be sent")


def _send_mail(context: Context, job: Claim) -> None:
    """Send one mail with everything that is claimed for a player."""
    now = context.now()
    with context.session.transaction():
        contact = contacts.get(context.session, job.player_id, lock=True)
        claimed = notices.claimed(context.session, job.player_id, MAIL, job.lease)
        sent = _needed(context, contact, claimed, now)
        _hold_others(context, claimed, sent)
        if not sent or contact is None:
            return
        notices.note_try(context.session, [notice.id for notice in sent])
        if Preferences.of(contact).frequency == UNTIL_VISIT and any(not each.urgent for each in sent):
            contacts.note_mailed(context.session, contact.player_id, now)
        name = contacts.name_of(context.session, contact.player_id)
        games = {notice.game_id for notice in sent if notice.game_id is not None}
        language = Preferences.of(contact).language
        with speaking(language):
            told = recaps.of_games(context.session, contact.player_id, games)
    returns = bounces.sender(context.settings, contact)
    with speaking(language):
        message = mail.compose(context.settings, contact, name, sent, told, now, returns)
    context.session.close()  # no database connection is held while waiting for the mail server
    outcome = mail.send(context.settings, message, returns)
    with context.session.transaction():
        if outcome.no_mailbox:
            contacts.note_refused(context.session, contact.player_id, context.now())
        if _note(context, sent, outcome):
            _report(context, contact, outcome)


def _report(context: Context, contact: Contact, outcome: Outcome) -> None:
    """Notify the app that a player's mail could not be delivered."""
    if contacts.get(context.session, contact.player_id) is None:
        return  # deleted meanwhile
    failed = events.of_failed_mail(
        contact.player_id, outcome.status, outcome.error, disabled=outcome.no_mailbox
    )
    events.posted(context, Subject(contact.app_id), [failed], context.now())


def _send_pushes(context: Context, job: Claim) -> None:
    """Send what is claimed for a player to each of its browsers."""
    with context.session.transaction():
        contact = contacts.get(context.session, job.player_id, lock=True)
        claimed = notices.claimed(context.session, job.player_id, PUSH, job.lease)
        if contact is None:
            return  # deleted meanwhile
        due = [notice for notice in claimed if not notice.held]
        sent = present.of_notices(context.session, job.player_id, due, context.now())
        _hold_others(context, claimed, sent)
        there = push_store.of_player(context.session, job.player_id)
    context.session.close()
    for notice in sent:
        answers = list(zip(there, push.send(context, contact, there, notice), strict=True))
        gone = [to for to, answer in answers if answer.status in push.GONE]
        there = [to for to in there if to not in gone]
        with context.session.transaction():
            for to in gone:
                push_store.delete(context.session, to.player_id, to.id)
            _note(context, [notice], _best([answer for _, answer in answers]))


def _best(answers: Sequence[Reply]) -> Outcome:
    """Return the best outcome, because the player reads one of the browsers."""
    for answer in answers:
        if answer.good:
            return Outcome(answer.status)
    for answer in answers:
        if answer.status not in push.GONE:
            error = f"the push service answered {answer.status or 'nothing'}"
            return Outcome(answer.status, error, final=answer.status in push.NEVER)
    return Outcome(answers[0].status if answers else None, "no browser accepts messages any more", final=True)


def _hold_others(context: Context, claimed: Sequence[QueuedNotice], sent: Sequence[QueuedNotice]) -> None:
    needed = {notice.id for notice in sent}
    postponed = [notice.id for notice in claimed if notice.id not in needed]
    if postponed:
        notices.keep(context.session, postponed, next_at=None, held=True)


def _needed(
    context: Context, contact: Contact | None, claimed: Sequence[QueuedNotice], now: datetime
) -> list[QueuedNotice]:
    """Return the notices to mail together; one that asks to confirm an address is sent separately."""
    if contact is None or contact.email is None or contact.refused_at is not None:
        return []
    claimed = [notice for notice in claimed if not notice.held]  # cancelled during an attempt
    asking = [notice for notice in claimed if notice.event == CONFIRMATION]
    if asking or contact.confirmed_at is None:
        return asking[-1:]
    mailed = contact.mailed_at is not None and Preferences.of(contact).frequency == UNTIL_VISIT
    needed = [
        notice for notice in claimed if notice.urgent or notice.tries or not mailed or notice.event in ALWAYS
    ]
    return present.of_notices(context.session, contact.player_id, needed, now)


def _note(context: Context, sent: Sequence[QueuedNotice], outcome: Outcome) -> bool:
    """Store the outcome, and when to try again, in a transaction; return whether anything is given up."""
    now, given_up = context.now(), False
    attempt = {"at": timestamp(now), "status": outcome.status, "error": outcome.error}
    for notice in sent:
        changes: dict[str, Any] = {
            "tries": notice.tries + 1,
            "attempts": stored([*loads(notice.attempts), attempt][-KEPT_ATTEMPTS:]),
            "next_at": None,
        }
        if outcome.error is None:
            changes["delivered_at"] = now
        elif not outcome.final:
            changes["next_at"] = _next_try(notice.tries, now)
        _count(notice.channel, outcome, again=changes["next_at"] is not None)
        given_up = given_up or (outcome.error is not None and changes["next_at"] is None)
        notices.keep(context.session, [notice.id], **changes)
    return given_up


def _count(channel: str, outcome: Outcome, *, again: bool) -> None:
    failed = metrics.FAILED if again else metrics.GIVEN_UP
    metrics.sent.labels(channel, metrics.DELIVERED if outcome.error is None else failed).inc()
    if outcome.error is not None:
        then = "is tried again" if again else "is given up"
        log.warning("%s was not delivered and %s: %s", channel, then, outcome.error)


def _next_try(tries: int, now: datetime) -> datetime | None:
    return now + PAUSES[tries] if tries < len(PAUSES) else None


def prune(context: Context) -> int:
    """Delete old notices; return how many."""
    return notices.prune(context.session, context.now() - timedelta(days=context.settings.delivery_days))
