"""Checks what a ruleset declares when it is loaded, and names the line to mend.

Of the functions, only those that set a game up are called here; the others are tried by playing.
"""

import inspect
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from referee.engine.chance import Seeded
from referee.engine.loading import default_options
from referee.engine.position import COMMON, EVERYONE, NOBODY, OWNER, FactSpec, Phases, ZoneSpec, build, layout
from referee.engine.ruleset import PARTS, Ruleset
from referee.engine.shapes import Option
from referee.texts.pictures import PICTURES
from referee.texts.rulebook import COMMON as COMMON_RULES
from referee.texts.rulebook import folder, guide_name, read_rules, rule_ids, text_file

ROLES = ("seat", "team", "suit", "counter")
FIELD_ROLES = ("", "seat", "team", "suit", "position")
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
ICON = re.compile(r"[Mm][MmLlHhVvCcSsQqTtAaZz0-9 ,.-]*")
# A guide's paragraphs and tips: what comes before their text, which is not empty.
PARTING = re.compile(r"\n\n+|\n(?=- )")
PART = re.compile(r"(\*\*)[^*]+\*\*\s+\S|- `(\w+)` — *\S|(?!- `|\*\*)\S")

Fault = tuple[str, str]  # the name of what is declared, and what is wrong with it


def faults(rules: Ruleset[Any]) -> list[str]:
    """Return what is wrong with a ruleset's declarations, as `file:line: name: sentence`; empty if nothing.

    Later stages rely on earlier ones, so those after a stage with faults are left out.
    """
    source = Source(rules)
    for checks in STAGES:
        try:
            stage_faults = [fault for check in checks for fault in check(rules)]
        except Exception as error:
            return [place_of(error, source.file)]
        if stage_faults:
            return [source.told(*fault) for fault in dict.fromkeys(stage_faults)]
    return []


def place_of(error: BaseException, file: str) -> str:
    """Return an error as `file:line: name: sentence`, with the last line of this file that led to it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    what = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError) and error.filename == file:
        return f"{file}:{error.lineno}: {what}"
    return f"{file}:{frames[-1].lineno}: {frames[-1].name}: {what}" if frames else f"{file}: {what}"


class Source:
    """The source of a ruleset: where each of its names is declared."""

    def __init__(self, rules: Ruleset[Any]) -> None:
        self.file = str(getattr(rules, "__file__", rules))
        try:
            self._text = Path(self.file).read_text("utf-8")
        except (OSError, ValueError):  # not a file, say
            self._text = ""

    def told(self, name: str, sentence: str) -> str:
        """Return a fault with its file and line: where the name is declared, or stands as a text."""
        word = re.escape(name.partition(":")[2] or name)
        declared = rf"^ *(?:(?:def|class) {word}\b|(?:\w+, )*{word}(?:, \w+)*(?:: | = ))"
        tried = ((declared, re.M), (declared, re.M | re.I), (rf"[\"']{word}[\"']", 0))
        found = next(filter(None, (re.search(*each[:1], self._text, each[1]) for each in tried)), None)
        line = self._text.count("\n", 0, found.start()) + 1 if found else None
        return f"{self.file}:{line}: {name}: {sentence}" if line else f"{self.file}: {name}: {sentence}"


def _parts(rules: Ruleset[Any]) -> Iterator[Fault]:
    missing = [part for part in PARTS if not hasattr(rules, part)]
    if "refuse" in missing:
        yield "BLOCKS", "must be there, and complete(globals()) after them"
        return
    yield from ((part, "is missing") for part in missing)


def _constants(rules: Ruleset[Any]) -> Iterator[Fault]:
    if type(rules.ID) is not str or not NAME.fullmatch(rules.ID):
        yield "ID", "must be lower-case words joined by underscores, like high_card"
    if type(rules.VERSION) is not int or rules.VERSION < 1:
        yield "VERSION", "must be an integer of at least 1"
    if type(rules.NAME) is not str or not rules.NAME:
        yield "NAME", "must be the name for people"
    numbers = rules.SEATS
    if not _listed(numbers, int) or not numbers or list(numbers) != sorted(set(numbers)) or numbers[0] < 1:
        yield "SEATS", "must list every possible number of seats, ascending, from 1 on"
    reasons = rules.REASONS
    if not isinstance(reasons, Mapping) or not all(type(text) is str and text for text in reasons.values()):
        yield "REASONS", "must name each reason, with what it says to players"


def _state(rules: Ruleset[Any]) -> Iterator[Fault]:
    for each in fields(rules.State):
        declared = each.metadata.get("declared")
        if declared is None and each.name not in COMMON:
            yield each.name, "is neither a zone nor a fact"
        elif isinstance(declared, FactSpec):
            try:
                kind = declared.kind(2)
            except Exception as error:
                yield each.name, f"its shape for 2 seats raises {type(error).__name__}: {error}"
                continue
            if not _is_kind(kind):
                yield each.name, f"must have a Kind such as Int(0, 5) as its shape, not {_called(kind)}"


def _for_programs(rules: Ruleset[Any]) -> Iterator[Fault]:
    for name, known in (("EXPLAINED", rules.MOVES), ("ONE_FOR_TEAM", rules.PHASES)):
        for each in getattr(rules, name, ()):
            if each not in known:
                yield name, f"names {each!r}, which no block has"


def _passive(rules: Ruleset[Any]) -> Iterator[Fault]:
    passive = getattr(rules, "PASSIVE", {})
    if not isinstance(passive, Mapping):
        yield "PASSIVE", "must name a move type for each phase in which a seat can do nothing"
        return
    for phase, kind in passive.items():
        if phase not in rules.PHASES:
            yield "PASSIVE", f"names the phase {phase!r}, which no block has"
        elif kind not in rules.PHASES[phase]:
            yield "PASSIVE", f"names the move {kind!r}, which no block has in {phase}"
        for name, field in rules.MOVES.get(kind, {}).items():
            if not field.optional:
                yield "PASSIVE", f"must be a move without fields, and {kind}.{name} is needed"


def _moves(rules: Ruleset[Any]) -> Iterator[Fault]:
    zones = layout(rules.State).zones
    for kind, declared in rules.MOVES.items():
        for name, field in declared.items():
            if not _is_kind(field.kind):
                yield kind, f"its field {name} must have a Kind such as CARD, not {_called(field.kind)}"
            if field.role not in FIELD_ROLES:
                yield kind, f"its field {name} has the role {field.role!r}; roles are {_or(FIELD_ROLES)}"
            for zone in field.zones.split():
                prefix, pattern, _ = zone.partition("{")
                known = [one for one in zones if one.startswith(prefix.rstrip("."))] if pattern else zones
                if not known or not (pattern or zone in zones):
                    yield kind, f"its field {name} comes from {zone!r}, which is no zone of State"


def _fields(rules: Ruleset[Any]) -> Iterator[Fault]:
    declared = layout(rules.State)
    specs: list[tuple[str, ZoneSpec | FactSpec]] = [*declared.zones.items(), *declared.facts.items()]
    for name, spec in specs:
        yield from ((name, sentence) for sentence in _wrong_phases(spec.phases, rules))
    for name, zone in declared.zones.items():
        if isinstance(zone.seen, str):
            fact = declared.facts.get(zone.seen)
            if fact is None or fact.private:
                yield name, f"is seen by the seats in {zone.seen!r}, which is no public fact of State"
            elif not any(fact.kind(max(rules.SEATS)).accepts(seats) for seats in (0, [], [0])):
                yield name, f"is seen by the seats in {zone.seen!r}, which names no seats"
        elif zone.seen not in (EVERYONE, NOBODY, OWNER):
            yield name, "must be seen by EVERYONE, NOBODY, OWNER, or the seats in a fact that is named"
        elif zone.seen == OWNER and not zone.per_seat:
            yield name, "is seen by its OWNER, so it needs per_seat=True"


def _wrong_phases(phases: Phases, rules: Ruleset[Any]) -> Iterator[str]:
    if phases is not None and not _listed(phases, str):
        yield "must have a list of phases; write ('play',) for a single one"
        return
    for phase in phases or ():
        if phase not in rules.PHASES:
            yield f"exists in the phase {phase!r}, which no block has"


def _hints(rules: Ruleset[Any]) -> Iterator[Fault]:
    facts = layout(rules.State).facts
    roles: Mapping[str, str] = getattr(rules, "ROLES", {})
    for name, role in roles.items():
        if name not in facts:
            yield "ROLES", f"names {name!r}, which is no fact of State"
        if role not in ROLES:
            yield "ROLES", f"gives {name} the role {role!r}; roles are {_or(ROLES)}"
    yield from _words(rules, roles)
    cards = {card for seats in rules.SEATS for card in rules.deck(seats, default_options(rules, seats))}
    for card, about in dict(getattr(rules, "CATALOGUE", {})).items():
        if card not in cards:
            yield "CATALOGUE", f"describes {card!r}, which is no card of any deck"
        if not isinstance(about, Mapping):
            yield "CATALOGUE", f"must describe {card!r} by an object, not {_called(about)}"
        elif (icon := about.get("icon", "M")) not in PICTURES and not ICON.fullmatch(icon):
            yield "CATALOGUE", f"must draw {card!r} as the data of an SVG path, or as a {_or(PICTURES)}"
    for card in dict(getattr(rules, "TILE", {})).get("cards", ()):
        if card not in cards:
            yield "TILE", f"shows {card!r}, which is no card of any deck"


def _words(rules: Ruleset[Any], roles: Mapping[str, str]) -> Iterator[Fault]:
    facts, words = layout(rules.State).facts, dict(getattr(rules, "WORDS", {}))
    for name, said in words.items():
        texts = list(said.values()) if isinstance(said, Mapping) else [said]
        if name not in facts:
            yield "WORDS", f"names {name!r}, which is no fact of State"
        if not texts or not _listed(texts, str) or not all(texts):
            yield "WORDS", f"must have a text for {name}, or an object with texts by value"
    for name, spec in facts.items():
        isolated = roles.get(name) == "seat" and spec.kind(2).schema().get("type") != "array"
        if name not in words and roles.get(name) != "counter" and not isolated:
            yield name, 'lacks a wording for players: WORDS = {"' + name + '": "… {}"}'


def _calls(rules: Ruleset[Any]) -> Iterator[Fault]:
    for seats in rules.SEATS:
        for name, option in rules.options(seats).items():
            if not isinstance(option, Option) or not _is_kind(option.kind):
                yield "options", f"{name!r} must be an Option with a Kind"
                return
            elif not option.kind.accepts(option.default):
                yield "options", f"{name!r} has the default {option.default!r}; it must be {option.kind.what}"
        cards = rules.deck(seats, default_options(rules, seats))
        if not cards:
            yield "deck", f"has no cards for {seats} seats"
        elif not _listed(cards, str):
            yield "deck", f"must be a list or tuple of strings for {seats} seats"


def _text(rules: Ruleset[Any]) -> Iterator[Fault]:
    if not (folder(rules) / text_file(rules)).is_file():
        yield "rules", f"the rules' text, rules/{text_file(rules)} beside the module, is missing"


def _blocks(rules: Ruleset[Any]) -> Iterator[Fault]:
    """Compare the rules of moves with the rules' text."""
    listed = {rule.id for rule in read_rules(rules) if rule.refuses}
    for block in rules.BLOCKS:
        for rule in block.rules:
            if rule.id not in listed | COMMON_RULES.keys():
                missing = f"rules/{text_file(rules)} lacks or does not mark (refuses)"
                yield rule.id, f"refuses {block.name}, which {missing}"
            if rule.field and rule.field not in block.fields:
                yield rule.id, f"is about the field {rule.field!r}, which {block.name} lacks"


def _translations(rules: Ruleset[Any]) -> Iterator[Fault]:
    """Compare the rules' text in each language with the English one: its ids and their order."""
    english = text_file(rules)
    name = re.compile(rf"{re.escape(english.removesuffix('.md'))}\.[a-z]{{2}}\.md")
    ids = rule_ids((folder(rules) / english).read_text("utf-8"))
    for file in folder(rules).iterdir():
        if name.fullmatch(file.name) and rule_ids(file.read_text("utf-8")) != ids:
            yield "rules", f"rules/{file.name} must have the same rules in the same order as rules/{english}"


def _guides(rules: Ruleset[Any]) -> Iterator[Fault]:
    """Compare the guide in each language with the English one: its summary, paragraphs and tips."""
    english = f"{guide_name(rules)}.md"
    name = re.compile(rf"{re.escape(guide_name(rules))}\.([a-z]{{2}}\.)?md$")
    texts = {file.name: file.read_text("utf-8") for file in folder(rules).iterdir() if name.match(file.name)}
    parts = {file: map(PART.match, PARTING.split(text.strip())) for file, text in texts.items()}
    outlines = {file: [part and part.groups() for part in found] for file, found in parts.items()}
    for file, outline in outlines.items():
        if None in outline:
            yield "rules", f"rules/{file} has an empty paragraph or tip"
        elif outline != outlines.get(english):
            yield "rules", f"rules/{file} must have the same paragraphs and tips as rules/{english}"
        for _, tip in filter(None, outline):
            if tip and tip not in rules.MOVES:
                yield "rules", f"rules/{file} has a tip for the move {tip!r}, which no block has"


def _dealt(rules: Ruleset[Any]) -> Iterator[Fault]:
    """Deal once for every number of seats: without this, no page can describe the ruleset."""
    for seats in rules.SEATS:
        state = build(rules, seats, default_options(rules, seats), {}, {}, scores=[0] * seats)
        state.transfers = []
        rules.deal(state, Seeded(b""))
        if state.phase not in rules.PHASES:
            yield "deal", f"enters the phase {state.phase!r}, which no block has"
            continue
        due = rules.due(state)
        if not _listed(due, int) or not {*due} <= {*range(seats)}:
            yield "due", f"must be a list of seats, not {due!r}"
        for seat in range(seats):
            team = rules.team(state, seat)
            if not _listed(team, int) or seat not in team:
                yield "team", f"must be a list of seats that includes {seat}, not {team!r}"


def _listed(value: object, of: type) -> bool:
    return isinstance(value, list | tuple | range) and all(type(item) is of for item in value)


def _is_kind(value: object) -> bool:
    return not inspect.isclass(value) and all(hasattr(value, name) for name in ("what", "accepts", "schema"))


def _called(value: object) -> str:
    return value.__name__ if isinstance(value, type) else type(value).__name__


def _or(names: Iterable[str]) -> str:
    return ", ".join(name for name in names if name)


Check = Callable[[Ruleset[Any]], Iterator[Fault]]
STAGES: tuple[tuple[Check, ...], ...] = (
    (_parts,),
    (_constants, _state),
    (_calls,),
    (_for_programs, _passive, _moves, _fields, _hints, _text),
    (_blocks, _guides, _dealt, _translations),
)
