"""Rulesets from outside: packages made for a test, as if they were installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.servers.serving import TIMEOUT, environment

ROOT = Path(__file__).parents[2]
HIGH_CARD = ROOT / "tests" / "packages" / "high-card" / "high_card"


def source(*changes: tuple[str, str]) -> str:
    """Return the source of High Card after some changes, each of which must apply."""
    text = (HIGH_CARD / "__init__.py").read_text("utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def install(folder: Path, code: str, rules: str | None = "", name: str = "high_card") -> Path:
    """Write an installed package into a folder, with these rules (None: none, "": High Card's)."""
    module = folder / name
    (module / "rules").mkdir(parents=True, exist_ok=True)
    (module / "__init__.py").write_text(code, "utf-8")
    if rules is not None:
        text = rules or (HIGH_CARD / "rules" / "high_card.md").read_text("utf-8")
        (module / "rules" / f"{name}.md").write_text(text, "utf-8")
    known = folder / f"{name}-1.dist-info"
    known.mkdir(exist_ok=True)
    (known / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n", "utf-8")
    (known / "entry_points.txt").write_text(f"[card_referee.rulesets]\n{name} = {name}\n", "utf-8")
    return folder


def path_with(folder: Path) -> str:
    """Return a PYTHONPATH with which the package of a folder is installed."""
    return f"{folder}{os.pathsep}{ROOT}"


def referee(folder: Path, *words: str, lines: Iterable[Any] = ()) -> subprocess.CompletedProcess[str]:
    """Run the `referee` command with the package of a folder; `lines` are its standard input as JSON."""
    return subprocess.run(
        [sys.executable, "-c", "from referee.cli import main; main()", *words],
        env=environment(PYTHONPATH=path_with(folder)),
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
