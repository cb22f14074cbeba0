"""A mail as its parts, and how they are written as text and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from api.features.mail.phrases import mark, spoken, translate

SINCE, TABLE, OPEN = mark("Since your last move:"), mark("The table:"), mark("Open the table")
STYLE = "font: 16px/1.5 system-ui, sans-serif; max-width: 36em; margin: 0 auto; padding: 1em"
HEAD = '<!doctype html>\n<html lang="{language}"><meta charset="utf-8">'
BUTTON = (
    "display: inline-block; padding: .6em 1.2em; border: 1px solid; border-radius: .4em;"
    " text-decoration: none; color: inherit"
)


class Section(NamedTuple):
    """What a mail says of one game: the news, the moves, the table, and the link."""

    news: Sequence[str] = ()
    moves: Sequence[str] = ()
    table: Sequence[tuple[str, str]] = ()
    link: str | None = None


class Letter(NamedTuple):
    """A whole mail; `links` are texts with addresses, after the end."""

    greeting: str
    sections: Sequence[Section]
    end: list[str]
    links: list[tuple[str, str]]


def as_text(letter: Letter) -> str:
    """Return a mail as text."""
    paragraphs = [letter.greeting]
    for section in letter.sections:
        paragraphs.append("\n".join(section.news))
        if section.moves:
            paragraphs.append("\n".join([translate(SINCE), *(f"  {move}" for move in section.moves)]))
        if section.table:
            paragraphs.append("\n".join([translate(TABLE), *(f"  {_row(*row)}" for row in section.table)]))
        if section.link:
            paragraphs.append(section.link)
    end = ["-- ", *letter.end, *(f"{words}: {address}" for words, address in letter.links)]
    return "\n\n".join([*paragraphs, "\n".join(end)]) + "\n"


def _row(label: str, text: str) -> str:
    return f"{label}: {text}" if label else text


def as_html(letter: Letter) -> str:
    """Return a mail as a page that loads nothing."""
    parts = [_paragraph(letter.greeting)]
    for section in letter.sections:
        parts.append("<hr>" if len(letter.sections) > 1 else "")
        parts += [f"<p><b dir=auto>{escape(news)}</b></p>" for news in section.news]
        if section.moves:
            moves = "".join(f"<li dir=auto>{escape(move)}</li>" for move in section.moves)
            parts.append(f"<p>{escape(translate(SINCE))}</p><ul>{moves}</ul>")
        if section.table:
            rows = "".join(_cells(*row) for row in section.table)
            parts.append(f'<table cellpadding="4">{rows}</table>')
        if section.link:
            parts.append(
                f'<p><a href="{escape(section.link)}" style="{BUTTON}">{escape(translate(OPEN))}</a></p>'
            )
    links = " · ".join(f'<a href="{escape(address)}">{escape(words)}</a>' for words, address in letter.links)
    end = "".join(map(_paragraph, letter.end))
    parts.append(f"<hr><small>{end}<p>{links}</p></small>")
    body = "\n".join(filter(None, parts))
    return f'{HEAD.format(language=spoken())}<body style="{STYLE}">\n{body}\n</body></html>\n'


def _paragraph(text: str) -> str:
    return f"<p dir=auto>{escape(text)}</p>"


def _cells(label: str, text: str) -> str:
    if not label:
        return f"<tr><td colspan=2 dir=auto>{escape(text)}</td></tr>"
    head = f'<th align="left" valign="top" dir=auto>{escape(label)}</th>'
    return f"<tr>{head}<td dir=auto>{escape(text)}</td></tr>"
