"""The rules' texts: package data in Markdown, each rule in a list item with its id."""

import json
import re
from collections.abc import Mapping
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

# A list item, including the indented lines below it: id, marks, text.
_RULE = re.compile(r"^- `([a-z0-9_]+\.[a-z0-9_]+)`(?: \(([^)]+)\))? — (.+(?:\n  .+)*)$", re.MULTILINE)
_REFUSES = "refuses"
RULE_ORIGINS = ("source", "partly", "gap")
ENGLISH = "en"

# Added to each game's own rules: what their marks mean, and every other id that a verdict can cite. In
# another language these texts are among a ruleset's words, as the marks are.
_LEGEND = (
    "The mark of a rule says where it comes from. *source*: the source of the game has it. *partly*: the"
    " source has a part of it, or can be read in several ways. *gap*: the source is silent, and this text"
    " decides. *refuses*: a move against the rule is refused."
)
_COMMON_HEADING = "Common to every game"
_COMMON_ORDER = "These are looked at in this order, before the game's own."


class Rule(NamedTuple):
    """A rule: its id, its text (Markdown), whether a verdict can cite it, and whether its source has it.

    The last is one of `RULE_ORIGINS`, or None if the text does not say.
    """

    id: str
    text: str
    refuses: bool
    origin: str | None = None


def text_file(rules: Ruleset[Any], language: str = ENGLISH) -> str:
    """Return the name of the file with a ruleset's text, in the folder `rules` of its package."""
    version = "" if rules.VERSION == 1 else f"-{rules.VERSION}"
    return f"{rules.ID}{version}{'' if language == ENGLISH else f'.{language}'}.md"


def guide_name(rules: Ruleset[Any]) -> str:
    """Return the name of the file with a version's guide, without its language."""
    return text_file(rules).removesuffix(".md") + ".play"


def folder(rules: Ruleset[Any]) -> Traversable:
    """Return the folder with the texts of a ruleset and of others in its package."""
    return files(getattr(rules, "__package__", "referee.games")) / "rules"


def read_text(rules: Ruleset[Any], language: str = ENGLISH) -> str:
    """Return the text of a ruleset as Markdown, in English if not in a language. Raises FileNotFoundError.

    In every language its rules have the marks that they have in English.
    """
    own = (folder(rules) / text_file(rules)).read_text("utf-8")
    file = folder(rules) / text_file(rules, language)
    words: dict[str, str] = {}
    if language != ENGLISH and file.is_file():
        words = _read_words(rules, language)
        marks = {name: marked for name, marked, _ in _RULE.findall(own)}
        there = file.read_text("utf-8")
        own = _RULE.sub(lambda item: _line(item[1], marks.get(item[1], ""), item[3], words), there)
    common = [_line(name, f"{_REFUSES}, gap", words.get(text, text), words) for name, text in COMMON.items()]
    heading, order, legend = (words.get(text, text) for text in (_COMMON_HEADING, _COMMON_ORDER, _LEGEND))
    whole = "\n".join((own, f"## {heading}", "", order, "", *common, ""))
    return whole.replace("\n## ", f"\n{legend}\n\n## ", 1)


def rule_ids(text: str) -> list[str]:
    """Return the ids of the rules in a text, in its order."""
    return [name for name, _, _ in _RULE.findall(text)]


def _line(name: str, marks: str, text: str, words: Mapping[str, str]) -> str:
    """Return a rule as a list item, its marks in the language of these words."""
    said = ", ".join(words.get(mark, mark) for mark in marks.split(", "))
    return f"- `{name}`{f' ({said})' if said else ''} — {text}"


def read_rules(rules: Ruleset[Any], language: str = ENGLISH) -> tuple[Rule, ...]:
    """Return the rules in a ruleset's text, the common ones first, then as there.

    Raises FileNotFoundError.
    """
    texts = {name: " ".join(text.split()) for name, _, text in _RULE.findall(read_text(rules, language))}
    found = []
    for name, marked, _ in _RULE.findall(read_text(rules)):
        marks = marked.split(", ")
        origin = next((mark for mark in marks if mark in RULE_ORIGINS), None)
        found.append(Rule(name, texts[name], _REFUSES in marks, origin))
    return tuple(sorted(found, key=lambda rule: rule.id not in COMMON))


class Guide(NamedTuple):
    """What beginners read: what the game is like in a sentence or two, and how to play in a minute."""

    summary: str
    how_to_play: str


@cache
def guide(ruleset: str, version: int = 1, language: str = "en") -> Guide:
    """Return a ruleset's guide in a language, or else in English; empty if there is none. Raises Malformed.

    It is `rules/<id>.play.<language>.md`, or else `rules/<id>.play.md`: Markdown of paragraphs, first the
    summary, and of tips, list items with the move types that they are about. Version 2 has `<id>-2.play.md`.
    """
    rules = find(ruleset, version)
    for name in (f"{guide_name(rules)}.{language}.md", f"{guide_name(rules)}.md"):
        file = folder(rules) / name
        if file.is_file():
            summary, _, rest = file.read_text("utf-8").partition("\n\n")
            return Guide(" ".join(summary.split()), rest)
    return Guide("", "")


@cache
def guide_languages(ruleset: str, version: int = 1) -> tuple[str, ...]:
    """Return the languages in which a ruleset has a guide, in the order of the alphabet. Raises Malformed."""
    rules = find(ruleset, version)
    name = re.compile(rf"{re.escape(guide_name(rules))}\.(?:([a-z]{{2}})\.)?md")
    found = (name.fullmatch(file.name) for file in folder(rules).iterdir())
    return tuple(sorted(match[1] or ENGLISH for match in found if match))


@cache
def words(ruleset: str, language: str, version: int = 1) -> dict[str, str]:
    """Return a ruleset's words in a language by their English, {} if it has none. Raises Malformed.

    They are in `rules/<id>.languages.json`: an object for each language. Among them are all texts that pages
    show of the game, except its guide: its moves, zones, facts, options, reasons and cards.
    """
    return _read_words(find(ruleset, version), language)


def name(rules: Ruleset[Any], language: str) -> str:
    """Return the name of a ruleset in a language, or its own."""
    return words(rules.ID, language, rules.VERSION).get(rules.NAME, rules.NAME)


def _read_words(rules: Ruleset[Any], language: str) -> dict[str, str]:
    try:
        text = (folder(rules) / f"{rules.ID}.languages.json").read_text("utf-8")
    except FileNotFoundError:
        return {}
    translations: dict[str, dict[str, str]] = json.loads(text)
    return translations.get(language, {})


@cache
def rules_text(ruleset: str, version: int = 1, language: str = ENGLISH) -> str:
    """Return the rules of a ruleset as Markdown, its own and the common ones. Raises Malformed.

    They are in English if the ruleset does not have them in the language.
    """
    return read_text(find(ruleset, version), language)


@cache
def rules(ruleset: str, version: int = 1, language: str = ENGLISH) -> tuple[Rule, ...]:
    """Return the rules of a ruleset, the common ones first, in the order of the text. Raises Malformed."""
    return read_rules(find(ruleset, version), language)
