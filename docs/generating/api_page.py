"""Writes docs/reference/api.md: the operations by task, each with what programs send and get."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from api.core.errors import ProblemType
from api.features import load_features
from api.features.specification.specification import spec
from api.http.operation import Operation
from api.http.problem_types import types
from api.routes import operations

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/api.md"
LONGEST, DEEPEST, WORDS = 640, 2, 44  # characters of an answer, levels of it, characters of a text in it
TASKS = {
    "Begin": ("list_rulesets", "get_ruleset", "create_player", "create_token"),
    "Make a game and fill its seats": ("create_game", "take_seat", "leave_seat", "list_games"),
    "Play": ("get_game", "list_legal_moves", "append_move", "try_move", "resign", "post_message"),
    "Follow": ("list_my_turns", "list_events", "list_all_events", "create_webhook"),
    "Keep and prove": ("get_record", "verify_game", "create_game_from_record"),
}
"""What an app needs first."""
HEAD = """# The API by task

*For integrators, to look things up: each operation with a request, an answer, and the problems to expect.*

Send `Authorization: Bearer …` with an app key or a player's token, and an `Idempotency-Key` with each POST
that you may have to repeat ([retries](../guides/retries.md)). Answers are shortened here: `…` stands for
more. `/docs` lists all members, and `/docs/problems` says what to do about each problem. `make generate`
writes this page.
"""
Json = dict[str, Any]


def page() -> str:
    """Return the page."""
    features = load_features()
    declared = {each.id: each for each in operations(features).values()}
    found = {
        each["operationId"]: (method.upper(), path, each)
        for path, methods in spec(features)["paths"].items()
        for method, each in methods.items()
    }
    names = yaml.safe_load((ROOT / "clients/operations.yaml").read_text("utf-8"))
    lines = [HEAD]
    first = [name for some in TASKS.values() for name in some]
    for task, some in TASKS.items():
        lines.append(f"## {task}")
        for name in some:
            lines += _operation(*found[name], _method(found[name][2], names), declared[name], types(features))
    lines += ["## All others", "", "| what for | request | client packages |", "| --- | --- | --- |"]
    for method, path, each in sorted(found.values(), key=lambda one: (one[2]["tags"][0], one[1])):
        if each["operationId"] not in first:
            client = _method(each, names)
            lines.append(f"| {each['summary'].rstrip('.')} | `{method} {path}` | `{client}` |")
    return "\n".join(lines) + "\n"


def _operation(
    method: str,
    path: str,
    described: Json,
    client: str,
    declared: Operation,
    kinds: Mapping[str, ProblemType],
) -> Iterator[str]:
    """Yield what is said of an operation: what it is for, an exchange, its problems, the clients' method."""
    yield f"### {described['summary'].rstrip('.')}"
    yield from ["", f"`{method} {path}` · `{client}` in the client packages", ""]
    rest = described["description"].removeprefix(f"{described['summary'].rstrip('.')}.").strip()
    if rest:
        yield from [rest, ""]
    status, answer = next(iter(described["responses"].items()))
    body = _example(described.get("requestBody", {}))
    yield from ["```http", f"{method} {path}", *([_short(body, 9)] if body else []), ""]
    shown = _example(answer)
    yield from [f"{status}", *([_short(shown)] if shown is not None else []), "```", ""]
    slugs = [*declared.problems, "not-found" if "{" in path else "malformed-request"]
    likely = [kinds[slug] for slug in dict.fromkeys(slugs)][:3]
    said = (f"`{kind.slug}` ({kind.status}): {kind.title.rstrip('.')}" for kind in likely)
    yield from [f"Expect {'; '.join(said)}.", ""]


def _method(described: Json, names: Json) -> str:
    """Return the clients' method for an operation, as clients/operations.yaml says."""
    name, tag = described["operationId"], described["tags"][0]
    if name in names["operations"]:
        return str(names["operations"][name])
    resource = names["tags"].get(tag, tag.replace(" ", "_"))
    noun = resource.rpartition(".")[2].removesuffix("s")
    return f"{resource}.{re.sub(f'_{noun}s?$', '', name)}"


def _example(described: Json) -> Any:
    """Return the first example of a body."""
    content = described.get("content", {}).get("application/json", {})
    examples = content.get("examples")
    return next(iter(examples.values()))["value"] if examples else content.get("example")


def _short(value: Any, levels: int = DEEPEST) -> str:
    """Return JSON of a few lines, with an ellipsis for what is deep or long."""
    text = json.dumps(_cut(value, levels), ensure_ascii=False)
    text = text.replace('"…"', "…")
    cut = text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(', ')[0]}, …}}"
    return "\n".join(textwrap.wrap(cut, 118, subsequent_indent="  ", break_on_hyphens=False))


def _cut(value: Any, left: int) -> Any:
    if not left and isinstance(value, dict | list) and value:
        return "…"
    if isinstance(value, dict):
        return {name: _cut(each, left - 1) for name, each in value.items()}
    if isinstance(value, list):
        shown = value if left > DEEPEST else value[:1]
        return [_cut(each, left - 1) for each in shown] + (["…"] if len(value) > len(shown) else [])
    return f"{value[:12]}…" if isinstance(value, str) and len(value) > WORDS else value
