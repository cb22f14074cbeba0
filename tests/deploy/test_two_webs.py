"""Two `web` on one database behind HAProxy: each knows what the other did, and either may die."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx
import psutil
import pytest

from api.core.config import Settings
from tests.servers.proxies import before, haproxy
from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT
from tests.servers.sites import Site, client, first_move, log, new_game, repeated

pytestmark = pytest.mark.long

METRICS_TOKEN = "a-token-for-metrics-alone"


@pytest.fixture
def site(settings: Settings) -> Iterator[Site]:
    found = Site(settings, METRICS_TOKEN=METRICS_TOKEN)
    try:
        yield found
    finally:
        found.stop()


@pytest.fixture
def public(site: Site) -> Iterator[str]:
    with before(haproxy, site.ports) as url:
        yield url


def web(site: Site, n: int) -> str:
    """Return the URL of one of the two, without the proxy."""
    return f"http://127.0.0.1:{site.ports[n]}"


def followers(site: Site) -> list[int]:
    """Return how many streams each of the two has open."""
    found = []
    for n in (0, 1):
        with client(web(site, n), METRICS_TOKEN) as http:
            lines = http.get("/metrics").text.splitlines()
        found.append(
            sum(int(float(line.split()[-1])) for line in lines if line.startswith("referee_followers"))
        )
    return found


@dataclass
class Stream:
    """Follows a game, and records the numbers of its entries until the stream ends."""

    url: str
    key: str
    game: str
    seen: list[int] = field(default_factory=list)
    open: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        assert self.open.wait(TIMEOUT)

    def _read(self) -> None:
        with (
            contextlib.suppress(httpx.TransportError),
            client(self.url, self.key) as http,
            http.stream(
                "GET", f"/v1/games/{self.game}/events?after=0", headers={"Accept": "text/event-stream"}
            ) as stream,
        ):
            assert stream.status_code == 200
            self.open.set()
            for line in stream.iter_lines():
                if line.startswith("id: "):
                    self.seen.append(int(line.removeprefix("id: ")))

    def ends(self) -> bool:
        self.thread.join(TIMEOUT)
        return not self.thread.is_alive()


def moved(http: httpx.Client, game: str) -> int:
    """Make the next move; return the game's new version."""
    move = first_move(http, game)
    assert move is not None
    made = repeated(http, f"/v1/games/{game}/moves", move)
    assert made.status_code == 201, made.text
    version: int = made.json()["game"]["version"]
    return version


def test_streams_on_both_show_a_move_and_end_with_a_revoked_token(site: Site, public: str) -> None:
    with client(public, site.key) as http:
        game = new_game(http)
        player = http.get(f"/v1/games/{game}").json()["seats"][0]["player"]["id"]
        tokens = [http.post(f"/v1/players/{player}/tokens").json() for _ in range(2)]
        streams = [Stream(public, token["token"], game) for token in tokens for _ in range(2)]
        assert eventually(lambda: followers(site) == [2, 2]), "the proxy does not share connections evenly"
        version = moved(http, game)
        for stream in streams:
            assert eventually(lambda stream=stream: stream.seen == list(range(1, version + 1)))
        for revoked in (0, 1):
            path = f"/v1/players/{player}/tokens/{tokens[revoked]['id']}"
            assert http.delete(path).status_code == 204
            assert all(stream.ends() for stream in streams[2 * revoked : 2 * revoked + 2])
            for n in (0, 1):
                with client(web(site, n), tokens[revoked]["token"]) as refused:
                    assert refused.get(f"/v1/games/{game}").status_code == 401
            assert all(stream.thread.is_alive() for stream in streams[2 * revoked + 2 :])


def test_a_key_is_used_once_on_both(site: Site, public: str) -> None:
    with client(public, site.key) as http, ThreadPoolExecutor(8) as threads:
        game = new_game(http)
        for _ in range(5):
            move = first_move(http, game)
            headers = {"Idempotency-Key": str(uuid4())}

            def send(n: int, move: Any = move, headers: dict[str, str] = headers) -> httpx.Response:
                with client(web(site, n % 2), site.key) as own:
                    return own.post(f"/v1/games/{game}/moves", json=move, headers=headers)

            answers = list(threads.map(send, range(8)))
            made = [answer for answer in answers if answer.status_code == 201]
            assert {answer.status_code for answer in answers} <= {201, 409}, (
                "409: the first one is in progress"
            )
            assert len({answer.content for answer in made}) == 1
            again = [send(n) for n in (0, 1)]
            assert {answer.content for answer in again} == {made[0].content}
        moves = [entry for entry in log(http, game) if entry["type"] == "moved" and entry["seat"] == 0]
        assert len(moves) == 5


def test_one_is_killed_and_the_other_continues(site: Site, public: str) -> None:
    with client(public, site.key) as http:
        game = new_game(http)
        streams = [Stream(public, site.key, game) for _ in range(2)]
        assert eventually(lambda: followers(site) == [1, 1])
        moved(http, game)
        main = psutil.Process(site.web[site.ports[0]].pid)
        for process in [main, *main.children(recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        version = [moved(http, game) for _ in range(3)][-1]
        assert eventually(lambda: sum(not stream.thread.is_alive() for stream in streams) == 1)
        (survivor,) = [stream for stream in streams if stream.thread.is_alive()]
        assert eventually(lambda: survivor.seen == list(range(1, version + 1)))
        resumed = Stream(public, site.key, game)
        assert eventually(lambda: resumed.seen == list(range(1, version + 1)))
        assert [entry["seq"] for entry in log(http, game)] == list(range(1, version + 1))
