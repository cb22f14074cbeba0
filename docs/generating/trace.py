"""The path of one move through the modules, watched while it is made, as a sequence diagram in Mermaid."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from types import FrameType
from typing import Any, NamedTuple

from sqlalchemy import create_engine

from api.app import create_app
from api.callers import app_keys
from api.core.config import Settings

# A module belongs to the first of these that begins its name; others are tools that all of them use.
PARTS = {
    "api.http": "http",
    "api.games.routes": "routes",
    "api.games": "games",
    "api.features": "features",
    "referee": "referee",
    "api.store.database": "database",
    "api.store": "store",
}
LEFT_OUT = ("api.store.database.encryption", "referee.engine.jsontext")
CLIENT = "client"
CARRIERS = ("routes", "games")  # the parts through which a move itself passes


class Step(NamedTuple):
    """A call from one part to another."""

    caller: str
    callee: str
    function: str


def watch(call: Callable[[], Any]) -> list[Step]:
    """Run `call`; return the function calls from one part to another, in order.

    Properties, constructors and private or nested functions are left out, and so are calls within a part,
    except the notification of subscribers, which the database's session sends at the end.
    """
    steps: list[Step] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event != "call" or not (callee := _part(frame)) or not _is_public(frame):
            return
        back = frame.f_back
        while back is not None and not _part(back):
            back = back.f_back
        caller = CLIENT if back is None else _part(back)
        module = frame.f_globals["__name__"].rpartition(".")[2]
        if caller not in (callee, CLIENT) or module == "publishing":
            steps.append(Step(caller, callee, f"{module}.{frame.f_code.co_qualname}"))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return steps


def _part(frame: FrameType) -> str:
    name = frame.f_globals.get("__name__", "")
    if name.startswith(LEFT_OUT):
        return ""
    return next((part for prefix, part in PARTS.items() if f"{name}.".startswith(f"{prefix}.")), "")


def _is_public(frame: FrameType) -> bool:
    found: Any = sys.modules[frame.f_globals["__name__"]]
    for name in frame.f_code.co_qualname.split("."):
        found = vars(found).get(name) if not name.startswith("_") and hasattr(found, "__dict__") else None
    return found is not None and not isinstance(found, property)


def hops(steps: list[Step]) -> list[Step]:
    """Return the hops of a move: the calls by which a part that carries it turns to another part than before.

    Notifying the subscribers is a hop too. The game's questions to the referee are not: they lead nowhere
    else.
    """
    found: list[Step] = []
    last: dict[str, str] = {}
    for step in steps:
        around = step.callee == "routes" or step.caller == step.callee  # arrival, and notification
        onward = step.caller in CARRIERS and (step.caller, step.callee) != ("games", "referee")
        if (around or onward) and last.get(step.caller) != step.callee:
            found.append(step)
            last.pop(step.callee, None)  # this begins something new
            last[step.caller] = step.callee
    return found


def diagram(steps: list[Step]) -> str:
    """Return the first call of each function among the steps as a sequence diagram."""
    steps = list(dict.fromkeys(steps))
    present = {name for step in steps for name in (step.caller, step.callee)}
    parts = [name for name in (CLIENT, *PARTS.values()) if name in present]
    lines = ["```mermaid", "sequenceDiagram", *(f"    participant {part}" for part in parts)]
    lines += [f"    {step.caller}->>{step.callee}: {step.function}" for step in steps]
    return "\n".join([*lines, "```", ""])


def move(settings: Settings) -> list[Step]:
    """Return the steps of a keyed move in an empty, migrated database, in a game that a webhook follows."""
    chance = random.Random("the same game each time")
    app = create_app(settings, clock=lambda: datetime(2026, 3, 1, tzinfo=UTC), random_bytes=chance.randbytes)
    engine = create_engine(settings.owner_database_url)
    with engine.begin() as connection:
        _, key = app_keys.create_app_key(connection, "docs", ["read", "write"], None)
    engine.dispose()
    client = app.test_client()

    def ask(method: str, path: str, number: int = 0, **body: Any) -> Any:
        headers = {"Authorization": f"Bearer {key}"} | (
            {"Idempotency-Key": f"key-{number}"} if number else {}
        )
        answer = client.open(f"/v1{path}", method=method, headers=headers, json=body or None)
        assert answer.status_code < 300, answer.text
        return answer.json

    ask("POST", "/webhooks", url="https://example.org/moves", events=["turn.began", "game.moved"])
    seats = [{"player": ask("POST", "/players", name=name)["id"]} for name in ("Anna", "Bela")]
    game = ask("POST", "/games", ruleset="cats_and_dogs", seats=seats)
    for number in (1, 2):  # the first move fills caches
        seat = game["to_act"][0]
        legal = ask("GET", f"/games/{game['id']}/legal-moves?seat={seat}")["moves"]
        steps = watch(
            lambda: ask("POST", f"/games/{game['id']}/moves", number, seat=seat, move=legal[0])  # noqa: B023
        )
        game = ask("GET", f"/games/{game['id']}")
    app.extensions["card_referee"].database.close()
    return [Step(CLIENT, "http", "POST /v1/games/{game}/moves"), *steps]
