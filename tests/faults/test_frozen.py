"""A database that is frozen, not dead: every request is answered meanwhile, and nothing is lost."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psutil
import pytest

from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, Server, constants, free_directory, serve
from tests.servers.sites import log, repeated

pytestmark = pytest.mark.long

CALLERS = 40  # requests at once, to a process with two connections to the database


@contextlib.contextmanager
def served(timeout: int) -> Iterator[Server]:
    """Run a server that gives its database this many seconds to answer."""
    with (
        free_directory() as directory,
        serve(directory, POOL_SIZE="2", **constants(database_timeout=timeout)) as made,
    ):
        yield made


@contextlib.contextmanager
def client(server: Server) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {server.key}"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=TIMEOUT) as found:
        yield found


def below(server: Server, postgres: bool) -> list[psutil.Process]:
    """Return the processes of PostgreSQL, or all others."""
    found = []
    for process in psutil.Process(server.process.pid).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if (process.name() == "postgres") is postgres:
                found.append(process)
    return found


@contextlib.contextmanager
def frozen(server: Server) -> Iterator[None]:
    """Stop every process of the database, without breaking its connections."""
    stopped = below(server, postgres=True)
    assert stopped
    for process in stopped:
        process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for process in stopped:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGCONT)


def unknown(server: Server, path: str) -> httpx.Response:
    """Send a request without a key, like a health check."""
    return httpx.get(server.url + path, timeout=TIMEOUT)


def new_game(http: httpx.Client) -> dict[str, Any]:
    """Create a game of two players of the app, without bots."""
    seats = [{"player": http.post("/v1/players", json={"name": "Anna"}).json()["id"]} for _ in range(2)]
    made = http.post("/v1/games", json={"ruleset": "cats_and_dogs", "seats": seats})
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()
    return found


def legal(http: httpx.Client, game: dict[str, Any]) -> dict[str, Any]:
    """Return a legal move for the seat to act."""
    path = f"/v1/games/{game['id']}"
    seat = http.get(path).json()["to_act"][0]
    return {"seat": seat, "move": http.get(f"{path}/legal-moves?seat={seat}").json()["moves"][0]}


def unavailable(answer: httpx.Response) -> str:
    """Return what an answer during the freeze says about the change."""
    assert answer.status_code == 503, answer.text
    assert answer.json()["type"] == "/problems/database-unavailable"
    assert answer.headers["Retry-After"]
    return str(answer.json()["detail"])


def test_every_request_is_answered_and_nothing_is_lost_or_duplicated() -> None:
    with served(2) as server, client(server) as http, ThreadPoolExecutor(CALLERS) as pool:
        game = new_game(http)
        path = f"/v1/games/{game['id']}"
        for _ in range(2):
            assert http.post(f"{path}/moves", json=legal(http, game)).status_code == 201
        move = legal(http, game)
        before = log(http, game["id"])
        others = {process.pid for process in below(server, postgres=False)}
        with frozen(server):
            moved = http.post(f"{path}/moves", json=move, headers={"Idempotency-Key": "once"})
            assert "may or may not have" in unavailable(moved)
            answers = list(pool.map(http.get, [path] * CALLERS))
            late = [answer for answer in answers if answer.status_code == 429]  # those who waited in line
            assert all(answer.headers["Retry-After"] for answer in late)
            told = [unavailable(answer) for answer in answers if answer not in late]
            assert told
            assert all("Nothing was changed" in detail for detail in told)
        again = repeated(http, f"{path}/moves", move, "once")
        assert again.status_code == 201, again.text
        assert eventually(lambda: unknown(server, "/readyz").status_code == 200)
        found = log(http, game["id"])
        assert found[:-1] == before
        assert (found[-1]["type"], found[-1]["move"]) == ("moved", move["move"])
        assert again.json()["entry"]["hash"] == found[-1]["hash"]
        assert http.get(f"{path}/verification").json()["ok"]
        assert others <= {process.pid for process in below(server, postgres=False)}, (
            "no process was restarted"
        )


def test_requests_without_the_database_are_answered_while_others_wait_for_it() -> None:
    with served(600) as server, client(server) as http, ThreadPoolExecutor(1) as pool:
        game = new_game(http)
        body = legal(http, game)
        with frozen(server):  # there is a free connection, but no answer on it
            unavailable(unknown(server, "/readyz"))
        assert eventually(lambda: unknown(server, "/readyz").status_code == 200)
        with frozen(server):
            moved = pool.submit(http.post, f"/v1/games/{game['id']}/moves", json=body)
            assert unknown(server, "/healthz").status_code == 200
            assert unknown(server, "/").status_code == 200
            unavailable(unknown(server, "/readyz"))
            assert not moved.done(), "the request still has ten minutes"
        assert moved.result().status_code == 201, "the database has finally answered"
