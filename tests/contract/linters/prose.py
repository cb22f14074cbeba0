"""Check the English of documents, docstrings of public names and texts of problems: `make lint`.

proselint's own checks and the rules of CONTRIBUTING.md ("Style") that a pattern can find.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from proselint.checks import __register__ as standard
from proselint.config import Config, load_from
from proselint.registry import CheckRegistry
from proselint.registry.checks import Check
from proselint.registry.checks.engine import Fancy, RegexOptions
from proselint.registry.checks.types import PreferredForms
from proselint.tools import LintFile

from api.core.errors import ProblemType
from api.features import load_features
from api.http.problem_types import types

ROOT = Path(__file__).parents[3]
DOCUMENTS = (
    "*.md",
    "docs/**/*.md",
    "clients/*/README.md",
    "examples/**/*.md",
    "bench/*.md",
    "tests/README.md",
)
GENERATED = ("docs/reference/games", "docs/reference/changes.md", "docs/reference/dependencies.md")
CODE = ("api", "referee", "witness")
# Quotes in code and names of people need neither curly quotes nor accents; a number may follow a dash.
OFF = (
    "typography",
    "annotations",
    "spelling",
    "dates_times",
    "misc.preferred_forms",
    "weasel_words",
    "archaism",
)
OURS = {
    r"[Oo]nly who": "only someone who",
    r"[Aa]n own": "their own, its own",
    r"[Ss]hall": "must, will",
    r"(?:is|are) to be": "must be",
    r"(?:refused|answered) with (?:a )?[45]\d\d": "gets 4xx",
    r"anew": "again",
    r"by hand of": "by",
    r"without more": "(leave it out)",
    r"(?:stands|stood) (?:in|beside|at|there|where)": "is in, is beside",
    r"(?<=[.;] )Who \w+s": "Whoever, someone who",
    r"(?:do|does|did) not (?:\w+ )?any more": "no longer",
    r"what concerns": "about, for",
    r"in the following": "below",
    r"respectively": "(say each)",
    r"by whomever": "by anybody",
    r"(?<=, )which there (?:is|are)": "(leave it out)",
    r"from which on": "since, when",
    r"nothing any ?more": "no longer … anything",
    r"(?:as|so) much as possible": "(say how much)",
    r"makes? use of": "use",
    r"(?:is|are) able to": "can",
    r"the same goes for": "also",
}
"""Patterns of what readers stumbled over, each with what to write instead."""
FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2$", re.MULTILINE | re.DOTALL)
NO_PROSE = (FENCE, re.compile(r"`[^`\n]*`"), re.compile(r"\]\([^)\n]*\)"), re.compile(r"^#.*$", re.MULTILINE))


class Fault(NamedTuple):
    """A passage that readers would stumble over."""

    where: str
    line: int
    what: str


def ours() -> Check:
    """Return the check of our own patterns."""
    return Check(
        check_type=PreferredForms(OURS),
        engine=Fancy(RegexOptions(case_insensitive=False)),
        path="card_referee.style",
        message="Write '{}' instead of '{}'.",
    )


def config() -> Config:
    """Return which checks are made."""
    usual = load_from()
    chosen = {**dict.fromkeys(OFF, False), "card_referee": True}  # the first that fits counts
    return {
        **usual,
        "checks": chosen | {name: on for name, on in usual["checks"].items() if name not in chosen},
    }


def faults(where: str, text: str) -> Iterator[Fault]:
    """Yield the faults of a text."""
    for pattern in NO_PROSE:
        text = pattern.sub(lambda found: re.sub(r"\S", "\u00b7", found[0]), text)
    for found in LintFile(where, content=text).lint(config()):
        yield Fault(where, found.pos[0], found.check_result.message)


def texts() -> Iterator[tuple[str, str]]:
    """Yield the texts that people read, each with where it is."""
    for pattern in DOCUMENTS:
        for path in sorted(ROOT.glob(pattern)):
            name = str(path.relative_to(ROOT))
            if not name.startswith(GENERATED) and "node_modules" not in name:
                yield name, path.read_text("utf-8")
    for folder in CODE:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield from _docstrings(path)
    for kind in types(load_features()).values():
        yield f"problem {kind.slug}", _words(kind)


def _words(kind: ProblemType) -> str:
    return f"{kind.title}. {kind.about}"


def _docstrings(path: Path) -> Iterator[tuple[str, str]]:
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (
            said := ast.get_docstring(node)
        ):
            name = getattr(node, "name", "")
            if not name.startswith("_"):
                yield f"{path.relative_to(ROOT)} {name}".rstrip(), said


def main() -> None:
    """Print the faults of all texts; fail if there are any."""
    CheckRegistry().register_many((*standard, ours()))
    found = [fault for where, text in texts() for fault in faults(where, text)]
    for fault in found:
        print(f"{fault.where}:{fault.line}: {fault.what}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
