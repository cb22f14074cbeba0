"""Creates a ruleset to start from: a small trick-taking game, its rules, a scenario and a golden record."""

import importlib
import keyword
import sys
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template

from referee.computer.playout import playout
from referee.engine.jsontext import compact
from referee.engine.registry import find, versions
from referee.engine.verdicts import Malformed
from referee.workshop.declarations import NAME
from referee.workshop.installed import add
from referee.workshop.scenarios import check

SEED = bytes(32)


def write_package(name: str, into: Path) -> list[Path]:
    """Write a separate package into a new folder; return its files.

    Raises Malformed for an invalid name, and if files exist already.
    """
    _check_name(name)
    root = into / name.replace("_", "-")
    written = {
        root / "pyproject.toml": _filled("pyproject.toml", name),
        root / name / "__init__.py": _filled("ruleset.py", name),
        root / name / "rules" / f"{name}.md": _filled("rules.md", name),
        root / "tests" / f"test_{name}.py": _filled("test_ruleset.py", name),
    }
    _write(written)
    sys.path.insert(0, str(root))
    add(importlib.import_module(name))
    return [*written, *_examples(name, root)]


def _check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise Malformed("name", "must be lower-case words joined by underscores, like high_card")
    if keyword.iskeyword(name) or name in sys.stdlib_module_names or find_spec(name) is not None:
        raise Malformed("name", f"must not be that of a Python module, and {name} is one")
    if versions(name):
        raise Malformed("name", f"there is a ruleset {name} already")


def _filled(file: str, name: str) -> str:
    held = {"9D", "KC", "4D", "AS", "2C", "3C", "2D", "3D", "2H", "3H"}
    deck = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]
    return Template((files(__package__) / "template" / f"{file}.txt").read_text("utf-8")).substitute(
        id=name,
        name=name.replace("_", " ").title(),
        distribution=name.replace("_", "-"),
        stock=f"[{', '.join(card for card in deck if card not in held)}]",
        deck=f"[{', '.join(deck)}]",
    )


def _examples(name: str, root: Path) -> list[Path]:
    """Write a scenario, and a record of a random game for each possible ending."""
    scenario = _filled("scenario.yaml", name)
    failed = [outcome for outcome in check(scenario) if outcome.failure]
    assert not failed, failed
    written = {root / "scenarios" / name / "01-following-suit.yaml": scenario}
    reasons = set(find(name).REASONS)
    for number in range(256):
        record = playout(name, 2 + number % 2, {}, bytes([number]) + SEED[1:], 1000)
        reason = record["result"]["reason"]
        if reason in reasons:
            reasons.remove(reason)
            written[root / "records" / name / f"{reason.replace('_', '-')}.json"] = compact(record) + "\n"
    _write(written)
    return list(written)


def _write(files: dict[Path, str]) -> None:
    for path in files:
        if path.exists():
            raise Malformed("folder", f"{path} exists already")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
