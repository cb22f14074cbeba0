"""Measure how long one app waits while another has many connections that work as fast as they are answered.

A victim, who has an app of its own, reads one of its games again and again, with a pause in between; /readyz
is asked on new connections, as a proxy does. Meanwhile another app, or nobody, lists games, opens streams,
creates games that only bots play, has records replayed, or sends halves of uploads, and never waits when it
is refused. Goals: the victim's median at most three times that of a quiet server, its p99 below a second.

    python -m bench.crowds [SECONDS] [SCENARIO...]
"""

from __future__ import annotations

import contextlib
import http.client
import json
import multiprocessing
import selectors
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from bench.http import load, served
from bench.http.served import Api
from bench.records import long_record
from tests.serving import command, environment

PAUSE = 0.02  # seconds between the victim's requests
LEAST = 3  # requests
GAMES = 200
MOVES = 8_000
UPLOADS, UPLOAD = 10, 16 << 20
REST = 3.0  # seconds between two scenarios


@dataclass
class Waits:
    """The seconds that requests took, and the statuses of those that failed."""

    seconds: list[float] = field(default_factory=list)
    failed: Counter[int] = field(default_factory=Counter)

    def percentile(self, percent: int) -> float:
        """Return a percentile in milliseconds."""
        return statistics.quantiles(self.seconds, n=100)[percent - 1] * 1000


def ask(waits: Waits, connection: http.client.HTTPConnection, path: str, key: str = "") -> None:
    """Send a request and note how long it took."""
    begun = time.perf_counter()
    connection.request("GET", path, headers={"Authorization": f"Bearer {key}"} if key else {})
    answer = connection.getresponse()
    answer.read()
    waits.seconds.append(time.perf_counter() - begun)
    if answer.status != 200:
        waits.failed[answer.status] += 1


def visit(address: tuple[str, int], path: str, key: str, seconds: float) -> tuple[Waits, Waits]:
    """Return what the victim's requests took, and those of /readyz."""
    victim, checks = Waits(), Waits()
    until = time.monotonic() + seconds

    def check() -> None:
        while time.monotonic() < until:
            with contextlib.closing(http.client.HTTPConnection(*address, timeout=120)) as once:
                ask(checks, once, "/readyz")
            time.sleep(10 * PAUSE)

    thread = threading.Thread(target=check)
    thread.start()
    kept = http.client.HTTPConnection(*address, timeout=120)
    while time.monotonic() < until or len(victim.seconds) < LEAST:
        ask(victim, kept, path, key)
        time.sleep(PAUSE)
    thread.join()
    return victim, checks


def crowd(address: tuple[str, int], request: bytes, connections: int, stay: bool, counts: Any) -> None:
    """Send a request on many connections, again at each answer, until the process is ended.

    If answers `stay`, they are streams: a connection is opened again only when it is closed.
    """
    selector = selectors.DefaultSelector()

    def connect() -> None:
        client = socket.create_connection(address)
        client.sendall(request)
        selector.register(client, selectors.EVENT_READ, bytearray())

    for _ in range(connections):
        connect()
    while True:
        for key, _ in selector.select(1):
            client, answer = key.fileobj, key.data
            assert isinstance(client, socket.socket)
            data = b""
            with contextlib.suppress(OSError):
                data = client.recv(1 << 20)
            answer += data
            if not data:
                selector.unregister(client)
                client.close()
                connect()
            elif not stay and is_whole(answer):
                counts[0 if answer[9:10] == b"2" else 1] += 1
                answer.clear()
                client.sendall(request)
            elif stay and answer:
                counts[0 if answer[9:10] == b"2" else 1] += 1
                answer.clear()


def is_whole(answer: bytearray) -> bool:
    """Return whether an answer has arrived to its end."""
    head = answer.find(b"\r\n\r\n")
    at = answer.lower().find(b"content-length:", 0, max(head, 0))
    return head >= 0 and len(answer) >= head + 4 + int(answer[at + 15 : answer.find(b"\r\n", at)])


def halves(address: tuple[str, int], request: bytes, connections: int, stay: bool, counts: Any) -> None:
    """Send all but the last bytes of many uploads, and wait."""
    opened = []
    for _ in range(connections):
        client = socket.create_connection(address)
        with contextlib.suppress(OSError):
            client.sendall(request)
        opened.append(client)
    time.sleep(3600)


def scenarios(api: Api) -> dict[str, tuple[Any, bytes, int, bool]]:
    """Return what the crowd does in each scenario."""
    game = api.call("POST", "/v1/games", {"ruleset": "pies", "seats": [{"open": True}] * 4})["id"]
    bots = json.dumps({"ruleset": "pedro", "seats": [{"bot": "cautious"}] * 4}).encode()
    record = json.dumps(long_record(MOVES)).encode()
    lists = load.request("GET", "/v1/games?limit=200", api.key)
    stream = load.request("GET", f"/v1/games/{game}/events", api.key)
    stream = stream.replace(b"Host:", b"Accept: text/event-stream\r\nHost:")
    half = load.request("POST", "/v1/referee/replays", None, b" " * UPLOAD)[:-1000]
    return {
        "64 lists": (crowd, lists, 64, False),
        "256 lists": (crowd, lists, 256, False),
        "1000 streams": (crowd, stream, 1000, True),
        "16 of bots": (crowd, load.request("POST", "/v1/games", api.key, bots), 16, False),
        "36 replays": (crowd, load.request("POST", "/v1/referee/replays", api.key, record), 36, False),
        "36 anonymous replays": (crowd, load.request("POST", "/v1/referee/replays", None, record), 36, False),
        "10 half uploads": (halves, half, UPLOADS, True),
    }


def another_app(api: Api) -> Api:
    """Return the server as another app sees it."""
    words = ("keys", "create", "victim", "--data-dir", api.settings.data_dir, "--scope", "read")
    made = subprocess.run(
        command(*words, "--scope", "write"), env=environment(), capture_output=True, text=True, check=True
    )
    return Api(api.url, made.stdout.split()[-1], api.settings, api.environ, api.sql)


def main() -> None:
    """Measure and print."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    with served.api() as api:
        victim = another_app(api)
        path = f"/v1/games/{victim.new_game('cats_and_dogs', victim.players(3)).id}"
        for _ in range(GAMES):
            api.call("POST", "/v1/games", {"ruleset": "pies", "seats": [{"open": True}] * 4})
        address = served.address(api.url)
        look = partial(visit, address, path, victim.key)
        look(2.0)
        quiet, _ = look(seconds)
        print(
            f"{'':22}{'p50 ms':>8} {'p99 ms':>8} {'×':>5} {'failed':>7} {'readyz max':>11}"
            f" {'served':>7} {'refused':>8}"
        )
        print(f"{'quiet':22}{quiet.percentile(50):>8.1f} {quiet.percentile(99):>8.1f}", flush=True)
        for name, (attack, *rest) in scenarios(api).items():
            if sys.argv[2:] and name not in sys.argv[2:]:
                continue
            counts = multiprocessing.Array("q", 2, lock=False)
            process = multiprocessing.Process(target=attack, args=(address, *rest, counts), daemon=True)
            process.start()
            time.sleep(0.5)
            waits, checks = look(seconds)
            process.kill()
            process.join()
            ratio = waits.percentile(50) / quiet.percentile(50)
            slowest = max(checks.seconds, default=0) * 1000
            failed = dict(waits.failed + checks.failed) or 0
            print(
                f"{name:22}{waits.percentile(50):>8.1f} {waits.percentile(99):>8.1f} {ratio:>5.1f}"
                f" {failed!s:>7} {slowest:>11.0f} {counts[0]:>7} {counts[1]:>8}",
                flush=True,
            )
            time.sleep(REST)


if __name__ == "__main__":
    main()
