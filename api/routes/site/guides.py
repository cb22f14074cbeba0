"""The guides: Markdown of the folder `docs`, rendered by the server next to the reference."""

from __future__ import annotations

import sys
from functools import cache
from importlib.resources import files
from pathlib import Path

from flask import Blueprint, Response, abort

from api.routes.site.pages import page
from api.routes.site.rendering import render

blueprint = Blueprint("guides", __name__)

# In reading order; the file and the address have the same name.
GUIDES = (
    "first-game",
    "webhooks",
    "notices",
    "feeds",
    "searching",
    "lobby",
    "play-by-post",
    "retries",
    "test-clocks",
    "accounts",
    "players-and-data",
    "audit",
    "embedding",
    "library",
    "deployment",
    "scaling",
    "citus",
    "versioning",
    "changes",
    "trust",
    "log-format",
    "settings",
)
TEMPLATES = {"embedding"}  # this guide contains the server's address, and has its own route
PLACES = (Path(str(files("api"))).parent / "docs", Path(sys.prefix) / "share/card-referee/docs")
"""Beside the sources, or where an installation keeps them."""


def guides() -> dict[str, str]:
    """Return the titles of the existing guides, by name."""
    found = {name: _text(name).partition("\n")[0].removeprefix("# ") for name in GUIDES}
    return {name: title for name, title in found.items() if title}


@blueprint.get("/docs/<guide>")
def guide(guide: str) -> Response:
    """Show a guide."""
    if guide not in guides() or guide in TEMPLATES:
        abort(404)
    return page("docs/text.html", title=guides()[guide], text=render(_text(guide)))


@cache
def _text(name: str) -> str:
    if name in TEMPLATES:
        return "# A table in your own page"
    path = next((place / f"{name}.md" for place in PLACES if (place / f"{name}.md").is_file()), None)
    return "" if path is None else path.read_text("utf-8")
