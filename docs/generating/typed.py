"""The modules of `referee.typed`: the shapes of each game's moves, views and options."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from keyword import iskeyword
from pathlib import Path
from typing import Any

import referee
import referee.texts
from referee.engine.position import EVERYONE, NOBODY, layout, zone_names
from referee.engine.shapes import CARD, Bool, Field, Int, Kind, ListOf, Maybe, Object, OneOf, Option, Text

FOLDER = Path(__file__).parents[2] / "referee/typed"
HEAD = '''"""Shapes of {name}, version {version}. `make generate` writes them from the ruleset."""

from typing import Any, Literal, NotRequired, TypedDict, cast

from referee.computer.match import Match
from referee.typed.common import Hidden, Result
'''
FUNCTIONS = '''

def match(seats: int, options: Options | None = None, **given: Any) -> Match:
    """Deal a game; `given` is what else `Match` takes, such as `seed`."""
    return Match("{id}", seats, cast(dict[str, Any], options), version={version}, **given)


def view(match: Match, seat: int | None) -> View:
    """Return what a seat, or a spectator, sees now."""
    return cast(View, match.view(seat))


def legal_moves(match: Match, seat: int) -> list[Move]:
    """Return the moves that a seat may make now, also out of turn."""
    return cast(list[Move], match.legal_moves(seat))
'''


def files() -> Iterator[tuple[Path, str]]:
    """Yield the module of each game with its text."""
    for rules in referee.newest():
        yield FOLDER / f"{rules.ID}.py", _formatted(_module(rules))


def _formatted(text: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(FOLDER / "x.py"), "-"]
    return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout


def _module(rules: Any) -> str:
    cards = [card["id"] for card in referee.texts.card_catalogue(rules)]
    shapes = _Shapes(cards)
    moves = {name: shapes.move(name, fields) for name, fields in rules.MOVES.items()}
    options = {seats: rules.options(seats) for seats in rules.SEATS}
    shapes.options([*options.values()])
    shapes.functional("Zones", _zones(rules))
    shapes.facts(rules)
    shapes.record(
        "View",
        "What a seat or a spectator sees.",
        {
            "ruleset": f"Literal[{rules.ID!r}]",
            "version": f"Literal[{rules.VERSION}]",
            "seats": f"Literal[{', '.join(map(str, rules.SEATS))}]",
            "options": "Chosen",
            "phase": f"Literal[{', '.join(map(repr, rules.PHASES))}]",
            "to_act": "list[int]",
            "zones": "Zones",
            "facts": "Facts",
            "scores": "list[int]",
            "result": "Result | None",
        },
    )
    head = HEAD.format(name=rules.NAME, version=rules.VERSION)
    if not any("NotRequired" in part for part in shapes.parts):
        head = head.replace("NotRequired, ", "")
    shown = textwrap.fill(", ".join(f'"{card}"' for card in cards), 104, break_on_hyphens=False)
    card = f"Card = Literal[\n{textwrap.indent(shown, '    ')},\n]  # fmt: skip\n"
    union = f"Move = {' | '.join(moves.values())}\n"
    functions = FUNCTIONS.format(id=rules.ID, version=rules.VERSION)
    return "\n".join([head, card, *shapes.parts, union, functions])


def _zones(rules: Any) -> dict[str, str]:
    """Return the shape of each zone that a table of the ruleset may have."""
    specs = layout(rules.State).zones
    shapes = {}
    for place in referee.texts.places(rules):
        seen = specs[place.name.partition(".")[0]].seen
        shape = {EVERYONE: "list[Card]", NOBODY: "Hidden"}.get(seen, "list[Card] | Hidden")
        shapes[place.name] = shape if place.always else f"NotRequired[{shape}]"
    assert {*shapes} == {name for seats in rules.SEATS for name in zone_names(rules.State, seats)}
    return shapes


class _Shapes:
    """Texts of classes, each after those that it needs."""

    def __init__(self, cards: list[str]) -> None:
        self._cards = {*cards}
        self.parts: list[str] = []

    def move(self, name: str, fields: Mapping[str, Field]) -> str:
        """Add the shape of a move; return its name."""
        members = {"type": f"Literal[{name!r}]"}
        for key, field in fields.items():
            shape = self._of(field.kind, _camel(key))
            members[key] = f"NotRequired[{shape}]" if field.optional else shape
        called = f"{_camel(name)}Move"
        self.record(called, f"The move `{name}`.", members)
        return called

    def options(self, tables: list[Mapping[str, Option]]) -> None:
        """Add the shapes of the options that may be given, and of those that a view has."""
        declared = {name: option for options in tables for name, option in options.items()}
        members = {name: self._of(option.kind, _camel(name)) for name, option in declared.items()}
        self.record("Options", "What can be chosen; the rest is as usual.", members, total=False)
        chosen = {
            name: shape if all(name in options for options in tables) else f"NotRequired[{shape}]"
            for name, shape in members.items()
        }
        self.record("Chosen", "What was chosen.", chosen)

    def facts(self, rules: Any) -> None:
        """Add the shape of the facts; those of other seats are not in a view."""
        members = {}
        for name, spec in layout(rules.State).facts.items():
            shape = self._of(spec.kind(max(rules.SEATS)), _camel(name))
            if spec.private:
                members |= {f"private.{s}.{name}": f"NotRequired[{shape}]" for s in range(max(rules.SEATS))}
            else:
                members[name] = shape
        self.functional("Facts", members)

    def record(self, name: str, about: str, members: Mapping[str, str], *, total: bool = True) -> None:
        """Add a class, or where a member's name is none in Python, the same as a call."""
        if any(not key.isidentifier() or iskeyword(key) for key in members):
            self.functional(name, members)
            return
        lines = [f"    {key}: {shape}" for key, shape in members.items()]
        bases = "TypedDict" if total else "TypedDict, total=False"
        self.parts.append("\n".join([f"\nclass {name}({bases}):", f'    """{about}"""\n', *lines, ""]))

    def functional(self, name: str, members: Mapping[str, str]) -> None:
        """Add a shape whose members may have any name."""
        if members and all(key.isidentifier() and not iskeyword(key) for key in members):
            self.record(name, f"The {name.lower()} of a view.", members)
            return
        shown = ", ".join(f"{key!r}: {shape}" for key, shape in members.items())
        self.parts.append(f"\n{name} = TypedDict({name!r}, {{{shown}}})\n")

    def _of(self, kind: Kind, called: str) -> str:
        if kind == CARD or (isinstance(kind, OneOf) and {*kind.values} == self._cards):
            return "Card"
        if isinstance(kind, Maybe):
            return f"{self._of(kind.inner, called)} | None"
        if isinstance(kind, ListOf):
            return f"list[{self._of(kind.item, called)}]"
        if isinstance(kind, OneOf):
            return f"Literal[{', '.join(map(repr, kind.values))}]"
        if isinstance(kind, Object):
            members = {
                key: f"NotRequired[{shape}]" if key in kind.optional else shape
                for key, shape in (
                    (key, self._of(of, called + _camel(key))) for key, of in kind.fields.items()
                )
            }
            self.record(called, "A value of a fact.", members)
            return called
        return {Int: "int", Bool: "bool", Text: "str"}[type(kind)]  # type: ignore[index]  # no other kind is left


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
