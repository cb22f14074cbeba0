"""Mails: their text, and sending them to the mail server."""

from __future__ import annotations

import hashlib
import re
import smtplib
import ssl
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from uuid import UUID

from api.context import Context
from api.core import metrics
from api.core.config import Settings
from api.core.json import loads
from api.core.names import ascii_form
from api.feature import Failed
from api.features.mail import links
from api.features.mail.contacts import CONFIRMATION, CONFIRMED_WITHIN
from api.features.mail.letters import Letter, Section, as_html, as_text
from api.features.mail.outbox import Reach
from api.features.mail.phrases import mark, translate
from api.features.mail.preferences import DAILY, UNTIL_VISIT, Preferences
from api.features.mail.queue import MAIL, PlayerNotice
from api.features.mail.store import Contact
from api.features.mail.words import line, plain, subject
from api.games import events as n

TIMEOUT = 20.0  # seconds for each step of the conversation with the mail server
# RFC 3463 and RFC 7505: no such mailbox, host or syntax of a mailbox; moved without a new address; a domain
# that accepts no mail.
NO_MAILBOX = ("5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10")
LOOPBACK = ("localhost", "127.0.0.1", "::1")
SAYS_MORE = {n.GAME_STARTED: n.TURN_BEGAN, n.TURN_BEGAN: n.TURN_WARNING, n.SEAT_RESIGNED: n.GAME_FINISHED}
"""Events of which nothing is left to say if a mail reports another one of the same game."""
HOW_OFTEN = {
    UNTIL_VISIT: mark("Until your next visit, you will get mail only about turns, seats and results."),
    DAILY: mark("You get at most one such mail a day, in addition to warnings."),
}


class Outcome(NamedTuple):
    """The result of a mail: the mail server's status, if it answered, and the error.

    `final`: another attempt is useless. `no_mailbox`: the address does not exist.
    """

    status: int | None
    error: str | None = None
    final: bool = False
    no_mailbox: bool = False


def reach(context: Context, people: Sequence[Contact]) -> Reach:
    """Return to which of these players mail is sent, and when."""
    return Reach(MAIL, {each.player_id for each in people if each.has_mail}, Preferences.mail_at)


def compose(
    settings: Settings,
    contact: Contact,
    name: str,
    notices: Sequence[PlayerNotice],
    recaps: Mapping[UUID | None, Section],
    now: datetime,
    bounces: str | None = None,
) -> EmailMessage:
    """Return the mail with these notices for a player, or the one that asks to confirm its address.

    It comes back to the address `bounces`.
    """
    message = EmailMessage(policy=SMTP)
    message["From"] = settings.mail_from
    message["To"] = Address(addr_spec=ascii_form(contact.email or ""))
    message["Date"] = format_datetime(now)
    host = urlsplit(settings.public_url).hostname or "localhost"
    message["Auto-Submitted"] = "auto-generated"
    if notices[0].event == CONFIRMATION:
        message["Subject"] = translate("Confirm your address")
        text = _confirmation(settings, contact, now)
        message["Message-ID"] = _id(notices[0], text, host)
        message.set_content(text)
        return message
    games = {notice.game_id for notice in notices}
    if len(games) == 1 and None not in games:  # mail programs show mails with a common reference as a thread
        message["References"] = message["In-Reply-To"] = f"<game.{games.pop()}@{host}>"
    preferences = Preferences.of(contact)
    stop = f"{settings.public_url}/mail/unsubscribe/{links.make(contact, links.UNSUBSCRIBE)}"
    if bounces:
        message["CFBL-Address"] = f"{bounces}; report=arf"  # where complaints go (RFC 9477)
    message["List-Unsubscribe"] = f"<{stop}>"
    manage = f"{settings.public_url}/mail/manage/{links.make(contact, links.MANAGE)}"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message["Subject"] = subject([loads(notice.payload) for notice in notices], preferences)
    often = HOW_OFTEN.get(preferences.frequency)
    letter = Letter(
        translate("Hello {name},", name=plain(name)),
        _sections(settings, preferences, notices, recaps),
        [translate(often)] if often else [],
        [
            (translate("Choose which mail you get"), manage),
            (translate("Stop all mail about your games"), stop),
        ],
    )
    text = as_text(letter)
    message["Message-ID"] = _id(notices[0], text, host)
    message.set_content(text)
    message.add_alternative(as_html(letter), subtype="html")
    return message


def _id(first: PlayerNotice, text: str, host: str) -> str:
    """Return a Message-ID, the same for another attempt if it has the same text.

    A mail program shows only one of two mails with the same id.
    """
    return f"<{hashlib.sha256(first.id.bytes + text.encode()).hexdigest()[:32]}@{host}>"


def _sections(
    settings: Settings,
    preferences: Preferences,
    notices: Sequence[PlayerNotice],
    recaps: Mapping[UUID | None, Section],
) -> list[Section]:
    """Return what there is to say, game by game; a game's news come together, each once."""
    events = {(notice.game_id, notice.event) for notice in notices}
    news: dict[UUID | None, dict[str, None]] = {}
    for notice in notices:
        if (notice.game_id, SAYS_MORE.get(notice.event)) not in events:
            news.setdefault(notice.game_id, {})[line(loads(notice.payload), preferences)] = None
    sections = []
    for game, lines in news.items():
        recap, link = recaps.get(game, Section()), f"{settings.public_url}/table/{game}" if game else None
        sections.append(recap._replace(news=[*lines, *recap.news], link=link))
    return sections


def _confirmation(settings: Settings, contact: Contact, now: datetime) -> str:
    """Return a text in which nothing was chosen by whoever asked: it may be sent to a stranger."""
    link = links.make(contact, links.CONFIRM, now + CONFIRMED_WITHIN)
    asked = translate("somebody has asked for mail about card games at this address. To get it, open")
    within = translate("within {days} days.", days=CONFIRMED_WITHIN // timedelta(days=1))
    nothing = translate("If you did not ask for this, do nothing: you will get no other mail.")
    address = f"{settings.public_url}/mail/confirm/{link}"
    hello = translate("Hello,")
    return f"{hello}\n\n{asked}\n\n{address}\n\n{within} {nothing}\n"


def send(settings: Settings, message: EmailMessage, bounces: str | None = None) -> Outcome:
    """Send a mail that comes back to the address `bounces`. The reason of a failure contains no address."""
    if not settings.smtp_url:
        return Outcome(None, "SMTP_URL is not set")
    try:
        with _connected(settings) as server:
            metrics.MAIL.worked()
            server.send_message(message, from_addr=bounces)
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
    """Return that the mail server can be used, None without one. Raises Failed."""
    if not settings.smtp_url:
        return None
    try:
        with _connected(settings):
            return "answers"
    except smtplib.SMTPAuthenticationError:
        raise Failed("The mail server refused the password.") from None
    except (smtplib.SMTPException, OSError, ValueError) as error:
        raise Failed(f"The mail server cannot be used: {error}.") from None


def notice_recovery(context: Context) -> None:
    """Note when the mail server works again, also if no mail is due for hours."""
    if metrics.MAIL.reason:
        with suppress(Failed):
            check(context.settings)
            metrics.MAIL.worked()


def _unusable(status: int | None, error: str, more: str = "") -> Outcome:
    """Return the outcome of a failure that is not about this mail; the log gets `more` of it."""
    metrics.MAIL.failed(error + more)
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
