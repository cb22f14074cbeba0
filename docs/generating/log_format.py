"""What `make generate` writes from the declarations of the log: its format as data, and test vectors.

docs/reference/log-format.json and the module of the pages' verifier contain the types of entries, their
members and the stages; log-vectors.json beside it has the steps of log-format.md with numbers. Any verifier
may read both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import referee
import referee.bots
import referee.clocks
import referee.positions
import referee.proofs
import referee.records
from docs.generating import log_vectors
from referee.engine.shapes import BOOLEAN, Int, ListOf, Maybe, Object, OneOf
from referee.log.entries import ENTRY_TYPES, EVERY, LAST
from referee.log.known import ENDED, ENTRIES, LISTED_MOVE, RECORD
from referee.log.members import MARKS, MEMBERS, Map
from referee.log.words import texts_of
from referee.proofs.signing import CHOSEN

DOCS = Path(__file__).parents[1]
FORMAT, VECTORS = DOCS / "reference/log-format.json", DOCS / "reference/log-vectors.json"
MODULE = DOCS.parent / "api/web/verify/declared.js"
SEEN = {
    referee.positions.EVERYONE: "everyone",
    referee.positions.NOBODY: "nobody",
    referee.positions.OWNER: "owner",
}
FLAGS = ("aside", "final", "turns", "afresh", "resigns", "shared")


def shape(kind: Any) -> Any:
    """Return the JSON types of a shape as data: a word, or an object with one member."""
    match kind:
        case Maybe():
            return {"maybe": shape(kind.inner)}
        case ListOf():
            return {"list": shape(kind.item)}
        case Object():
            return {"fields": {name: shape(inner) for name, inner in kind.fields.items()}}
        case Map() if kind.inner is not None:
            return {"map": shape(kind.inner)}
        case Map():
            return {"known": {name: shape(inner) for name, inner in kind.known.items()}}
        case OneOf():
            return {"one": list(kind.values)}
    return "integer" if isinstance(kind, Int) else "boolean" if kind == BOOLEAN else "text"


def declared() -> dict[str, Any]:
    """Return the format of logs as data."""
    types = {
        name: {
            "stages": list(kind.stages),
            "then": kind.then,
            "members": [member for member in MEMBERS if kind.has(member) and member not in EVERY],
            "needed": list(kind.needed),
            **{flag: True for flag in FLAGS if getattr(kind, flag)},
            **({"signed": list(CHOSEN[name])} if name in CHOSEN else {}),
        }
        for name, kind in ENTRY_TYPES.items()
    }
    head = {name: shape(kind) for name, kind in RECORD.items() if kind is not None}
    head["ended"], head["moves"] = (
        {"maybe": {"fields": _shapes(ENDED)}},
        {"list": {"fields": _shapes(LISTED_MOVE)}},
    )
    return {
        "every": list(EVERY),
        "types": types,
        "last": list(LAST),
        "members": {name: shape(member.kind) for name, member in MEMBERS.items()},
        "marks": list(MARKS),
        "record": {**head, ENTRIES: {"list": "entry"}},
        "rulesets": {game.ID: _zones(game) for game in referee.newest()},
    }


def _shapes(fields: Any) -> dict[str, Any]:
    return {name: shape(kind) for name, kind in fields.items()}


def _zones(game: Any) -> dict[str, Any]:
    """Return the zones of a ruleset, in their order, each with who sees it."""
    zones = referee.positions.layout(game.State).zones
    return {
        "version": game.VERSION,
        "zones": {
            f"{name}.*" if spec.per_seat else name: SEEN[spec.seen]
            if type(spec.seen) is int
            else f"fact {spec.seen}"
            for name, spec in zones.items()
        },
        "passive": getattr(game, "PASSIVE", {}),
        "texts": texts_of(game.MOVES),
    }


def module() -> str:
    """Return the module of the pages' verifier."""
    known = declared()
    known["texts"] = {name: rules["texts"] for name, rules in known.pop("rulesets").items() if rules["texts"]}
    lines = ",\n".join(f"\t{name}: {json.dumps(part)}" for name, part in known.items())
    return (
        "// Written by `make generate` from referee/log: types of entries, members, the stages of a game.\n"
        f"export const DECLARED = {{\n{lines},\n}};\n"
    )


def written(data: Any) -> str:
    """Return data in its form in a file."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def files() -> Iterator[tuple[Path, str]]:
    """Yield all of them, with their text."""
    yield FORMAT, written(declared())
    yield VECTORS, written(log_vectors.vectors())
    yield MODULE, module()
