"""Mails with a link to sign in: sent by the worker, which alone knows the code in them."""

from __future__ import annotations

import base64
import hmac
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
TYPED_WITHIN = timedelta(minutes=10)  # how long the code that can be typed instead is valid
DIGITS = 6
CODE_BYTES = 24
LEASE = timedelta(seconds=120)  # a mail server has 20 seconds for each step of a conversation
PAUSES = tuple(timedelta(seconds=seconds) for seconds in (5, 30, 120, 300))  # between attempts
KEPT = timedelta(days=1)  # after a link has expired


def digest(code: str) -> bytes:
    """Return the stored hash of a code."""
    return sha256(code.encode("utf-8", "replace")).digest()


def typed_digest(context: Context, code: str) -> bytes:
    """Return the stored hash of a code that can be typed: keyed, because there are only a million of them."""
    return hmac.digest(context.session.secret, f"typed {code}".encode(), "sha256")


def send_due(context: Context) -> None:
    """Send every link that is due."""
    while send_next(context):
        pass


def send_next(context: Context) -> bool:
    """Send the link that has been due longest; return whether there was one."""
    now = context.now()
    code = base64.urlsafe_b64encode(context.random_bytes(CODE_BYTES)).decode()
    typed = f"{int.from_bytes(context.random_bytes(8)) % 10**DIGITS:0{DIGITS}}"
    hashes = digest(code), typed_digest(context, typed)
    with context.session.transaction():
        asked = store.claim(context.session, *hashes, now + TYPED_WITHIN, now, now + LEASE)
    if asked is None:
        return False
    message = compose(context.settings, asked, code, typed, now)
    context.session.close()  # no database connection is held while waiting for the mail server
    outcome = mail.send(context.settings, message)
    sent = metrics.DELIVERED if outcome.error is None else metrics.FAILED
    metrics.sent.labels("sign_in", sent).inc()
    again = outcome.error is not None and not outcome.final and asked.tries <= len(PAUSES)
    store.plan(context.session, asked.id, now + PAUSES[asked.tries - 1] if again else None)
    return True


def compose(settings: Settings, asked: SignIn, code: str, typed: str, now: datetime) -> EmailMessage:
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
        nothing = translate("If it was not you, do nothing: without this mail nobody can sign in.")
        hello = translate("Hello,")
        instead = translate(
            "Or type this code within {minutes} minutes on the page where you asked for the link, and nowhere"
            " else:",
            minutes=TYPED_WITHIN // timedelta(minutes=1),
        )
        message.set_content(
            f"{hello}\n\n{reason} {opened}\n\n{link}\n\n{within}\n\n{instead}\n\n{typed}\n\n{nothing}\n"
        )
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
