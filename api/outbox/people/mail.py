"""Mails: their text, and sending them to the mail server."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Sequence
from datetime import datetime, timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import referee
from api.core.config import Settings
from api.core.json import loads
from api.outbox import notifications as n
from api.outbox.people import links
from api.outbox.people.contacts import CONFIRMATION, CONFIRMED_WITHIN
from api.outbox.people.preferences import DAILY, UNTIL_VISIT, Preferences
from api.store.outbox.contacts import Contact
from api.store.outbox.notices import Notice

TIMEOUT = 20.0  # seconds for each step of the conversation with the mail server
LOOPBACK = ("localhost", "127.0.0.1", "::1")
WORDS = {
    n.REVEAL_DUE: "{game} can be dealt once you have revealed your entropy{until}.",
    n.TURN_BEGAN: "It is your turn in {game}{until}.",
    n.TURN_WARNING: "Your time in {game} is nearly over{until}.",
    n.TURN_NUDGED: "You are asked to move in {game}.",
    n.DEADLINE_MOVED: "There is now more time in {game}{until}.",
    n.TURN_TIMED_OUT: "You ran out of time in {game}.",
    n.ORDERS_CANCELLED: "Your orders in {game} could not be played and were cancelled.",
    n.GAME_STARTED: "{game} has begun.",
    n.GAME_FINISHED: "{game} is over.",
    n.GAME_CANCELLED: "{game} was called off.",
    n.SEAT_RESIGNED: "A player has resigned in {game}.",
    n.TAKE_BACK_REQUESTED: "A player asks to take a move back in {game}.",
    n.REPLACEMENT_AGREED: "A player wants somebody else to take over a seat in {game}.",
    n.PAUSE_AGREED: "A player would like a pause in {game}.",
    n.GAME_PAUSED: "{game} is paused.",
    n.GAME_RESUMED: "The pause in {game} is over.",
    n.VACATION_TAKEN: "A player in {game} has gone on vacation.",
    n.MESSAGE_POSTED: "There is a new message in {game}.",
}
HOW_OFTEN = {
    UNTIL_VISIT: "Until your next visit, you will get no other mail except warnings.",
    DAILY: "You get at most one such mail a day, in addition to warnings.",
}


class Outcome(NamedTuple):
    """The result of a mail: the mail server's status, if it answered, and the error.

    `final`: another attempt is useless. `no_mailbox`: the address does not exist.
    """

    status: int | None
    error: str | None = None
    final: bool = False
    no_mailbox: bool = False


def name_of(ruleset: str, title: str | None) -> str:
    """Return the name of a game.

    For a ruleset that is no longer installed, this is its id, so that notices of other games can be read.
    """
    try:
        name = referee.find(ruleset).NAME
    except referee.Malformed:
        name = ruleset
    words = " ".join((title or "").split())
    return f"{name} “{words}”" if words else name


def line(payload: dict[str, Any], wanted: Preferences, *, until: bool = True) -> str:
    """Return a notice as a sentence, with or without the deadline."""
    data = payload["data"]
    game = name_of(data["ruleset"], data.get("title")) if data.get("ruleset") else "a game"
    deadline = data.get("deadline")
    limit = f", until {wanted.local(datetime.fromisoformat(deadline))}" if deadline and until else ""
    return WORDS[payload["type"]].format(game=game, until=limit)


def compose(
    settings: Settings, contact: Contact, name: str, notices: Sequence[Notice], now: datetime
) -> EmailMessage:
    """Return the mail with these notices for a player, or the one that asks to confirm its address."""
    message = EmailMessage(policy=SMTP)
    message["From"] = settings.mail_from
    message["To"] = Address(addr_spec=contact.email or "")
    message["Date"] = format_datetime(now)
    host = urlsplit(settings.public_url).hostname or "localhost"
    message["Message-ID"] = f"<{notices[0].id}@{host}>"  # the same at every attempt
    message["Auto-Submitted"] = "auto-generated"
    if notices[0].event == CONFIRMATION:
        message["Subject"] = "Confirm your address"
        message.set_content(_confirmation(settings, contact, name, now))
        return message
    wanted = Preferences.of(contact)
    stop = f"{settings.public_url}/mail/unsubscribe/{links.make(contact, links.UNSUBSCRIBE)}"
    message["List-Unsubscribe"] = f"<{stop}>"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    payloads = [loads(notice.payload) for notice in notices]
    lines = [(line(each, wanted), notice.game_id) for each, notice in zip(payloads, notices, strict=True)]
    lines = list(dict.fromkeys(lines))
    only = line(payloads[0], wanted, until=False).removesuffix(".")
    message["Subject"] = only if len(lines) == 1 else f"{len(lines)} events at your tables"
    parts = [f"{words}\n{settings.public_url}/table/{game}" if game else words for words, game in lines]
    often = HOW_OFTEN.get(wanted.frequency)
    end = [f"-- \n{often}" if often else "-- ", f"Stop all mail about your games: {stop}"]
    message.set_content("\n\n".join([f"Hello {name},", *parts, "\n".join(end)]) + "\n")
    return message


def _confirmation(settings: Settings, contact: Contact, name: str, now: datetime) -> str:
    link = links.make(contact, links.CONFIRM, now + CONFIRMED_WITHIN)
    return (
        f"Hello {name},\n\nto get mail about your games at this address, open\n\n"
        f"{settings.public_url}/mail/confirm/{link}\n\n"
        f"within {CONFIRMED_WITHIN // timedelta(days=1)} days. If you did not ask for this, do nothing:"
        " you will get no other mail.\n"
    )


def send(settings: Settings, message: EmailMessage) -> Outcome:
    """Send a mail to the mail server. The reason of a failure contains no address."""
    if not settings.smtp_url:
        return Outcome(None, "SMTP_URL is not set")
    try:
        with _connected(settings) as server:
            server.send_message(message)
        return Outcome(250)
    except smtplib.SMTPRecipientsRefused as refused:
        status = max(code for code, _ in refused.recipients.values())
        final = status >= 500
        return Outcome(status, "the mail server refused the recipient", final, final)
    except smtplib.SMTPAuthenticationError as refused:
        return Outcome(refused.smtp_code, "the mail server refused the password")
    except smtplib.SMTPResponseException as refused:
        final = refused.smtp_code >= 500 and isinstance(refused, smtplib.SMTPDataError)
        return Outcome(refused.smtp_code, "the mail server refused the mail", final)
    except (smtplib.SMTPException, OSError, ValueError) as error:
        return Outcome(None, f"the mail server cannot be used: {type(error).__name__}")


def _connected(settings: Settings) -> smtplib.SMTP:
    address = urlsplit(settings.smtp_url)
    host = address.hostname or ""
    trust = ssl.create_default_context()
    if address.scheme == "smtps":
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, address.port or 465, timeout=TIMEOUT, context=trust)
    else:
        server = smtplib.SMTP(host, address.port or 587, timeout=TIMEOUT)
    try:
        server.ehlo()
        encrypted = address.scheme == "smtps"
        if not encrypted and host not in LOOPBACK and server.has_extn("starttls"):
            server.starttls(context=trust)
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
