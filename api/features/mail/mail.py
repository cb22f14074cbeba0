"""Sending mails to the mail server."""

from __future__ import annotations

import re
import smtplib
import ssl
from contextlib import suppress
from email.message import EmailMessage
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from api.context import Context
from api.core.config import Settings
from api.core.metrics import Dependency
from api.feature import Failed

TIMEOUT = 20.0  # seconds for each step of the conversation with the mail server
# RFC 3463 and RFC 7505: no such mailbox, host or syntax of a mailbox; moved without a new address; a domain
# that accepts no mail.
NO_MAILBOX = ("5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10")
SERVER = Dependency("mail server")
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Outcome(NamedTuple):
    """The result of a mail: the mail server's status, if it answered, and the error.

    `final`: another attempt is useless. `no_mailbox`: the address does not exist.
    """

    status: int | None
    error: str | None = None
    final: bool = False
    no_mailbox: bool = False


def send(settings: Settings, message: EmailMessage) -> Outcome:
    """Send a mail. The reason of a failure contains no address."""
    if not settings.smtp_url:
        return Outcome(None, "SMTP_URL is not set")
    try:
        with _connected(settings) as server:
            SERVER.worked()
            server.send_message(message)
        return Outcome(250)
    except smtplib.SMTPRecipientsRefused as refused:
        (answer,) = refused.recipients.values()
        return _refused("recipient", *answer)
    except smtplib.SMTPDataError as refused:
        return _refused("mail", refused.smtp_code, refused.smtp_error)
    except smtplib.SMTPAuthenticationError as refused:
        return _unusable(refused.smtp_code, "the mail server refused the password")
    except smtplib.SMTPResponseException as refused:
        return Outcome(refused.smtp_code, "the mail server refused the mail")
    except (smtplib.SMTPException, OSError, ValueError) as error:
        return _unusable(None, f"the mail server cannot be used: {type(error).__name__}", f": {error}")


def check(settings: Settings) -> str | None:
    """Return that the mail server can be used. Raises Failed, also if none is set up."""
    missing = [name for name in ("smtp_url", "mail_from", "public_url") if not getattr(settings, name)]
    if missing:
        names = ", ".join(name.upper() for name in missing)
        raise Failed(f"Nobody gets mail: {names} not set. Without mail, leave the feature out (FEATURES).")
    try:
        with _connected(settings):
            return "answers"
    except smtplib.SMTPAuthenticationError:
        raise Failed("The mail server refused the password.") from None
    except (smtplib.SMTPException, OSError, ValueError) as error:
        raise Failed(f"The mail server cannot be used: {error}.") from None


def notice_recovery(context: Context) -> None:
    """Note when the mail server works again, also if no mail is due for hours."""
    if SERVER.reason:
        with suppress(Failed):
            check(context.settings)
            SERVER.worked()


def _unusable(status: int | None, error: str, more: str = "") -> Outcome:
    """Return the outcome of a failure that is not about this mail; the log gets `more` of it."""
    SERVER.failed(error + more)
    return Outcome(status, error)


def _refused(what: str, status: int, said: bytes | str) -> Outcome:
    """Return the outcome of a refusal, with the enhanced status code (RFC 3463) if there is one.

    Only a code that says so means that there is no such mailbox. A policy, a full mailbox or an answer
    without such a code may be different at the next attempt.
    """
    text = said.decode("ascii", "replace") if isinstance(said, bytes) else said
    match = re.match(r"[245][.]\d{1,3}[.]\d{1,3}(?!\d)", text)
    code = match[0] if match else None
    none = status >= 500 and code in NO_MAILBOX
    return Outcome(status, f"the mail server refused the {what}{f' ({code})' if code else ''}", none, none)


def _connected(settings: Settings) -> smtplib.SMTP:
    address = urlsplit(settings.smtp_url)
    host = address.hostname or ""
    trusting = ssl.create_default_context  # it reads all certificates of the system: 20 ms
    if address.scheme == "smtps":
        port = address.port or 465
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=TIMEOUT, context=trusting())
    else:
        server = smtplib.SMTP(host, address.port or 587, timeout=TIMEOUT)
    try:
        server.ehlo()
        encrypted = address.scheme == "smtps"
        if not encrypted and host not in LOOPBACK and server.has_extn("starttls"):
            server.starttls(context=trusting())
            server.ehlo()
            encrypted = True
        if address.username:
            if not encrypted and host not in LOOPBACK:
                raise ValueError("no password without encryption")
            server.login(unquote(address.username), unquote(address.password or ""))
    except BaseException:
        server.close()
        raise
    return server
