"""The guides and the pages of games as static files: `make site` writes them into build/site.

They are rendered as by the service. Files of the project that a page leads to are copied as texts.
"""

import re
import shutil
import sys
from html import escape
from pathlib import Path

from api.features.site.docs import EMBEDDING, EXAMPLE
from api.features.site.guides import TEMPLATES, file_of, guides
from api.features.site.rendering import render

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
STYLES = [ROOT / "api/web/styles" / name for name in ("host.css", "style.css")]
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Card Referee</title>
<link rel="stylesheet" href="{up}host.css">
<link rel="stylesheet" href="{up}style.css">
</head>
<body>
<header class="site"><nav aria-label="Site">
<a class="home" href="{up}index.html">Card Referee</a>
</nav></header>
<main id="content">
{text}
</main>
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
    listed = [f'<li><a href="/docs/{name}">{escape(title)}</a></li>' for name, title in guides().items()]
    _write(folder, "index", "Guides", f"<h1>Guides</h1>\n<ul>{''.join(listed)}</ul>")
    for (name, title), following in zip(guides().items(), [*guides(), None][1:], strict=True):
        text = str(render(_text(name)))
        if following:
            text += f'<p class="next">Next: <a href="/docs/{following}">{escape(guides()[following])}</a></p>'
        _write(folder, name, title, text)


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

    page = PAGE.format(title=escape(title), up=up, text=LINK.sub(way, text))
    (folder / f"{name}.html").write_text(page, "utf-8")


if __name__ == "__main__":
    build(Path(sys.argv[1]))
