"""What a move asks of the database: nothing whose answer is known already, or that nobody uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from api.store.database.connections import PooledConnection
from tests.api.conftest import Caller, first_move, new_game


@contextmanager
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The statements that requests run meanwhile; beginning and ending a transaction are none."""
    found: list[str] = []
    execute = PooledConnection.execute

    def run(self: PooledConnection, query: Any, *arguments: Any, **more: Any) -> Any:
        found.append(str(query))
        return execute(self, query, *arguments, **more)

    with monkeypatch.context() as patched:
        patched.setattr(PooledConnection, "execute", run)
        yield found


def asks_for(statements: list[str], table: str) -> bool:
    """Return whether it was asked who of these is to be told, beside the statement that moves a game on."""
    return any(f"FROM {table}" in each for each in statements if "UPDATE games" not in each)


def move(players: list[Caller], game: dict[str, Any]) -> dict[str, Any]:
    seat = game["to_act"][0]
    done = players[seat].post(f"/v1/games/{game['id']}/moves", {"move": first_move(players[seat], game)})
    assert done.status_code == 201
    found: dict[str, Any] = done.json["game"]
    return found


def test_who_is_not_there_is_not_looked_for(
    host: Caller, four: list[Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = new_game(host, four[:3])
    with recorded(monkeypatch) as statements:
        game = move(four, game)
    assert not asks_for(statements, "webhooks")
    assert not asks_for(statements, "contacts")
    hook = host.post("/v1/webhooks", {"url": "https://example.org/a"}).json["id"]
    with recorded(monkeypatch) as statements:
        game = move(four, game)
    assert asks_for(statements, "webhooks")
    assert not asks_for(statements, "contacts")
    assert host.delete(f"/v1/webhooks/{hook}").status_code == 204
    assert four[0]("PATCH", "/v1/me/preferences", {"frequency": "never"}).status_code == 200
    with recorded(monkeypatch) as statements:
        move(four, game)
    assert not asks_for(statements, "webhooks")
    assert asks_for(statements, "contacts")
