"""Several processes on one database, as systemd units would start them, and clients that play there."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx
import pytest

from api.callers import app_keys
from api.core.config import Settings, libpq
from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, command, environment, free_port

BUSY = {429, 502, 503}  # answers after which a client repeats with the same key


def require(program: str) -> str:
    found = shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin")
    if found is None:
        pytest.skip(f"{program} is not installed here")
    return found


class Site:
    """Several `web` and one `worker` on one database, each a process as a systemd unit would start it."""

    def __init__(self, settings: Settings, webs: int = 2, **more: str) -> None:
        self.ports = [free_port() for _ in range(webs)]
        self._environ = environment(
            DATABASE_URL=libpq(settings.database_url),
            WORKER_DATABASE_URL=libpq(settings.worker_database_url),
            ENCRYPTION_KEYS=",".join(settings.encryption_keys),
            TRUSTED_PROXIES="1",
            LOG_LEVEL="warning",
            WORKERS="1",
            COMPUTE_WORKERS="1",
        )
        self._environ |= more
        _, self.key = app_keys.create(settings, f"site-{self.ports[0]}", ["read", "write"], None)
        self.web = {port: self._start("web", "--port", port) for port in self.ports}
        self.worker = self._start("worker")
        for port in self.ports:
            self.wait_until_ready(port)

    def _start(self, *arguments: object) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command(*arguments), env=self._environ, stdin=subprocess.DEVNULL)

    def wait_until_ready(self, port: int) -> None:
        assert eventually(lambda: answers(f"http://127.0.0.1:{port}/readyz")), f"no answer on port {port}"

    def restart(self, port: int) -> None:
        """Restart a server as `systemctl restart card-referee-web@PORT` does."""
        self.web[port].terminate()
        assert self.web[port].wait(TIMEOUT) == 0
        self.web[port] = self._start("web", "--port", port)
        self.wait_until_ready(port)

    def stop(self) -> None:
        for process in [*self.web.values(), self.worker]:
            process.terminate()
        for process in [*self.web.values(), self.worker]:
            process.wait(TIMEOUT)


def answers(url: str) -> bool:
    try:
        return httpx.get(url, verify=False, timeout=10).status_code == 200
    except httpx.TransportError:
        return False


@contextmanager
def client(proxy: str, key: str) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {key}", "Host": "cards.example.org"}
    with httpx.Client(base_url=proxy, verify=False, headers=headers, timeout=TIMEOUT) as found:
        yield found


def new_game(http: httpx.Client) -> str:
    player = http.post("/v1/players", json={"name": "Anna"}).json()["id"]
    seats: list[dict[str, Any]] = [{"player": player}, {"bot": "random"}, {"bot": "random"}]
    made = http.post("/v1/games", json={"ruleset": "cats_and_dogs", "seats": seats})
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def first_move(http: httpx.Client, game: str) -> dict[str, Any] | None:
    answer = http.get(f"/v1/games/{game}/legal-moves", params={"seat": 0})
    moves = answer.json()["moves"] if answer.status_code == 200 else []
    return {"seat": 0, "move": moves[0]} if moves else None


def repeated(http: httpx.Client, path: str, body: dict[str, Any], key: str | None = None) -> httpx.Response:
    """Repeat a request with the same key until it is answered, as a client does."""
    headers = {"Idempotency-Key": key or str(uuid4())}
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            answer: httpx.Response = http.post(path, json=body, headers=headers)
            if answer.status_code not in BUSY:
                return answer
        except httpx.TransportError:
            pass
        assert time.monotonic() < deadline, "the API did not come back"
        time.sleep(0.05)


def log(http: httpx.Client, game: str) -> list[dict[str, Any]]:
    return everything(http, f"/v1/games/{game}/events")


def everything(http: httpx.Client, path: str) -> list[dict[str, Any]]:
    """Return a log or a feed, read in pages."""
    found, cursor = list[dict[str, Any]](), ""
    while True:
        page = http.get(path, params={"limit": "200", **({"cursor": cursor} if cursor else {})}).json()
        found += page["items"]
        if page["next"] is None:
            return found
        cursor = page["next"]


@dataclass
class Player:
    """Plays game after game on a server; each move has a key and is repeated with it until answered."""

    url: str
    key: str
    stop: threading.Event
    games: list[str] = field(default_factory=list)
    answered: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = field(default_factory=list)
    """The game, the move, its key, the answer."""
    faults: list[str] = field(default_factory=list)

    def __call__(self) -> None:
        with client(self.url, self.key) as http:
            while not self.stop.is_set():
                try:
                    self._play(http)
                except (httpx.TransportError, KeyError, AssertionError):
                    continue  # creating a game or listing moves failed: the database is down

    def _play(self, http: httpx.Client) -> None:
        if not self.games or http.get(f"/v1/games/{self.games[-1]}").json()["status"] != "running":
            self.games.append(new_game(http))
        game = self.games[-1]
        move = first_move(http, game)
        if move is None:
            return
        key = str(uuid4())
        made = repeated(http, f"/v1/games/{game}/moves", move, key)
        if made.status_code == 201:
            self.answered.append((game, move, key, made.json()))
        else:
            self.faults.append(f"{made.status_code} {made.text}")
