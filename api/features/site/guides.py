"""The guides: Markdown of the folder `docs`, rendered by the server next to the reference."""

from __future__ import annotations

import re
import sys
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from flask import Blueprint, Response, abort, request, send_file

from api.core import VERSION
from api.core.release import release
from api.features.site.pages import page
from api.features.site.rendering import anchor, render
from api.http.admission import costs

blueprint = Blueprint("guides", __name__)

PLACES = (Path(str(files("api"))).parent / "docs", Path(sys.prefix) / "share/card-referee/docs")
"""Beside the sources, or where an installation keeps them."""
GAMES = sorted({f"games/{file.stem}" for place in PLACES for file in place.glob("reference/games/*.md")})
# Each shelf is a folder. Guides stand in the order of their readers: who builds an app, who runs a server,
# who checks matches, who studies games. Each page leads to the next one; the last part of its address is the
# name of the file, wherever that stands.
SHELVES = {
    "start": (
        *("first-game", "play-by-post-as-a-player", "verify-a-match", "run-a-server"),
        *("your-own-game", "train-a-bot"),
    ),
    "guides": (
        *("players-and-data", "accounts", "lobby", "embedding", "front-end", "webhooks", "feeds"),
        *("searching", "retries", "test-clocks", "play-by-post", "going-live"),
        *("from-boardgame-io", "from-lichess", "deployment", "runbook", "citus"),
        *("audit", "library", "analyse-records"),
    ),
    "reference": (
        *(
            "api",
            "settings",
            "notices",
            "log-format",
            "attacks",
            "library-reference",
            "versioning",
            "changes",
        ),
        *GAMES,
    ),
    "explanation": ("concepts", "trust", "duplicate-rounds", "scaling"),
}
GUIDES = tuple(name for names in SHELVES.values() for name in names)
MOST_WORDS, MOST_FOUND = 8, 50  # of a search
DATA = {"log-format", "log-vectors"}
TEMPLATES = {"embedding"}  # this guide contains the server's address, and has its own route


@cache
def guides() -> dict[str, str]:
    """Return the titles of the existing guides, by name."""
    titles = {name: _text(name).partition("\n")[0].removeprefix("# ") for name in GUIDES}
    return {name: title for name, title in titles.items() if title}


def shelves() -> dict[str, dict[str, str]]:
    """Return the titles of the guides of each shelf, by name."""
    return {
        shelf: {name: guides()[name] for name in names if name in guides()}
        for shelf, names in SHELVES.items()
    }


@blueprint.get("/docs/games/<game>")
def game(game: str) -> Response:
    """Show the page of a game."""
    return guide(f"games/{game}")


@blueprint.get("/docs/<name>.json")
def data(name: str) -> Response:
    """Send the data that belongs to a guide."""
    path = file_of(f"{name}.json") if name in DATA else None
    return abort(404) if path is None else send_file(path)


@blueprint.get("/docs/<guide>")
def guide(guide: str) -> Response:
    """Show a guide."""
    if guide not in guides() or guide in TEMPLATES:
        abort(404)
    return show(guide, guides()[guide], _text(guide))


def show(guide: str, title: str, text: str) -> Response:
    """Show a guide's Markdown, and the way to the next one."""
    following = next(iter([*guides().items()][[*guides()].index(guide) + 1 :]), None)
    return framed("docs/text.html", guide, title=title, text=render(text), following=following)


def framed(template: str, current: str = "", **values: Any) -> Response:
    """Return a page with the side bar, in which `current` is marked, and the field to search the guides."""
    return page(template, forms=True, **side_bar(current), **values)


def side_bar(current: str) -> dict[str, Any]:
    """Return what the side bar of the documentation shows."""
    return {"shelves": shelves(), "current": current, "release": release(), "version": VERSION}


class FoundSection(NamedTuple):
    """A part of a guide that was searched for: where it is, what it is called, and a line of it."""

    address: str
    title: str
    line: str


@blueprint.get("/docs/search")
@costs(4)
def search() -> Response:
    """Show the sections of guides that have all words of `q`."""
    query = request.args.get("q", "")[:100]
    return framed(
        "docs/search.html",
        wanted=query,
        found=_sections(tuple(query.lower().split()[:MOST_WORDS])),
    )


@lru_cache(256)
def _sections(words: tuple[str, ...]) -> list[FoundSection]:
    """Return the first sections with all these words, those with the words in the title before others."""
    found = [part for part in _parts() if words and all(word in part.searched for word in words)]
    found.sort(key=lambda part: not all(word in part.title.lower() for word in words))
    return [FoundSection(part.address, part.title, part.line_with(words[0])) for part in found[:MOST_FOUND]]


class GuideSection(NamedTuple):
    """A section of a guide as it is searched, in lower case."""

    address: str
    title: str
    lines: list[str]
    searched: str

    def line_with(self, word: str) -> str:
        """Return the beginning of the first line with a word, or nothing."""
        line = next((line for line in self.lines if word in line.lower()), "")
        return line.strip("#-| ")[:200]


@cache
def _parts() -> list[GuideSection]:
    """Return the sections of all guides."""
    parts = []
    for name, title in guides().items():
        for part in re.split(r"^(?=##+ )", _text(name), flags=re.MULTILINE):
            heading = part.partition("\n")[0].lstrip("# ")
            place = "" if heading == title else f"#{anchor(heading)}"
            shown = title if heading == title else f"{title}: {heading}"
            searched = f"{title} {part}".lower()
            parts.append(GuideSection(f"/docs/{name}{place}", shown, part.splitlines()[1:], searched))
    return parts


@cache
def _text(name: str) -> str:
    if name in TEMPLATES:
        return "# A table in your own page"
    path = file_of(f"{name}.md")
    sources = (
        r"\[([^\]]*)\]\(" + re.escape("../" * (2 + name.count("/"))) + r"[^)]*\)"
    )  # files that are not served
    return "" if path is None else re.sub(sources, r"\1", path.read_text("utf-8"))


def file_of(name: str) -> Path | None:
    """Return the file of a guide, or of its data; None if there is none."""
    paths = (place / shelf / name for place in PLACES for shelf in SHELVES)
    return next((path for path in paths if path.is_file()), None)
