"""Sends queued notices to players: at least once, with growing pauses after failures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from api.core.context import Context, timestamp
from api.core.json import loads, stored
from api.outbox.deliveries import KEPT_ATTEMPTS, KEPT_FOR, PAUSES
from api.outbox.outbound import Answer
from api.outbox.people import mail, push
from api.outbox.people.contacts import CONFIRMATION
from api.outbox.people.mail import Outcome
from api.outbox.people.preferences import OF_TURNS, UNTIL_VISIT, Preferences
from api.store.outbox import contacts, notices
from api.store.outbox import push as push_store
from api.store.outbox.contacts import Contact
from api.store.outbox.notices import MAIL, PUSH, Notice

LEASE = timedelta(seconds=120)  # a mail server has 20 seconds for each step of a conversation


def send_next(context: Context) -> bool:
    """Send what is due to the player who has waited longest, by mail or push; return whether anything was."""
    return mail_next(context) or push_next(context)


def mail_next(context: Context) -> bool:
    """Send one mail with all that is due to the player who has waited longest; return whether one was due."""
    now = context.now()
    with context.session.transaction():
        claimed = notices.claim(context.session, MAIL, now, now + LEASE)
        if not claimed:
            return False
        contact = contacts.get(context.session, claimed[0].player_id)
        sent = _needed(context, contact, claimed)
        _hold_others(context, claimed, sent)
        if not sent or contact is None:
            return True
        notices.note_try(context.session, [notice.id for notice in sent])
        if Preferences.of(contact).frequency == UNTIL_VISIT and any(not each.urgent for each in sent):
            contacts.note_mailed(context.session, contact.player_id, now)
        name = contacts.name_of(context.session, contact.player_id)
    message = mail.compose(context.settings, contact, name, sent, now)
    context.session.close()  # no database connection is held while waiting for the mail server
    outcome = mail.send(context.settings, message)
    with context.session.transaction():
        _note(context, sent, outcome)
        if outcome.no_mailbox:
            contacts.note_refused(context.session, contact.player_id, context.now())
    return True


def push_next(context: Context) -> bool:
    """Send what is due to each browser of the player who has waited longest; return whether anything was."""
    now = context.now()
    with context.session.transaction():
        claimed = notices.claim(context.session, PUSH, now, now + LEASE)
        if not claimed:
            return False
        contact = contacts.get(context.session, claimed[0].player_id)
        assert contact is not None  # the contact's row was locked when the notices were claimed
        sent = _still_true(context, claimed)
        _hold_others(context, claimed, sent)
        there = push_store.of_player(context.session, claimed[0].player_id)
    context.session.close()
    for notice in sent:
        answers = list(zip(there, push.send(context, contact, there, notice), strict=True))
        gone = [to for to, answer in answers if answer.status in push.GONE]
        there = [to for to in there if to not in gone]
        with context.session.transaction():
            for to in gone:
                push_store.delete(context.session, to.player_id, to.id)
            _note(context, [notice], _best([answer for _, answer in answers]))
    return True


def _best(answers: Sequence[Answer]) -> Outcome:
    """Return the best outcome, because the player reads one of the browsers."""
    for answer in answers:
        if answer.good:
            return Outcome(answer.status)
    for answer in answers:
        if answer.status not in push.GONE:
            error = f"the push service answered {answer.status or 'nothing'}"
            return Outcome(answer.status, error, final=answer.status in push.NEVER)
    return Outcome(answers[0].status if answers else None, "no browser accepts messages any more", final=True)


def _hold_others(context: Context, claimed: Sequence[Notice], sent: Sequence[Notice]) -> None:
    needed = {notice.id for notice in sent}
    held = [notice.id for notice in claimed if notice.id not in needed]
    if held:
        notices.keep(context.session, held, next_at=None, held=True)


def _needed(context: Context, contact: Contact | None, claimed: Sequence[Notice]) -> list[Notice]:
    """Return the notices to mail together; one that asks to confirm an address is sent separately."""
    if contact is None or contact.email is None or contact.refused_at is not None:
        return []
    claimed = [notice for notice in claimed if not notice.held]  # given up during an attempt
    asking = [notice for notice in claimed if notice.event == CONFIRMATION]
    if asking or contact.confirmed_at is None:
        return asking[-1:]
    mailed = contact.mailed_at is not None and Preferences.of(contact).frequency == UNTIL_VISIT
    wanted = [notice for notice in claimed if notice.urgent or notice.tries or not mailed]
    return _still_true(context, wanted)


def _still_true(context: Context, claimed: Sequence[Notice]) -> list[Notice]:
    """Return the notices that are still true: those of a turn only while it lasts, with its deadline."""
    turns = notices.turns(context.session, claimed[0].player_id) if claimed else {}
    found = []
    for notice in claimed:
        if notice.event in OF_TURNS:
            payload = loads(notice.payload)
            data = payload["data"]
            turn = turns.get((notice.game_id, data["seat"])) if notice.game_id else None
            if turn is None or datetime.fromisoformat(payload["timestamp"]) < turn.since:
                continue  # the turn is over, even if another turn of the seat has begun
            if "deadline" in data:
                data["deadline"] = turn.deadline and timestamp(turn.deadline)
                notice = notice._replace(payload=stored(payload))
        found.append(notice)
    return found


def _note(context: Context, sent: Sequence[Notice], outcome: Outcome) -> None:
    """Store the outcome, and when to try again; in a transaction."""
    now = context.now()
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
        notices.keep(context.session, [notice.id], **changes)


def _next_try(tries: int, now: datetime) -> datetime | None:
    return now + PAUSES[tries] if tries < len(PAUSES) else None


def prune(context: Context) -> int:
    """Delete old notices; return how many."""
    return notices.prune(context.session, context.now() - KEPT_FOR)
