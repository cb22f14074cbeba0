"""No answer shows a card that the seat may not see: a walk through every answer of two games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.callers import Caller, new_game


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)


def hidden(position: dict[str, Any], seat: int | str) -> set[str]:
    """Return what a seat may not see in these two games, restated here: other hands, cards out of play."""
    zones = position["zones"].items()
    return {
        card
        for name, cards in zones
        if (name.startswith("hand.") and name != f"hand.{seat}") or name == "out"
        for card in cards
    }


@pytest.mark.parametrize(("ruleset", "seats", "moves"), [("cats_and_dogs", 3, 40), ("pies", 4, 20)])
def test_every_answer_of_a_game(
    host: Caller, auditor: Caller, anyone: Caller, four: list[Caller], ruleset: str, seats: int, moves: int
) -> None:
    game = new_game(host, four[:seats], ruleset, visibility="public")
    path = f"/v1/games/{game['id']}"
    viewers = {**dict(enumerate(four[:seats])), "stranger": anyone, "app": host}
    choose = random.Random(5).choice
    before = auditor.get(path).json["view"]
    version, status = game["version"], "running"
    while status == "running" and moves:
        moves -= 1
        mover = four[before["to_act"][0]]
        legal = mover.get(f"{path}/legal-moves").json["moves"]
        done = mover.post(f"{path}/moves", {"move": choose(legal)}).json
        status = done["game"]["status"]
        now = auditor.get(path).json["view"]
        for name, viewer in viewers.items():
            shown = viewer.get(path).json
            shown_to = set(strings(shown)) | set(strings(viewer.get("/v1/games?visibility=public").json))
            if isinstance(name, int):
                assert shown["view"]["zones"][f"hand.{name}"] == now["zones"][f"hand.{name}"]
                shown_to |= set(strings(viewer.get(f"{path}/legal-moves").json))
                shown_to |= set(strings(viewer.post(f"{path}/moves/dry-run", {"move": {"type": "x"}}).json))
            if viewer is mover:
                shown_to |= set(strings(done["game"]))
            assert not shown_to & hidden(now, name), (name, shown_to & hidden(now, name))
            # Of cards hidden before an entry and after it, the entry shows only the card played.
            entries = viewer.get(f"{path}/events?after={version}").json["items"]
            played = set(strings([entry.get("move") for entry in entries]))
            kept = (hidden(before, name) & hidden(now, name)) - played
            assert not set(strings(entries)) & kept, name
            if status == "running":
                record = viewer.get(f"{path}/record").json
                assert record["entries"][version:] == entries
                assert record["seed"] is None
                assert not {"seed", "position"} & set(strings(record["entries"]))
        before, version = now, done["game"]["version"]


def test_the_seed_is_shown_when_the_game_is_over_and_not_before(
    host: Caller, auditor: Caller, four: list[Caller]
) -> None:
    game = new_game(host, four[:2])
    path = f"/v1/games/{game['id']}"
    answers = [auditor.get(path).text, auditor.get(f"{path}/record").text, auditor.get(f"{path}/events").text]
    assert four[0].post(f"{path}/resignation").status_code == 201
    seed = host.get(f"{path}/record").json["seed"]
    assert len(seed) == 64
    assert not any(seed in text for text in answers)
