"""The reference as pages: the API's calls, the problem types, and the rules of every game by their ids."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, abort

import referee
import referee.texts
from api.core.errors import ProblemType
from api.core.json import dumps, loads
from api.core.languages import ENGLISH
from api.features.site.guides import framed, guides, show
from api.features.site.pages import kept_json, page
from api.features.site.rendering import render
from api.http.language import of_page
from api.http.problem_types import types
from api.http.site import this_site

blueprint = Blueprint("docs", __name__)
EMBEDDING = Path(__file__).with_name("embedding.md")
DOORS = (
    ("build an app", ("first-game", "api", "front-end", "webhooks", "going-live")),
    ("play", ("play-by-post-as-a-player", "accounts")),
    ("check a match", ("verify-a-match", "audit", "trust", "log-format")),
    ("run a server", ("run-a-server", "deployment", "runbook")),
    ("write a game or a bot", ("your-own-game", "train-a-bot", "library")),
)
"""What readers want to do, and the guides to begin with."""
TIP = re.compile(r"^- `[a-z_]+` — .*\n?", re.MULTILINE)  # of a guide: what a table says at a move
HEADING = re.compile(r"^# .*\n")
EXAMPLE = "https://referee.example"  # without PUBLIC_URL; the Host header is the caller's choice


@blueprint.get("/docs")
def reference() -> Response:
    """Show the doors to the guides, and the API reference."""
    return framed("docs/docs.html", "docs", doors=DOORS, titles=guides())


@blueprint.get("/docs/embedding")
def embedding() -> Response:
    """Explain how to embed a table in another page."""
    address = this_site().settings.public_url or EXAMPLE
    text = EMBEDDING.read_text("utf-8").replace("{address}", address)
    return show("embedding", "Embedding", text)


@blueprint.get("/docs/problems")
def problems() -> Response:
    """List every problem type."""
    return framed("docs/problems.html", heading="Problem types", problems=[*map(_show, _types().values())])


@blueprint.get("/docs/problems/<slug>")
@blueprint.get("/problems/<slug>")
def problem(slug: str) -> Response:
    """Show one problem type; this is also the address in `type`."""
    kind = _types().get(slug)
    if kind is None:
        abort(404)
    return framed("docs/problems.html", heading=kind.title, problems=[_show(kind)])


@blueprint.get("/docs/rules")
def games() -> Response:
    """List the games, each with what it is like in a sentence or two."""
    language = of_page()
    games = [
        (
            game,
            referee.texts.name(game, language),
            referee.texts.guide(game.ID, game.VERSION, language).summary,
        )
        for game in referee.newest()
    ]
    return page("docs/rules_index.html", games=games)


@blueprint.get("/docs/rules/<ruleset>")
def rules(ruleset: str) -> Response:
    """Show a game's rules, with an anchor for each id, and the rules common to all games."""
    game = next((game for game in referee.newest() if ruleset == game.ID), None)
    if game is None:
        abort(404)
    guided = referee.texts.guide_languages(game.ID, game.VERSION)
    wanted = of_page(guided)
    text = referee.rules_text(game.ID, game.VERSION, wanted)
    spoken = ENGLISH if text == referee.rules_text(game.ID, game.VERSION) else wanted
    guide = referee.texts.guide(game.ID, game.VERSION, wanted)
    return page(
        "docs/rules.html",
        game=game,
        name=referee.texts.name(game, of_page()),
        summary=render(guide.summary),
        how=render(TIP.sub("", guide.how_to_play)),
        guided=wanted if wanted in guided else ENGLISH,
        text=render(HEADING.sub("", text)),
        spoken=spoken,
        guides=guides(),
    )


@blueprint.get("/docs/rules/<ruleset>/hand.json")
def hand(ruleset: str) -> Response:
    """Serve the sample hand of a game."""
    found = _hands().get(ruleset)
    if found is None:
        abort(404)
    return kept_json(dumps(found))


@cache
def _hands() -> dict[str, Any]:
    hands: dict[str, Any] = loads(Path(__file__).with_name("hands.json").read_text("utf-8"))
    return hands


def _types() -> dict[str, ProblemType]:
    return types(this_site().features)


def _show(kind: ProblemType) -> dict[str, Any]:
    return {**kind._asdict(), "text": render(kind.about)}
