"""The examples of requests and answers: what real games sent and got (`make examples` records it)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import referee
from api.core.json import dumps
from api.features.specification.problems import problem_types
from api.http import problems
from api.http.shapes import Json, camel

RECORDED = Path(__file__).with_name("recorded.json")
LINES, STREAM = "application/x-ndjson", "text/event-stream"
MOVES = ("append_move", "try_move")


@cache
def recorded() -> Json:
    """Return an example of each schema, by its name, and of each answer that is no JSON, by its operation."""
    read: Json = json.loads(RECORDED.read_text("utf-8"))
    return read


def add_examples(api: Json) -> None:
    """Add an example of every body to a specification: one for each schema, to which all uses refer.

    A body of which nothing is recorded yet has none; a test fails until it is.
    """
    schemas, known = api["components"]["schemas"], api["components"].setdefault("examples", {})
    operations = [each for path in api["paths"].values() for each in path.values()]
    for operation in operations:
        if operation["operationId"] in MOVES:
            operation["requestBody"]["content"]["application/json"]["examples"] = first_moves()
        for body in [operation.get("requestBody", {}), *operation["responses"].values()]:
            content = body.get("content", {})
            _describe_streams(content, schemas)
            _add(content, operation["operationId"], known)
    for refusal in api["components"]["responses"].values():
        _add(refusal["content"], "", known)
    api["components"]["examples"] = dict(sorted(known.items()))


@cache
def first_moves() -> dict[str, Json]:
    """Return the first move of a game of each ruleset, with the fewest seats, dealt from 32 zero bytes."""
    moves = {}
    for game in referee.newest():
        state, _ = referee.deal(game.ID, game.SEATS[0], {}, referee.Seeded(bytes(32)))
        seat = state.to_act[0]
        move = json.loads(dumps(referee.legal_moves(state, seat)[0]))  # not read-only
        moves[game.ID] = {
            "summary": f"The first move of a game of {game.NAME}",
            "value": {"move": move, "seat": seat},
        }
    return moves


def _add(content: Json, operation: str, known: Json) -> None:
    for name, kind in content.items():
        if "example" in kind or "examples" in kind:
            continue
        refs = [part for part in kind["schema"].get("oneOf", [kind["schema"]]) if "$ref" in part]
        if not refs:
            if f"{operation} {name}" in recorded():
                kind["example"] = recorded()[f"{operation} {name}"]
            continue
        kind["examples"] = {}
        for shape in filter(_shown().__contains__, map(_named, refs)):
            known.setdefault(shape, {"value": _shown()[shape]})
            kind["examples"][shape] = {"$ref": f"#/components/examples/{shape}"}


@cache
def _shown() -> dict[str, Any]:
    """Return what is recorded, and the refusals that no game meets, as the server writes them."""
    examples: dict[str, Any] = {"Specification": {"openapi": "3.1.0"}, **recorded()}
    for slug, kind in problem_types().items():
        if f"{camel(slug)}Problem" not in recorded():
            more: Json = {"conflicts_with": None} if kind.status == 409 else {}
            if slug == "ruleset-not-installed":
                more |= {"ruleset": "high_card", "version": 1}
            text = problems.document(kind, kind.about.replace("`", ""), instance="/v1/games", **more)
            examples[f"{camel(slug)}Problem"] = json.loads(text)
    return examples


def _describe_streams(content: Json, schemas: Json) -> None:
    """Describe each line or event: an item of the page, or the whole page if it is not a log."""
    for kind in {LINES, STREAM} & content.keys():
        page = content["application/json"]["schema"]
        items = schemas[_named(page)]["properties"]["items"]["items"]
        entries = schemas[_named(items)]
        is_log = "oneOf" in entries or "entry" in entries.get("properties", {})
        item = items if is_log else page
        value: Any = recorded().get(_named(page), {"items": [None]})
        data = dumps(value["items"][0] if is_log else value).decode()
        words = "One JSON value per line" if kind == LINES else "Events, whose `data` is JSON"
        others = content[kind]["schema"].get("x-events", {})
        names = ", ".join(
            [f"`{_named(item)}`", *(f"of `{name}` `{_named(others[name])}`" for name in others)]
        )
        content[kind]["schema"] |= {
            "description": f"{words}: {names}.",
            "x-itemSchema": item,  # `itemSchema` in OpenAPI 3.2
        }
        content[kind]["example"] = data + "\n" if kind == LINES else f"data: {data}\n\n"


def _named(reference: Json) -> str:
    return str(reference["$ref"]).rsplit("/", 1)[1]
