"""The reference for people: the API's calls, the problem types, the rules of every game by their ids."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from flask import Blueprint, Response, abort, request
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

import referee
from api.http.problems import TYPES, ProblemType
from api.routes.site.pages import page

blueprint = Blueprint("docs", __name__)
markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
is_rule = re.compile(r"[a-z_]+\.[a-z0-9_]+").fullmatch


@blueprint.get("/docs")
def reference() -> Response:
    """Show the API reference."""
    return page("docs.html")


@blueprint.get("/docs/embedding")
def embedding() -> Response:
    """Explain how to put a table into somebody else's page."""
    return page("embedding.html", address=request.host_url.rstrip("/"))


@blueprint.get("/docs/problems")
def problems() -> Response:
    """List every problem type."""
    return page("problems.html", heading="Problem types", problems=[_show(kind) for kind in TYPES.values()])


@blueprint.get("/docs/problems/<slug>")
@blueprint.get("/problems/<slug>")
def problem(slug: str) -> Response:
    """Show one problem type, at its `type` URI too."""
    if slug not in TYPES:
        abort(404)
    return page("problems.html", heading=TYPES[slug].title, problems=[_show(TYPES[slug])])


@blueprint.get("/docs/rules")
def games() -> Response:
    """List the games."""
    return page("rules_index.html", games=referee.newest())


@blueprint.get("/docs/rules/<ruleset>")
def rules(ruleset: str) -> Response:
    """Show a game's rules, each at the anchor of its id, and those common to all."""
    game = next((game for game in referee.newest() if ruleset == game.ID), None)
    if game is None:
        abort(404)
    return page("rules.html", game=game, text=render(referee.rules_text(game.ID, game.VERSION)))


def _show(kind: ProblemType) -> dict[str, Any]:
    return {**kind._asdict(), "text": render(kind.about)}


def render(text: str) -> Markup:
    """Render Markdown. An item that begins with a rule id is its anchor; every mention links there."""
    tokens = markdown.parse(text)
    anchors = set()
    for item, inline in zip(tokens, islice(tokens, 2, None), strict=False):
        first = inline.children[0] if inline.children else None
        if item.type == "list_item_open" and first and first.type == "code_inline" and is_rule(first.content):
            item.attrSet("id", first.content)
            anchors.add(first.content)
    for token in tokens:
        if token.children:
            token.children = [part for child in token.children for part in _linked(child, anchors)]
    # Markup: what the text holds of HTML was escaped by the renderer.
    return Markup(markdown.renderer.render(tokens, markdown.options, {}))


def _linked(token: Token, anchors: set[str]) -> list[Token]:
    if token.type != "code_inline" or token.content not in anchors:
        return [token]
    return [Token("link_open", "a", 1, {"href": f"#{token.content}"}), token, Token("link_close", "a", -1)]
