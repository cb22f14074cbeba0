"""The guides and the pages of games as static files: `make site` writes them into build/site.

They are rendered as by the service. Files of the project that a page leads to are copied as texts.
"""

import re
import shutil
import sys
from html import escape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from api.features.site.docs import DOORS, EMBEDDING, EXAMPLE
from api.features.site.guides import TEMPLATES, file_of, guides, side_bar
from api.features.site.rendering import render

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
WEB = ROOT / "api/web"
STYLES = [WEB / "styles" / name for name in ("host.css", "style.css", "docs.css")]
TEMPLATES_OF_DOCS = Environment(loader=FileSystemLoader(WEB / "templates"), autoescape=True)
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Card Referee</title>
<link rel="stylesheet" href="{up}host.css">
<link rel="stylesheet" href="{up}style.css">
<link rel="stylesheet" href="{up}docs.css">
</head>
<body>
<header class="site"><nav aria-label="Site">
<a class="home" href="{up}index.html">Card Referee</a>
</nav></header>
<div class="documents">
<div class="find"><a href="#pages">All pages</a></div>
<main id="content">
{text}
</main>
{pages}
</div>
</body>
</html>
"""
LINK = re.compile(r'href="(/docs/|(?:\.\./)*)([^":#]*)(#[^"]*)?"')


def build(folder: Path) -> None:
    """Write the site into a folder, which is emptied."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "games").mkdir(parents=True)
    for file in [*STYLES, *DOCS.glob("reference/*.json")]:
        shutil.copy(file, folder)
    _write(folder, "index", "Documentation", _doors())
    for (name, title), following in zip(guides().items(), [*guides(), None][1:], strict=True):
        text = str(render(_text(name)))
        if following:
            text += f'<p class="next">Next: <a href="/docs/{following}">{escape(guides()[following])}</a></p>'
        _write(folder, name, title, text)


def _doors() -> str:
    """Return what readers want to do, with the guides to begin with."""
    listed = [
        f"<li><strong>{aim}</strong>"
        + "".join(f'<a href="/docs/{name}">{escape(guides()[name])}</a>' for name in names)
        + "</li>"
        for aim, names in DOORS
    ]
    return f'<h1>I want to …</h1>\n<ul class="doors">{"".join(listed)}</ul>'


def _text(name: str) -> str:
    if name in TEMPLATES:
        return EMBEDDING.read_text("utf-8").replace("{address}", EXAMPLE)
    found = file_of(f"{name}.md")
    return found.read_text("utf-8") if found else ""


def _write(folder: Path, name: str, title: str, text: str) -> None:
    up = "../" * name.count("/")

    def way(link: re.Match[str]) -> str:
        start, place, anchor = link[1], link[2], link[3] or ""
        if start.startswith("../"):
            copy = folder / f"sources/{place}.txt"
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / place, copy)
            return f'href="{up}sources/{place}.txt"'
        if place in guides():
            return f'href="{up}{place}.html{anchor}"'
        if place.endswith(".json"):
            return f'href="{up}{place}"'
        return link[0]

    bar = side_bar("docs" if name == "index" else name)
    pages = TEMPLATES_OF_DOCS.get_template("docs/pages.html").render(bar)
    pages = LINK.sub(way, pages).replace('href="/docs"', f'href="{up}index.html"')
    page = PAGE.format(title=escape(title), up=up, text=LINK.sub(way, text), pages=pages)
    (folder / f"{name}.html").write_text(page, "utf-8")


if __name__ == "__main__":
    build(Path(sys.argv[1]))
