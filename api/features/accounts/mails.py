"""Mails with a link to sign in: sent by the worker, which alone knows the code in them."""

from __future__ import annotations

import base64
from datetime import datetime, timedelta
from email.message import EmailMessage
from hashlib import sha256
from urllib.parse import urlsplit

from api.context import Context
from api.core import metrics
from api.core.config import Settings
from api.features.accounts import store
from api.features.accounts.store import SignIn
from api.features.mail import letters, mail
from api.features.mail.phrases import speaking, translate

WITHIN = timedelta(minutes=30)  # how long a link is valid
CODE_BYTES = 24
LEASE = timedelta(seconds=120)  # a mail server has 20 seconds for each step of a conversation
PAUSES = tuple(timedelta(seconds=seconds) for seconds in (5, 30, 120, 300))  # between attempts
KEPT = timedelta(days=1)  # after a link has expired


def digest(code: str) -> bytes:
    """Return the stored hash of a code."""
    return sha256(code.encode("utf-8", "replace")).digest()


def send_due(context: Context) -> None:
    """Send every link that is due."""
    while send_next(context):
        pass


def send_next(context: Context) -> bool:
    """Send the link that has been due longest; return whether there was one."""
    now = context.now()
    code = base64.urlsafe_b64encode(context.random_bytes(CODE_BYTES)).decode()
    with context.session.transaction():
        asked = store.claim(context.session, digest(code), now, now + LEASE)
    if asked is None:
        return False
    message = compose(context.settings, asked, code, now)
    context.session.close()  # no database connection is held while waiting for the mail server
    outcome = mail.send(context.settings, message)
    sent = metrics.DELIVERED if outcome.error is None else metrics.FAILED
    metrics.sent.labels("sign_in", sent).inc()
    again = outcome.error is not None and not outcome.final and asked.tries <= len(PAUSES)
    store.plan(context.session, asked.id, now + PAUSES[asked.tries - 1] if again else None)
    return True


def compose(settings: Settings, asked: SignIn, code: str, now: datetime) -> EmailMessage:
    """Return a mail in which nothing was chosen by whoever asked: it may be sent to a stranger."""
    message = letters.begin(settings, asked.address, now)
    message["Message-ID"] = f"<{asked.id}.{asked.tries}@{urlsplit(settings.public_url).hostname}>"
    message["Auto-Submitted"] = "auto-generated"
    link = f"{settings.public_url}/sign-in#id={asked.id}&code={code}"
    with speaking(asked.language):
        if asked.restores is not None:
            message["Subject"] = translate("Your account has another address now")
            message.set_content(_undoing(asked, link))
            return message
        message["Subject"] = translate("Your link for Card Referee")
        reason = translate(
            "somebody wants to sign in to Card Referee with this address, or to use it for an account."
        )
        opened = translate("If that was you, open")
        within = translate(
            "within {minutes} minutes. The link works once.", minutes=WITHIN // timedelta(minutes=1)
        )
        nothing = translate("If it was not you, do nothing: without this link nobody can sign in.")
        hello = translate("Hello,")
        message.set_content(f"{hello}\n\n{reason} {opened}\n\n{link}\n\n{within} {nothing}\n")
    return message


def _undoing(asked: SignIn, link: str) -> str:
    changed = translate("your account of Card Referee has another address now, and no longer this one.")
    nothing = translate("If you changed it, do nothing.")
    days = (asked.expires_at - asked.created_at).days
    undo = translate(
        "If it was not you, open the link within {days} days. Your account gets this address back, and all"
        " other devices are signed out:",
        days=days,
    )
    hello = translate("Hello,")
    return f"{hello}\n\n{changed} {nothing}\n\n{undo}\n\n{link}\n"


def prune(context: Context) -> int:
    """Delete old requests; return how many."""
    return store.prune(context.session, context.now() - KEPT)
