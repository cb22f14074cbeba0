"""The rules' texts: package data in Markdown, each rule in a list item with its id."""

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from referee.games import find, versions

COMMON = {
    "common.finished": "Once a game has a result no move is made any more.",
    "common.turn": "A seat acts when the game waits for it, or when the rules let it act out of turn.",
    "common.unknown_move": "A move is an object with a type that the present phase knows, all fields of "
    "that type, each of its kind, and nothing else. An integer has no fraction and no exponent.",
    "common.not_held": "A card is played from where it is: a seat cannot use one that is not there.",
}

# A list item, including the indented lines below it.
_RULE = re.compile(r"^- `([a-z_]+\.[a-z0-9_]+)`( \(refuses\))? — (.+(?:\n  .+)*)$", re.MULTILINE)

# Added after each game's own rules, so that readers find every id that a verdict can cite.
_COMMON_TEXT = "\n".join(
    (
        "",
        "## Common to every game",
        "",
        "These are looked at in this order, before the game's own.",
        "",
        *(f"- `{name}` (refuses) — {text}" for name, text in COMMON.items()),
        "",
    )
)


class Rule(NamedTuple):
    """A rule: its id, its text (Markdown), and whether a verdict can cite it."""

    id: str
    text: str
    refuses: bool


@cache
def rules_text(ruleset: str, version: int = 1) -> str:
    """Return the rules of a ruleset as Markdown, its own and the common ones.

    Raises FileNotFoundError for an unknown ruleset.
    """
    name = ruleset if version == 1 else f"{ruleset}-{version}"
    return (files(_package(ruleset, version)) / "rules" / f"{name}.md").read_text("utf-8") + _COMMON_TEXT


def _package(ruleset: str, version: int) -> str:
    """Return the package that contains a ruleset's text: the referee's, or the ruleset's own."""
    if version not in versions(ruleset):
        return "referee"
    package: str = getattr(find(ruleset, version), "__package__", "referee")
    return "referee" if package == "referee.games" else package


@cache
def rules(ruleset: str, version: int = 1) -> tuple[Rule, ...]:
    """Return the rules of a ruleset, the common ones first, in the order of the text."""
    items = _RULE.findall(rules_text(ruleset, version))
    found = [Rule(name, " ".join(text.split()), bool(mark)) for name, mark, text in items]
    return tuple(sorted(found, key=lambda rule: rule.id not in COMMON))
