"""What a mail shows, read back by a parser: its parts, the links, and every card that it names."""

from __future__ import annotations

import re
from collections import Counter
from email.message import EmailMessage
from html.parser import HTMLParser
from typing import Any

from api.features.mail import drawn as tables


class Shown(HTMLParser):
    """Collects the text of a page, the addresses to which it links, and everything that it would load."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.links, self.loads = "", list[str](), list[str]()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.text += "\n"
        if tag == "a":
            self.links.append(given["href"])
        loading = tag in ("img", "link", "script", "iframe", "form", "style", "object", "video", "base")
        if loading or {"src", "srcset", "background"} & {*given} or "url(" in given.get("style", ""):
            self.loads.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def part(mail: EmailMessage, kind: str = "plain") -> str:
    """Return the text of a mail, or its page (`html`)."""
    body = mail.get_body((kind,))
    assert body is not None
    return str(body.get_content())


def rows(text: str) -> list[str]:
    """Return the lines of the table and of the moves."""
    return [line.strip() for line in text.splitlines() if line.startswith("  ")]


def cards_in(text: str, rules: tables.RulesetWords) -> Counter[str]:
    """Return how often a text names each card, the longest names first."""
    names = sorted(set(rules.cards.values()), key=len, reverse=True)
    found = re.findall("|".join(rf"(?<![\w’]){re.escape(name)}(?!\w)(?! cards?\b)" for name in names), text)
    return Counter(found)


def shown_cards(value: Any) -> set[str]:
    """Return every text in an answer of the API; those that are cards are cards that the caller sees."""
    if isinstance(value, dict):
        return {text for inner in value.values() for text in shown_cards(inner)}
    if isinstance(value, list):
        return {text for inner in value for text in shown_cards(inner)}
    return {value} if isinstance(value, str) else set()
