"""The rules' texts: package data in Markdown, each rule in a list item with its id."""

import json
import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple

from referee.engine.registry import find
from referee.engine.ruleset import Ruleset

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


def text_file(rules: Ruleset[Any]) -> str:
    """Return the name of the file with a ruleset's text, in the folder `rules` of its package."""
    return f"{rules.ID}.md" if rules.VERSION == 1 else f"{rules.ID}-{rules.VERSION}.md"


def folder(rules: Ruleset[Any]) -> Traversable:
    """Return the folder with the texts of a ruleset and of others in its package."""
    return files(getattr(rules, "__package__", "referee.games")) / "rules"


def read_text(rules: Ruleset[Any]) -> str:
    """Return the text of a ruleset as Markdown. Raises FileNotFoundError."""
    return (folder(rules) / text_file(rules)).read_text("utf-8") + _COMMON_TEXT


def read_rules(rules: Ruleset[Any]) -> tuple[Rule, ...]:
    """Return the rules in a ruleset's text, the common ones first, then as there.

    Raises FileNotFoundError.
    """
    items = _RULE.findall(read_text(rules))
    found = [Rule(name, " ".join(text.split()), bool(mark)) for name, mark, text in items]
    return tuple(sorted(found, key=lambda rule: rule.id not in COMMON))


class Guide(NamedTuple):
    """What beginners read: what the game is like in a sentence or two, and how to play in a minute."""

    summary: str
    how_to_play: str


@cache
def guide(ruleset: str, version: int = 1, language: str = "en") -> Guide:
    """Return a ruleset's guide in a language, or else in English; empty if there is none. Raises Malformed.

    It is `rules/<id>.play.<language>.md`, or else `rules/<id>.play.md`: Markdown of paragraphs, first the
    summary, and of tips, list items with the move types that they are about.
    """
    for name in (f"{ruleset}.play.{language}.md", f"{ruleset}.play.md"):
        file = folder(find(ruleset, version)) / name
        if file.is_file():
            summary, _, rest = file.read_text("utf-8").partition("\n\n")
            return Guide(" ".join(summary.split()), rest)
    return Guide("", "")


@cache
def words(ruleset: str, language: str, version: int = 1) -> dict[str, str]:
    """Return a ruleset's words in a language by their English, {} if it has none. Raises Malformed.

    They are in `rules/<id>.languages.json`: an object for each language. Among them are all texts that pages
    show of the game, except its guide: its moves, zones, facts, options, reasons and cards.
    """
    try:
        text = (folder(find(ruleset, version)) / f"{ruleset}.languages.json").read_text("utf-8")
    except FileNotFoundError:
        return {}
    translations: dict[str, dict[str, str]] = json.loads(text)
    return translations.get(language, {})


@cache
def rules_text(ruleset: str, version: int = 1) -> str:
    """Return the rules of a ruleset as Markdown, its own and the common ones. Raises Malformed."""
    return read_text(find(ruleset, version))


@cache
def rules(ruleset: str, version: int = 1) -> tuple[Rule, ...]:
    """Return the rules of a ruleset, the common ones first, in the order of the text. Raises Malformed."""
    return read_rules(find(ruleset, version))
