"""The tables of types of entries and of members in docs/reference/log-format.md, from their declarations."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from docs.generating.log_format import shape
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
        (f"`{name}`", JSON.get(name) or _json(shape(member.kind)), _types_with(name))
        for name, member in MEMBERS.items()
        if name not in EVERY
    ]
    text = _filled(text, "types of entries", ("type", "stages", "leads to", "in words"), types)
    return _filled(text, "members of entries", ("member", "JSON", "in"), members)


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
