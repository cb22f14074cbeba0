"""The tables of types of entries and of members in docs/reference/log-format.md, from their declarations."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import referee
from docs.generating.log_format import declared, shape
from referee.log.entries import ENTRY_TYPES, EVERY, EntryType
from referee.log.members import MEMBERS
from referee.proofs.signing import CHOSEN

TABLE = "(<!-- {}: make generate -->\n).*?(<!-- end -->)"
# Members whose JSON, or whose place, has a section of its own.
JSON = {
    "transfers": "list",
    "private": "[object](#entries)",
    "pace": "[object](#clocks) or null",
    "result": "object or null",
    "by": "text, as listed above",
}
SEEN_BY = {"nobody": "nobody", "owner": "its seat", "fact turn": "the seat in turn"}
PLACES = {"deadlines": "wherever [clocks](#clocks) say so"}
SIGNED, NAMED = (
    "[what [players sign](#players-own-keys)], key_retired",
    "all whose words name *who* or *newcomer*",
)


def page(text: str) -> str:
    """Return docs/reference/log-format.md with the tables of all types and of all members."""
    types = [
        (f"`{name}`", ", ".join(kind.stages), _leads_to(kind), _sentence(kind))
        for name, kind in ENTRY_TYPES.items()
    ]
    members = [
        (f"`{name}`", JSON.get(name) or _json(shape(member.kind)), _types_with(name), member.about)
        for name, member in MEMBERS.items()
        if name not in EVERY
    ]
    text = _filled(text, "types of entries", ("type", "stages", "leads to", "in words"), types)
    text = _filled(text, "members of entries", ("member", "JSON", "in", "meaning"), members)
    signed = [
        (", ".join(f"`{name}`" for name in names), f"`{chosen[0]}`" if chosen else "no others")
        for chosen, names in _signed().items()
    ]
    text = _filled(text, "signed types", ("type", "members"), signed)
    head = ("ruleset", "zones that not everybody sees", "passive moves", "reasons of a result")
    return _filled(text, "rulesets", head, [_ruleset(game) for game in referee.newest()])


def _signed() -> dict[tuple[str, ...], list[str]]:
    """Return the types that players sign, by what they choose in them."""
    found: dict[tuple[str, ...], list[str]] = {}
    for name, chosen in CHOSEN.items():
        found.setdefault(chosen, []).append(name)
    return found


def _ruleset(game: Any) -> tuple[str, str, str, str]:
    """Return a row of the table of rulesets."""
    rules = declared()["rulesets"][game.ID]
    zones = [
        f"`{zone}`: {SEEN_BY.get(seen, seen)}" for zone, seen in rules["zones"].items() if seen != "everyone"
    ]
    passive = [f"`{move}` in `{phase}`" for phase, move in rules["passive"].items()]
    return (
        f"`{game.ID}`",
        "; ".join(zones),
        ", ".join(passive) or "–",
        ", ".join(f"`{each}`" for each in game.REASONS),
    )


def _filled(text: str, name: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |\n" for row in (head, ["---"] * len(head), *rows)]
    place = re.compile(TABLE.format(name), re.DOTALL)
    return place.sub(lambda found: found[1] + "".join(lines) + found[2], text)


def _leads_to(kind: EntryType) -> str:
    return "*aside*" if kind.aside else f"{kind.then or '–'}{', with `resign`' if kind.resigns else ''}"


def _types_with(member: str) -> str:
    """List the types whose entries have a member, in brackets where it is optional."""
    having = [name for name, kind in ENTRY_TYPES.items() if kind.has(member)]
    if member in PLACES or {*having} == {*CHOSEN}:
        return PLACES.get(member, SIGNED)
    if having == [name for name, kind in ENTRY_TYPES.items() if re.search(r"\{(who|newcomer)\}", kind.words)]:
        return NAMED
    if len(having) > len(ENTRY_TYPES) // 2:
        return f"all but {', '.join(name for name in ENTRY_TYPES if name not in having)}"
    return ", ".join(name if member in ENTRY_TYPES[name].needed else f"[{name}]" for name in having)


def _json(described: Any) -> str:
    """Return a shape in words."""
    if isinstance(described, str):
        return described
    ((kind, inner),) = described.items()
    match kind:
        case "maybe":
            return f"{_json(inner)} or null"
        case "list":
            return f"list of {_json(inner)}"
        case "one":
            return ", ".join(f"`{json.dumps(value)}`" for value in inner)
        case "fields":
            return f"`{{{', '.join(map(json.dumps, inner))}}}`"
        case "map":
            return f"seat → {_json(inner)}"
    return "object"


def _sentence(kind: EntryType) -> str:
    return re.sub(r"\{([\w.]+)\}", r"*\1*", " / ".join(filter(None, (kind.words, kind.handed_over))))
