"""The examples of requests and answers: what real games sent and got (`make examples` records it)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import referee
from api.core.json import dumps
from api.http.answers import Json

RECORDED = Path(__file__).with_name("recorded.json")
STREAM = "text/event-stream"
JSON = "application/json"
MOVES = ("append_move", "try_move")


@cache
def recorded() -> Json:
    """Return exchanges by operation and by status and content type: the request, its body, and the answer."""
    read: Json = json.loads(RECORDED.read_text("utf-8"))
    return read


def add_examples(api: Json) -> None:
    """Add to every body of an operation what it was in an exchange of this operation.

    A body of which nothing is recorded yet has none; a test fails until it is.
    """
    for path in api["paths"].values():
        for operation in path.values():
            _add(operation, recorded().get(operation["operationId"], {}), api["components"]["schemas"])


def _add(operation: Json, exchanges: Json, schemas: Json) -> None:
    sent = operation.get("requestBody", {}).get("content", {}).get(JSON, {})
    if operation["operationId"] in MOVES:
        sent["examples"] = first_moves()
    for status, answer in operation["responses"].items():
        for kind, described in answer.get("content", {}).items():
            exchange = exchanges.get(f"{status} {kind}", {})
            if kind == STREAM:
                _describe_stream(answer["content"], schemas, exchanges.get(f"{status} {JSON}"))
            elif "answer" in exchange:
                described["example"] = exchange["answer"]
    for exchange in exchanges.values():
        if "body" in exchange and sent and "examples" not in sent:
            sent.setdefault("example", exchange["body"])


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


def _describe_stream(content: Json, schemas: Json, exchange: Any) -> None:
    """Describe each event: an item of the page, or the whole page if it is not a log."""
    page = content[JSON]["schema"]
    items = schemas[_named(page)]["properties"]["items"]["items"]
    entries = schemas[_named(items)]
    is_log = "oneOf" in entries or "entry" in entries.get("properties", {})
    item = items if is_log else page
    value: Any = exchange["answer"] if exchange else {"items": [None]}
    data = dumps(value["items"][0] if is_log else value).decode()
    others = content[STREAM]["schema"].get("x-events", {})
    names = ", ".join([f"`{_named(item)}`", *(f"of `{name}` `{_named(others[name])}`" for name in others)])
    content[STREAM]["schema"] |= {
        "description": f"Events, whose `data` is JSON: {names}.",
        "x-itemSchema": item,  # `itemSchema` in OpenAPI 3.2
    }
    content[STREAM]["example"] = f"data: {data}\n\n"


def _named(reference: Json) -> str:
    return str(reference["$ref"]).rsplit("/", 1)[1]
