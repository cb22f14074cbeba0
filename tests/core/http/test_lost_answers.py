"""What a 503 says about a change if the connection to the database breaks at the worst moment."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
from werkzeug.test import TestResponse

from api.app import create_app
from api.core.config import Settings
from tests.servers.database_proxy import Proxy
from tests.support.callers import Caller, Clock, first_move, new_game

KEY = {"Idempotency-Key": "once"}


@pytest.fixture
def proxy(settings: Settings) -> Iterator[Proxy]:
    behind = re.search("host=([^&]*)", settings.database_url)
    assert behind is not None
    with tempfile.TemporaryDirectory(prefix="card-referee-proxy-") as directory:
        made = Proxy(Path(directory), Path(unquote(behind[1])))
        yield made
        made.close()


@pytest.fixture
def far(settings: Settings, proxy: Proxy, clock: Clock, host: Caller) -> Iterator[Caller]:
    """Return the app key of `host` at a process that reaches the database through the proxy."""
    address = re.sub("host=[^&]*", f"host={proxy.directory}", settings.database_url)
    app = create_app(replace(settings, database_url=address), clock=clock)
    yield replace(host, app=app)
    app.extensions["card_referee"].database.close()


def refusal(answer: TestResponse) -> str:
    assert answer.status_code == 503, answer.text
    assert answer.json["type"] == "/problems/database-unavailable"
    assert answer.headers["Retry-After"]
    detail: str = answer.json["detail"]
    return detail


@pytest.mark.parametrize("committed", [True, False])
def test_a_commit_whose_answer_was_lost_is_reported_as_unknown(
    far: Caller, proxy: Proxy, host: Caller, committed: bool
) -> None:
    proxy.break_at(b"COMMIT", deliver=committed)
    detail = refusal(far.post("/v1/players", {"name": "Anna"}, headers=KEY))
    assert "may or may not" in detail
    assert "Idempotency-Key" in detail
    assert "Nothing was changed" not in detail
    while committed and not host.get("/v1/players").json["items"]:
        time.sleep(0.01)  # the commit is on its way
    again = far.post("/v1/players", {"name": "Anna"}, headers=KEY)
    assert again.status_code == 201
    assert ("Idempotency-Replayed" in again.headers) is committed
    assert [item["id"] for item in far.get("/v1/players").json["items"]] == [again.json["id"]]


def test_a_change_that_was_never_committed_is_reported_as_not_made(far: Caller, proxy: Proxy) -> None:
    proxy.break_at(b"INSERT INTO players", deliver=True)
    assert "Nothing was changed" in refusal(far.post("/v1/players", {"name": "Anna"}, headers=KEY))
    proxy.break_at(b"FROM players", deliver=True)
    assert "Nothing was changed" in refusal(far.get("/v1/players"))
    assert far.get("/v1/players").json["items"] == []


@pytest.mark.parametrize(("statement", "says"), [(b"COMMIT", "may or may not"), (b"INSERT", "Nothing was")])
def test_a_network_that_drops_everything_is_not_waited_for(
    settings: Settings, far: Caller, proxy: Proxy, clock: Clock, statement: bytes, says: str
) -> None:
    """The connection seems alive, but nothing arrives."""
    address = re.sub("host=[^&]*", f"host={proxy.directory}", settings.database_url)
    app = create_app(replace(settings, database_url=address, database_timeout=1), clock=clock)
    caller = replace(far, app=app)
    assert caller.get("/v1/players").json["items"] == []
    proxy.hold_at(statement)
    assert says in refusal(caller.post("/v1/players", {"name": "Anna"}, headers=KEY))
    proxy.relent()
    again = caller.post("/v1/players", {"name": "Anna"}, headers=KEY)
    assert again.status_code == 201, again.text
    assert [item["id"] for item in caller.get("/v1/players").json["items"]] == [again.json["id"]]
    app.extensions["card_referee"].database.close()


def test_a_move_is_confirmed_even_if_the_bots_after_it_failed(
    far: Caller, proxy: Proxy, host: Caller, four: list[Caller]
) -> None:
    seats = [{"player": four[0].player}, {"bot": "random"}]
    game = host.post("/v1/games", {"ruleset": "cats_and_dogs", "seats": seats}).json
    player, path = replace(four[0], app=far.app), f"/v1/games/{game['id']}/moves"
    move = {"move": first_move(four[0], game)}
    proxy.break_at(b"FROM games", deliver=False)
    assert "Nothing was changed" in refusal(player.post(path, move, headers=KEY))
    proxy.break_at(b"FOR UPDATE", deliver=False)  # before the bots' moves
    assert "Nothing was" not in refusal(player.post(path, move, headers=KEY))
    again = player.post(path, move, headers=KEY)
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")
    assert again.json["entry"]["seq"] == game["version"] + 1


@pytest.mark.parametrize("feed", [True, False])
def test_an_unreadable_log_is_reported(
    far: Caller, proxy: Proxy, host: Caller, four: list[Caller], feed: bool
) -> None:
    game = new_game(host, four)
    path, statement = (
        ("/v1/events", b"feed_horizon") if feed else (f"/v1/games/{game['id']}/events", b"entries")
    )
    proxy.break_at(statement, deliver=False)
    assert "Nothing was changed" in refusal(far.get(path))


@pytest.mark.parametrize("committed", [True, False])
def test_a_move_made_by_one_statement_is_made_once(
    far: Caller, proxy: Proxy, host: Caller, four: list[Caller], committed: bool
) -> None:
    """The server cannot know whether it was committed, so only the caller tries again, with the same key."""
    game = new_game(host, four[:3])
    player, path = replace(four[game["to_act"][0]], app=far.app), f"/v1/games/{game['id']}"
    move = {"move": first_move(player, game)}
    proxy.break_at(b"INSERT INTO entries", deliver=committed)
    assert "may or may not" in refusal(player.post(f"{path}/moves", move, headers=KEY))
    while committed and host.get(path).json["version"] == game["version"]:
        time.sleep(0.01)  # the statement is on its way
    again = player.post(f"{path}/moves", move, headers=KEY)
    assert again.status_code == 201
    assert ("Idempotency-Replayed" in again.headers) is committed
    assert host.get(path).json["version"] == again.json["entry"]["seq"] == game["version"] + 1
