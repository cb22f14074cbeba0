"""An app with many requests, streams or uploads at once: only its own requests wait for each other."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

import httpx
import psutil
import pytest

from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, Server, free_directory, run, serve
from tests.support.imports import record_of
from tests.support.raw import connect, head
from tests.support.streams import STREAM

pytestmark = pytest.mark.long

CONNECTIONS, GAMES = 64, 60
LONG = 2_000  # moves
PAST = 20  # requests of a crowd that may overtake somebody else's


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Run a server with one process, a few places, and a key of another app."""
    limits = {"COMPUTE_TIMEOUT": "300", "COMPUTE_WORKERS": "2", "GUESTS": "true"}
    with free_directory() as directory, serve(directory, CONCURRENCY="4", **limits) as running:
        yield running


@pytest.fixture(scope="module")
def other(server: Server) -> Callable[[], httpx.Client]:
    """Return a function that connects another app."""
    done = run(
        "keys", "create", "other", *("--scope", "read", "--scope", "write"), "--data-dir", server.data_dir
    )
    assert done.returncode == 0, done.stderr
    key = done.stdout.splitlines()[-1]
    return lambda: client(server, key)


def client(server: Server, key: str | None) -> httpx.Client:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    return httpx.Client(base_url=server.url, headers=headers, timeout=TIMEOUT, limits=limits)


@pytest.fixture(scope="module")
def game(server: Server) -> str:
    """Return the path of the last of many public games."""
    wanted = {"ruleset": "pies", "seats": [{"open": True}] * 4, "visibility": "public"}
    with client(server, server.key) as host:
        for _ in range(GAMES):
            made = host.post("/v1/games", json=wanted)
            assert made.status_code == 201, made.text
    return f"/v1/games/{made.json()['id']}"


@pytest.mark.beside("places in work")
@pytest.mark.parametrize("with_key", [True, False])
def test_a_crowd_that_lists_games_delays_nobody_else(
    server: Server, other: Callable[[], httpx.Client], game: str, with_key: bool
) -> None:
    answered, stopping = Counter[int](), threading.Event()

    def ask_on() -> None:
        with client(server, server.key if with_key else None) as one:
            while not stopping.is_set():
                answered[one.get("/v1/games", params={"visibility": "public", "limit": 200}).status_code] += 1

    with other() as victim, ThreadPoolExecutor(CONNECTIONS) as pool:
        assert victim.get("/v1/me").status_code == 200
        for _ in range(CONNECTIONS):
            pool.submit(ask_on)
        try:
            assert eventually(lambda: answered[200] > CONNECTIONS)
            overtaken = []
            for path in ("/v1/me", "/readyz") * 10:
                before = answered.total()
                assert victim.get(path).status_code == 200
                overtaken.append(answered.total() - before)
        finally:
            stopping.set()
    assert not set(answered) - {200, 429}
    assert sorted(overtaken)[10] <= PAST, overtaken


@pytest.mark.parametrize("path", ["/docs/search?q=a+b+c+d+e+f", "/web/texts.js"])
def test_a_crowd_that_reads_pages_delays_nobody_else(
    server: Server, other: Callable[[], httpx.Client], path: str
) -> None:
    answered, stopping = Counter[int](), threading.Event()

    def ask_on() -> None:
        with client(server, None) as one:
            while not stopping.is_set():
                answered[one.get(path).status_code] += 1

    with other() as victim, ThreadPoolExecutor(CONNECTIONS) as pool:
        assert victim.get("/v1/me").status_code == 200
        for _ in range(CONNECTIONS):
            pool.submit(ask_on)
        try:
            assert eventually(lambda: answered[200] > CONNECTIONS)
            overtaken = []
            for _ in range(10):
                before = answered.total()
                assert victim.get("/v1/me").status_code == 200
                overtaken.append(answered.total() - before)
        finally:
            stopping.set()
    assert not set(answered) - {200, 429}
    assert sorted(overtaken)[5] <= PAST, overtaken


def test_games_of_bots_that_let_others_work_hold_no_connection(
    server: Server, other: Callable[[], httpx.Client]
) -> None:
    bots = {"ruleset": "pedro", "seats": [{"bot": "cautious"}] * 4}
    answered = Counter[int]()
    with ExitStack() as stack, ThreadPoolExecutor(16) as pool, other() as victim:
        host = stack.enter_context(client(server, server.key))
        games = [pool.submit(host.post, "/v1/games", json=bots) for _ in range(32)]
        while not all(game.done() for game in games):
            answered[victim.get("/v1/me").status_code] += 1
            answered[victim.get("/readyz").status_code] += 1
    assert {game.result().status_code for game in games} == {201}
    assert set(answered) == {200}


def test_streams_that_wait_hold_no_place(
    server: Server, other: Callable[[], httpx.Client], game: str
) -> None:
    with ExitStack() as stack, other() as victim:
        host = stack.enter_context(client(server, server.key))
        for _ in range(20):
            stream = host.stream("GET", f"{game}/events", headers={"Accept": STREAM})
            assert stack.enter_context(stream).status_code == 200
        for _ in range(10):
            assert host.get("/v1/me").status_code == 200
            assert victim.get("/v1/me").status_code == 200


@pytest.mark.beside("memory for bodies")
def test_halves_of_uploads_by_anybody_refuse_nobody_elses_body(
    server: Server, other: Callable[[], httpx.Client]
) -> None:
    half = head("/v1/referee/replays", None, f"Content-Length: {16 << 20}") + b" " * (12 << 20)
    body = json.dumps({"format": "x" * 400_000}).encode()
    json_type = {"Content-Type": "application/json"}
    with ExitStack() as stack, other() as victim:
        opened = [stack.enter_context(closing(connect(server))) for _ in range(10)]
        sending = [threading.Thread(target=_send, args=(one, half)) for one in opened]
        for thread in sending:
            thread.start()
        for thread in sending:
            thread.join()
        for key in (None, server.key):
            with client(server, key) as asker:
                status = asker.post("/v1/referee/replays", content=body, headers=json_type).status_code
                assert status in ((400,) if key else (400, 429))
        assert victim.post("/v1/referee/replays", content=body, headers=json_type).status_code == 400


def _send(one: socket.socket, data: bytes) -> None:
    with contextlib.suppress(OSError):  # refused meanwhile
        one.sendall(data)


@pytest.mark.beside("compute places")
def test_long_requests_of_three_callers_refuse_nobody_elses(
    server: Server, other: Callable[[], httpx.Client]
) -> None:
    record = record_of(LONG)
    body = json.dumps(record).encode()
    json_type = {"Content-Type": "application/json"}
    answered, stopping = Counter[int](), threading.Event()

    def replay_on(key: str) -> None:
        with client(server, key) as one:
            while not stopping.is_set():
                answer = one.post("/v1/referee/replays", content=body, headers=json_type)
                answered[answer.status_code] += 1

    with other() as victim, client(server, None) as anybody, ThreadPoolExecutor(37) as pool:
        imported = victim.post("/v1/records", json=record)
        assert imported.status_code == 201, imported.text
        keys = [server.key, *(anybody.post("/v1/guests", json={"name": "G"}).json()["token"] for _ in "12")]
        verification = f"/v1/games/{imported.json()['id']}/verification"
        computing = compute_processes(server)
        for process in computing:
            process.suspend()
        try:
            for key in keys * 12:
                pool.submit(replay_on, key)
            assert eventually(lambda: answered[429] >= 36 - 16)
            first = pool.submit(victim.get, verification)
        finally:
            for process in computing:
                process.resume()
        try:
            statuses = [
                first.result().status_code,
                *(victim.get(verification).status_code for _ in range(18)),
            ]
        finally:
            stopping.set()
    assert statuses == [200] * 19
    assert set(answered) == {200, 429}


def compute_processes(server: Server) -> list[psutil.Process]:
    """Return the compute processes, without their master."""
    found = [
        process
        for process in psutil.Process(server.process.pid).children(recursive=True)
        if "api.run.web.compute" in process.cmdline()
    ]
    return found[1:]
