"""What is wrong with a field has a code for programs, beside the words for people."""

from __future__ import annotations

from typing import Any

import pytest

from api.core.errors import CODES
from tests.support.callers import Caller

GAME: dict[str, Any] = {"ruleset": "cats_and_dogs", "seats": [{"bot": "random"}] * 3}
STRANGER = {**GAME, "seats": [{"player": "019ca94f-4d80-7000-8000-000000000000"}]}
PLAYERS, GAMES = "/v1/players", "/v1/games"
BAD: list[tuple[str, str, str, dict[str, Any]]] = [
    ("missing", "name", PLAYERS, {}),
    ("missing", "seats.0", GAMES, {**GAME, "seats": [{}]}),
    ("missing", "ruleset", "/v1/referee/replays", {"format": "card-referee/1"}),
    ("unknown", "nickname", PLAYERS, {"name": "Anna", "nickname": "A"}),
    ("unknown", "seats.0.player", GAMES, STRANGER),
    ("unknown", "options.speed", GAMES, {**GAME, "options": {"speed": 1}}),
    ("null", "name", PLAYERS, {"name": None}),
    ("choice", "visibility", GAMES, {**GAME, "visibility": "secret"}),
    ("choice", "ruleset", GAMES, {**GAME, "ruleset": "chess"}),
    ("size", "name", PLAYERS, {"name": "x" * 101}),
    ("size", "seats", GAMES, {**GAME, "seats": []}),
    ("size", "pace.per_move", GAMES, {**GAME, "pace": {"per_move": "P9999D"}}),
    ("size", "seat", "/v1/referee/legal-moves", {"position": {}, "seat": 99}),
    ("type", "name", PLAYERS, {"name": 5}),
    ("type", "options", GAMES, {**GAME, "options": []}),
    ("duplicate", "visibility", "/v1/records?visibility=public&visibility=public", {}),
    ("invalid", "name", PLAYERS, {"name": "a\x07"}),
    ("invalid", "url", "/v1/webhooks", {"url": "nowhere"}),
]


@pytest.mark.parametrize(("code", "field", "path", "body"), BAD)
def test_a_fault_of_a_field_has_a_code(
    host: Caller, code: str, field: str, path: str, body: dict[str, Any]
) -> None:
    refused = host.post(path, body)
    assert refused.status_code in (400, 422), refused.text
    assert refused.json["errors"].keys() == refused.json["codes"].keys() == {field}
    assert refused.json["codes"][field] == [code] * len(refused.json["errors"][field])


def test_every_code_has_an_example() -> None:
    assert {code for code, *_ in BAD} == {*CODES}
