"""Markdown as HTML: rules, problems, guides."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
is_rule = re.compile(r"[a-z_]+\.[a-z0-9_]+").fullmatch
SHELF = r"(?:\.\./)*(?:docs/)?(?:(?:start|guides|reference|explanation)/)?"
is_guide = re.compile(rf"{SHELF}((?:games/)?[a-z_-]+)(?:\.md|(\.json))(#.*)?").fullmatch


def anchor(heading: str) -> str:
    """Return the anchor of a heading."""
    return re.sub("[^a-z0-9-]", "", heading.lower().replace(" ", "-"))


@lru_cache(256)
def render(text: str) -> Markup:
    """Render Markdown. A list item that begins with a rule id becomes its anchor; every mention links there.

    The words of a heading become its anchor. A link to the file of a guide, or of its data, leads there.
    """
    tokens = markdown.parse(text)
    anchors = set()
    for item, content, inline in zip(tokens, islice(tokens, 1, None), islice(tokens, 2, None), strict=False):
        first = inline.children[0] if inline.children else None
        if item.type == "list_item_open" and first and first.type == "code_inline" and is_rule(first.content):
            item.attrSet("id", first.content)
            anchors.add(first.content)
        elif item.type == "heading_open":
            item.attrSet("id", anchor(content.content))
    for token in tokens:
        if token.children:
            token.children = [part for child in token.children for part in _linked(child, anchors)]
    # Markup is safe here, because the renderer has escaped all HTML in the text.
    return Markup(markdown.renderer.render(tokens, markdown.options, {}))


def _linked(token: Token, anchors: set[str]) -> list[Token]:
    if token.type == "link_open" and (leads := is_guide(str(token.attrGet("href")))):
        token.attrSet("href", "/docs/" + "".join(part or "" for part in leads.groups()))
    if token.type != "code_inline" or token.content not in anchors:
        return [token]
    return [Token("link_open", "a", 1, {"href": f"#{token.content}"}), token, Token("link_close", "a", -1)]
