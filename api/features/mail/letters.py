"""Mails to players: their headers, and their parts as text and as HTML."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from html import escape
from typing import NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

from api.core.config import Settings
from api.core.names import ascii_form
from api.features.mail import links
from api.features.mail.contacts import CONFIRMED_WITHIN
from api.features.mail.kinds import CONFIRMATION
from api.features.mail.phrases import mark, spoken, translate
from api.features.mail.preferences import UNTIL_VISIT
from api.features.mail.store import Contact
from api.features.mail.words import line, plain, subject
from api.features.notices import events as n
from api.features.notices.outbox import Outgoing

OPENED_WITHIN = timedelta(days=30)  # how long a link to a table is valid
SINCE, TABLE, OPEN = mark("Since your last move:"), mark("The table:"), mark("Open the table")
STYLE = "font: 16px/1.5 system-ui, sans-serif; max-width: 36em; margin: 0 auto; padding: 1em"
HEAD = '<!doctype html>\n<html lang="{language}"><meta charset="utf-8">'
SAYS_MORE = {n.GAME_STARTED: n.TURN_BEGAN, n.TURN_BEGAN: n.TURN_WARNING, n.GAME_RESIGNED: n.GAME_FINISHED}
"""Events of which nothing is left to say if a mail reports another one of the same game."""
UNTIL_THEN = mark("Until your next visit, you will get mail only about turns, seats and results.")


class Section(NamedTuple):
    """What a mail says of one game: the news, the moves, the table (a line for each thing), and the link."""

    news: Sequence[str] = ()
    moves: Sequence[str] = ()
    table: Sequence[str] = ()
    link: str = ""


class Link(NamedTuple):
    """A line that is a link: its words, and where it leads."""

    words: str
    address: str


Paragraph = Sequence[str | Link]


def paragraphs(section: Section) -> list[Paragraph]:
    """Return what a mail says of one game, in paragraphs of lines."""
    titled = ((SINCE, section.moves), (TABLE, section.table))
    parts = [[translate(title), *(f"  {line}" for line in lines)] for title, lines in titled if lines]
    return [section.news, *parts, *([[Link(translate(OPEN), section.link)]] if section.link else [])]


def as_text(letter: Sequence[Paragraph]) -> str:
    """Return a mail as text."""
    shown = [
        [line if isinstance(line, str) else f"{line.words}: {line.address}" for line in p] for p in letter
    ]
    return "\n\n".join("\n".join(lines) for lines in shown) + "\n"


def as_html(letter: Sequence[Paragraph]) -> str:
    """Return the same as a page that loads nothing."""
    body = "\n".join(f"<p>{'<br>'.join(map(_html, paragraph))}</p>" for paragraph in letter)
    return f'{HEAD.format(language=spoken())}<body style="{STYLE}">\n{body}\n</body></html>\n'


def _html(line: str | Link) -> str:
    if isinstance(line, str):
        return f"<bdi>{escape(line)}</bdi>"
    return f'<a href="{escape(line.address)}">{escape(line.words)}</a>'


def begin(settings: Settings, address: str, now: datetime) -> EmailMessage:
    """Return an empty mail to an address."""
    message = EmailMessage(policy=SMTP)
    message["From"] = settings.mail_from
    message["To"] = Address(addr_spec=ascii_form(address))
    message["Date"] = format_datetime(now)
    return message


def compose(
    settings: Settings,
    contact: Contact,
    name: str,
    notices: Sequence[Outgoing],
    recaps: Mapping[UUID | None, Section],
    now: datetime,
) -> EmailMessage:
    """Return the mail with these notices for a player, or the one that asks to confirm its address."""
    message = begin(settings, contact.email or "", now)
    host = urlsplit(settings.public_url).hostname or "localhost"
    message["Auto-Submitted"] = "auto-generated"
    if notices[0].event == CONFIRMATION:
        message["Subject"] = translate("Confirm your address")
        text = _confirmation(settings, contact, now)
        message["Message-ID"] = _id(notices[0], text, host)
        message.set_content(text)
        return message
    games = {notice.game_id for notice in notices}
    if len(games) == 1:  # mail programs show mails with a common reference as a thread
        message["References"] = message["In-Reply-To"] = f"<game.{games.pop()}@{host}>"
    preferences = contact.preferences
    stop = f"{settings.public_url}/mail/unsubscribe/{links.make(contact, links.UNSUBSCRIBE)}"
    message["List-Unsubscribe"] = f"<{stop}>"
    manage = f"{settings.public_url}/mail/manage/{links.make(contact, links.MANAGE)}"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message["Subject"] = subject([notice.payload for notice in notices], preferences)
    sections = _sections(settings, contact, notices, recaps)
    often = [translate(UNTIL_THEN)] if preferences.frequency == UNTIL_VISIT else []
    letter: list[Paragraph] = [
        [translate("Hello {name},", name=plain(name))],
        *(paragraph for section in sections for paragraph in paragraphs(section)),
        [
            "-- ",
            *often,
            Link(translate("Choose which mail you get"), manage),
            Link(translate("Stop all mail about your games"), stop),
        ],
    ]
    text = as_text(letter)
    message["Message-ID"] = _id(notices[0], text, host)
    message.set_content(text)
    message.add_alternative(as_html(letter), subtype="html")
    return message


def _id(first: Outgoing, text: str, host: str) -> str:
    """Return a Message-ID, the same for another attempt if it has the same text.

    A mail program shows only one of two mails with the same id.
    """
    return f"<{hashlib.sha256(first.id.bytes + text.encode()).hexdigest()[:32]}@{host}>"


def _sections(
    settings: Settings,
    contact: Contact,
    notices: Sequence[Outgoing],
    recaps: Mapping[UUID | None, Section],
) -> list[Section]:
    """Return what there is to say, game by game; a game's news come together, each once.

    The link of a game opens the player's own seat on any device; its secret is in the fragment, which no
    server sees. A game in which somebody else has the seat now gets no link.
    """
    preferences, until = contact.preferences, max(each.created_at for each in notices) + OPENED_WITHIN
    events = {(notice.game_id, notice.event) for notice in notices}
    news: dict[UUID | None, dict[str, None]] = {}
    for notice in notices:
        if (notice.game_id, SAYS_MORE.get(notice.event)) not in events:
            news.setdefault(notice.game_id, {})[line(notice.payload, preferences)] = None
    sections = []
    replaced = [notice for notice in notices if notice.event == n.GAME_REPLACED]
    lost = {notice.game_id for notice in replaced if notice.payload["now"].get("former")}
    for game, lines in news.items():
        recap, secret = recaps.get(game, Section()), links.make(contact, links.to_game(game), until)
        link = f"{settings.public_url}/table/{game}#mail={secret}"
        sections.append(recap._replace(news=[*lines, *recap.news], link="" if game in lost else link))
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
