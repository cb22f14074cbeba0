"""Long requests delay nobody else: while one runs, the same process answers many others."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx
import psutil
import pytest

from tests.servers.serving import TIMEOUT, Server, constants, free_directory, serve
from tests.support.imports import record_of

pytestmark = pytest.mark.long

LONG = 8_000  # moves
CONNECTIONS = 2  # connections of the web process to the database
AT_ONCE = 6  # more long requests than connections
SETTINGS = {"POOL_SIZE": str(CONNECTIONS), "COMPUTE_TIMEOUT": "600"}  # enough for a slow machine
MEANWHILE = 30  # requests of others answered while those run
QUICK = 0.5  # seconds in which each is answered, if those take too little time for so many


@dataclass
class Service:
    """A server with one web process, a long record, and the game imported from it."""

    server: Server
    record: dict[str, Any]
    game: str = ""

    def client(self) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.server.key}"}
        return httpx.Client(base_url=self.server.url, headers=headers, timeout=TIMEOUT)

    def compute_processes(self) -> list[psutil.Process]:
        """Return the master of the compute processes, then these."""
        found = []
        for process in psutil.Process(self.server.process.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                if "api.run.web.compute" in process.cmdline():
                    found.append(process)
        return found


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with (
        free_directory() as directory,
        serve(directory, **SETTINGS) as server,
    ):
        made = Service(server, record_of(LONG))
        with made.client() as client:
            answer = client.post("/v1/records", json=made.record)
        assert answer.status_code == 201, answer.text
        made.game = answer.json()["id"]
        yield made


def all_meanwhile(
    service: Service, method: str, path: str, body: bytes | None = None
) -> list[httpx.Response]:
    """Return the answers to a long request, sent several times at once; others are served while they run."""

    def ask() -> httpx.Response:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        with service.client() as client:
            return client.request(method, path, content=body, headers=headers)

    count, slowest = 0, 0.0
    with service.client() as other, ThreadPoolExecutor(AT_ONCE) as pool:
        assert other.get("/v1/me").status_code == 200  # connected
        asked = [pool.submit(ask) for _ in range(AT_ONCE)]
        while not all(one.done() for one in asked):
            begun = time.monotonic()
            assert other.get("/v1/me").status_code == 200
            count, slowest = count + 1, max(slowest, time.monotonic() - begun)
        answers = [one.result() for one in asked]
    many = count >= MEANWHILE or slowest < QUICK  # a take-back in a long game takes no time any more
    assert many, f"{count} other requests were answered meanwhile, the slowest in {slowest:.1f} s"
    assert all(answer.status_code < 500 for answer in answers), answers
    return answers


def meanwhile(service: Service, method: str, path: str, body: bytes | None = None) -> httpx.Response:
    """Return one of those answers, which must all be equal."""
    return all_meanwhile(service, method, path, body)[0]


def brackets(count: int) -> bytes:
    return b'{"format": [' + b",".join([b"[]"] * count) + b"]}"


def test_replaying_a_long_record_delays_nobody(service: Service) -> None:
    body = json.dumps(service.record).encode()
    answer = meanwhile(service, "POST", "/v1/referee/replays", body)
    assert (answer.status_code, answer.json()["moves"]) == (200, LONG)


def test_judging_a_move_at_the_end_of_a_long_record_delays_nobody(service: Service) -> None:
    question = {"record": service.record, "seat": 0, "move": {"type": "nothing"}}
    answer = meanwhile(service, "POST", "/v1/referee/verdicts", json.dumps(question).encode())
    assert (answer.status_code, answer.json()["verdict"]["legal"]) == (200, False)


def test_importing_a_long_record_delays_nobody(service: Service) -> None:
    other = record_of(LONG, "other")
    answers = all_meanwhile(service, "POST", "/v1/records", json.dumps(other).encode())
    # One of them imports the record; later ones find it imported.
    assert sorted(answer.status_code for answer in answers) == [200] * (AT_ONCE - 1) + [201], answers
    assert len({answer.json()["id"] for answer in answers}) == 1


def test_verifying_a_long_game_delays_nobody(service: Service) -> None:
    answer = meanwhile(service, "GET", f"/v1/games/{service.game}/verification")
    assert (answer.status_code, answer.json()["ok"]) == (200, True)


def test_exporting_a_long_game_delays_nobody(service: Service) -> None:
    answer = meanwhile(service, "GET", f"/v1/games/{service.game}/record")
    assert (answer.status_code, len(answer.json()["moves"])) == (200, LONG)


def test_showing_an_old_version_of_a_long_game_delays_nobody(service: Service) -> None:
    version = LONG - 100
    answer = meanwhile(service, "GET", f"/v1/games/{service.game}?version={version}")
    assert (answer.status_code, answer.json()["version"]) == (200, version)


def test_json_of_many_values_delays_nobody(service: Service) -> None:
    answer = meanwhile(service, "POST", "/v1/referee/replays", brackets(200_000))
    assert answer.status_code == 400, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(("path", "count"), [("/v1/referee/replays", 5_000_000), ("/v1/players", 60_000)])
def test_json_of_too_many_values_is_refused(service: Service, path: str, count: int) -> None:
    with service.client() as client:
        answer = client.post(path, content=brackets(count), headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["type"]) == (413, "/problems/content-too-large")


def test_a_record_of_too_many_moves_is_refused(service: Service) -> None:
    moves = [{"seat": 0, "move": {}}] * 50_001
    with service.client() as client:
        answer = client.post("/v1/referee/replays", json={**service.record, "moves": moves})
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["moves"])


def test_answers_of_compute_processes_look_like_all_others(service: Service) -> None:
    with service.client() as client:
        answer = client.get(f"/v1/games/{service.game}/verification", headers={"X-Request-Id": "mine"})
        assert answer.headers["X-Request-Id"] == "mine"
        assert answer.headers.get_list("Content-Type") == ["application/json"]
        assert "RateLimit" in answer.headers
        assert "Server" in answer.headers
        unknown = client.get("/v1/games/00000000-0000-7000-8000-000000000000/verification")
        assert unknown.json()["type"] == "/problems/not-found"
        assert client.get(f"/v1/games/{service.game}/verification?x=1").status_code == 400
        assert httpx.get(f"{service.server.url}/v1/games/{service.game}/record").status_code == 404
        first = record_of(50, "first")
        headers = {"Idempotency-Key": "one"}
        answers = [client.post("/v1/records", json=first, headers=headers) for _ in range(2)]
        assert [one.status_code for one in answers] == [201, 201]
        assert answers[1].headers["Idempotency-Replayed"] == "true"
        assert answers[0].json() == answers[1].json()
        assert answers[0].headers["ETag"]


def test_dead_processes_are_replaced(service: Service) -> None:
    for process in service.compute_processes():
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    with service.client() as client:
        for _ in range(TIMEOUT * 10):
            answer = client.get(f"/v1/games/{service.game}/verification")
            if answer.status_code == 200:
                break
            assert answer.json()["type"] == "/problems/overloaded"
            assert answer.headers["Retry-After"]
        assert answer.status_code == 200


@pytest.fixture(scope="module")
def hurried() -> Iterator[Service]:
    """Run a server whose long requests may take a second, and of which few may wait."""
    limits = {"COMPUTE_TIMEOUT": "1", "COMPUTE_WORKERS": "1", **constants(compute_queue=1)}
    with free_directory() as directory, serve(directory, **limits) as server:
        yield Service(server, record_of(100))


def stall(service: Service) -> None:
    """Stop the working compute process; its master kills it when its time is over."""
    for process in service.compute_processes()[1:]:
        process.suspend()


def import_record(service: Service, client: httpx.Client) -> str:
    """Import the record; a second may be too short for that, and for the start of the compute processes."""
    body = json.dumps(service.record).encode()
    headers = {"Content-Type": "application/json", "Idempotency-Key": "once"}
    for _ in range(TIMEOUT):
        answer = client.post("/v1/records", content=body, headers=headers)
        if answer.is_success:
            break
    assert answer.is_success, answer.text
    return str(answer.json()["id"])


def test_a_request_that_takes_too_long_is_aborted_and_others_continue(hurried: Service) -> None:
    with hurried.client() as client:
        game = import_record(hurried, client)
        stall(hurried)
        late = client.get(f"/v1/games/{game}/verification")
        assert (late.status_code, late.json()["type"]) == (504, "/problems/took-too-long")
        for _ in range(TIMEOUT * 10):
            answer = client.get(f"/v1/games/{game}/verification")
            if answer.status_code == 200:
                break
        assert answer.status_code == 200


def test_one_caller_does_not_take_every_place(hurried: Service) -> None:
    with hurried.client() as client:
        path = f"/v1/games/{import_record(hurried, client)}/verification"
        assert client.get(path).status_code == 200
        stall(hurried)
        waiting = threading.Thread(target=lambda: hurried.client().get(path))
        waiting.start()
        refused = client.get(path)
        while refused.status_code == 200 and waiting.is_alive():
            refused = client.get(path)
        waiting.join()
    assert refused.status_code in (429, 504), refused.text


def test_a_request_whose_processes_have_not_started_is_told_when_the_server_stops() -> None:
    """They are stopped here, as they are while they start."""
    with free_directory() as directory, serve(directory) as server, ThreadPoolExecutor(1) as pool:
        service = Service(server, record_of(LONG))
        with service.client() as client:
            assert client.post("/v1/referee/replays", json=service.record).status_code == 200
            for process in service.compute_processes():
                process.suspend()
            waiting = pool.submit(client.post, "/v1/referee/replays", json=service.record)
            time.sleep(1)
            server.stop()
            answer = waiting.result()
    assert (answer.status_code, answer.json()["type"]) == (503, "/problems/overloaded")
    assert answer.headers["Retry-After"]
