"""The table of features in ARCHITECTURE.md: what each declares that it is for, its size, what it needs."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from api.feature import Feature
from api.features import load_features

PAGE = Path(__file__).parents[2] / "ARCHITECTURE.md"
TABLE = re.compile(r"(<!-- features: make generate -->\n).*?(<!-- end -->)", re.DOTALL)
STEP = 50  # lines, so that the table changes seldom


def page(text: str) -> str:
    """Return ARCHITECTURE.md with the table of all features."""
    rows = ["| folder | what it is for | lines | needs |", "| --- | --- | --- | --- |"]
    rows += [_row(feature) for feature in load_features().chosen]
    return TABLE.sub(lambda found: found[1] + "\n".join([*rows, ""]) + found[2], text)


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
