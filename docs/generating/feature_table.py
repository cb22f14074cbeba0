"""The tables of ARCHITECTURE.md and of docs/explanation/architecture.md, from what the code says of itself.

Features declare what they are for and what they need; a folder's or module's docstring says what is in it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from api.feature import Feature
from api.features import load_features

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "ARCHITECTURE.md"
TABLE = r"(<!-- {}: make generate -->\n).*?(<!-- end -->)"
STEP = 50  # lines, so that the table changes seldom


def page(text: str) -> str:
    """Return ARCHITECTURE.md with the tables of all features and of the parts of the service."""
    rows = ["| folder | what it is for | lines | needs |", "| --- | --- | --- | --- |"]
    rows += [_row(feature) for feature in load_features().chosen]
    return parts(_filled(text, "features", rows), "api")


def parts(text: str, package: str) -> str:
    """Return a page with the table of a package's folders and modules."""
    rows = [f"| in `{package}` | what it has |", "| --- | --- |", *_parts(ROOT / package)]
    return _filled(text, f"parts of {package}", rows)


def _parts(folder: Path) -> Iterator[str]:
    for path in sorted(folder.iterdir()):
        file = path / "__init__.py" if path.is_dir() else path
        if file.suffix == ".py" and file.is_file() and path.name != "__init__.py":
            about = (ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "").splitlines()[0]
            yield f"| `{path.name}` | {about} |"


def _filled(text: str, name: str, rows: list[str]) -> str:
    place = re.compile(TABLE.format(name), re.DOTALL)
    return place.sub(lambda found: found[1] + "\n".join([*rows, ""]) + found[2], text)


def _row(feature: Feature) -> str:
    module = import_module(f"api.features.{feature.name}")
    assert module.__doc__ is not None
    assert module.__file__ is not None
    about = module.__doc__.splitlines()[0].rstrip(".")
    lines, needs = _lines(Path(module.__file__).parent), ", ".join(feature.needs)
    return f"| `{feature.name}` | {about} | {lines} | {needs} |"


def _lines(folder: Path) -> int:
    """Return about how many lines of Python a folder has that are not blank."""
    texts = (file.read_text("utf-8") for file in folder.glob("*.py"))
    count = sum(bool(line.strip()) for text in texts for line in text.splitlines())
    return max(1, round(count / STEP)) * STEP
