"""The table of all types of entries in docs/reference/log-format.md, written from their declarations."""

from __future__ import annotations

import json
import re

from referee.log.entries import CLOCKS, ENTRY_TYPES, EVERY, SEAT, SHARES, EntryType
from referee.log.members import MEMBERS

TABLE = re.compile(r"(<!-- types of entries: make generate -->\n).*?(<!-- end -->)", re.DOTALL)
OPENED = ("vacation", "nudge", "replacement", "added", "undone", "ruling")


def page(text: str) -> str:
    """Return docs/reference/log-format.md with the table of all types of entries."""
    cells = [
        (f"`{name}`", ", ".join(kind.stages), _leads_to(kind), _members(name), _sentence(kind))
        for name, kind in ENTRY_TYPES.items()
    ]
    rows = [f"| {' | '.join(row)} |" for row in cells]
    head = "| type | stages | leads to | members | in words |\n| --- | --- | --- | --- | --- |"
    return TABLE.sub(lambda found: f"{found[1]}{head}\n" + "\n".join(rows) + f"\n{found[2]}", text)


def _leads_to(kind: EntryType) -> str:
    return "*aside*" if kind.aside else f"{kind.then or '–'}{', with `resign`' if kind.resigns else ''}"


def _members(of: str) -> str:
    """List the members of a type: groups by name, others with their fields, optional ones in brackets."""
    kind = ENTRY_TYPES[of]
    groups = {"who": (*SEAT, "by"), "[shares]": SHARES, "[clocks]": CLOCKS}
    named = [name for name, members in groups.items() if all(map(kind.has, members))]
    within = {*EVERY, *(member for name in named for member in groups[name])}
    for name, member in MEMBERS.items():
        if kind.has(name) and name not in within:
            fields = f" `{{{', '.join(map(json.dumps, member.kind.fields))}}}`" if name in OPENED else ""
            always = name in kind.needed
            named.append(f"`{name}`{fields}" if always else f"[`{name}`]")
    return ", ".join(named) or "–"


def _sentence(kind: EntryType) -> str:
    return re.sub(r"\{([\w.]+)\}", r"*\1*", " / ".join(filter(None, (kind.words, kind.handed_over))))
