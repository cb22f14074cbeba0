"""The rules as texts: package data in Markdown, each rule on a line with its id."""

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

COMMON = {
    "common.finished": "Once a game has a result no move is made any more.",
    "common.turn": "A seat acts when the game waits for it, or when the rules let it act out of turn.",
    "common.unknown_move": "A move is an object with a type that the present phase knows, all fields of "
    "that type, each of its kind, and nothing else. An integer has no fraction and no exponent.",
    "common.not_held": "A card is played from where it is: a seat cannot use one that is not there.",
}

_RULE = re.compile(r"^- `([a-z_]+\.[a-z0-9_]+)`( \(refuses\))? — (.+)$", re.MULTILINE)


class Rule(NamedTuple):
    """A rule: its id, what it says (Markdown), and whether a verdict can cite it."""

    id: str
    text: str
    refuses: bool


@cache
def rules_text(ruleset: str, version: int = 1) -> str:
    """Give the rules of a ruleset as Markdown. Raises FileNotFoundError for an unknown one."""
    name = ruleset if version == 1 else f"{ruleset}-{version}"
    return (files("referee") / "rules" / f"{name}.md").read_text("utf-8")


@cache
def rules(ruleset: str, version: int = 1) -> tuple[Rule, ...]:
    """List the rules of a ruleset, the common ones first, in the order of the text."""
    common = [Rule(name, text, True) for name, text in COMMON.items()]
    own = [Rule(name, text, bool(mark)) for name, mark, text in _RULE.findall(rules_text(ruleset, version))]
    return (*common, *own)
