"""Measure how long an app waits while others use the same server, and the memory of the processes.

A victim, who has an app of its own, reads one of its games again and again, with a pause in between; /readyz
is asked on new connections, as a proxy does. In turns, nothing else happens for a while, and then another
app, or nobody, sends one kind of request on one or many connections, again as soon as it is answered, also
if it is refused. Goals: the victim's median at most three times that of the quiet phases, its p99 below a
second (100 ms next to a single connection), every process below 300 MB.

    python -m bench.neighbours [SECONDS] [SCENARIO...]
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import multiprocessing
import os
import selectors
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from bench.http import load, served
from bench.http.served import Address, Api
from bench.records import long_record
from tests.servers.serving import command, environment

PAUSE = 0.02  # seconds between the victim's requests
LEAST = 3  # requests of the victim in a phase
ROUNDS = 3
REST = 2.0  # seconds after a phase with others
GAMES = 200
MOVES, SHORTER = 30_000, 8_000
IMPORTS = 4
UPLOADS, UPLOAD = 10, 16 << 20
HEAD = (
    f"{'':26}{'p50 ms':>15}{'×':>6}{'p99 ms':>15}{'readyz max':>12}{'failed':>8}"
    f"{'served':>8}{'refused':>8}{'MB':>6}"
)


class Scenario(NamedTuple):
    """What others send, in turns, on how many connections; halves and streams are left open."""

    requests: list[bytes]
    connections: int = 1
    left_open: bool = False


@dataclass
class Waits:
    """The seconds that requests took, and the statuses of those that failed."""

    seconds: list[float] = field(default_factory=list)
    failed: Counter[int] = field(default_factory=Counter)

    def percentile(self, percent: int) -> float:
        """Return a percentile in milliseconds."""
        return statistics.quantiles(self.seconds, n=100)[percent - 1] * 1000

    def ask(self, connection: http.client.HTTPConnection, path: str, key: str = "") -> None:
        """Send a request and note how long it took."""
        begun = time.perf_counter()
        connection.request("GET", path, headers={"Authorization": f"Bearer {key}"} if key else {})
        answer = connection.getresponse()
        answer.read()
        self.seconds.append(time.perf_counter() - begun)
        if answer.status != 200:
            self.failed[answer.status] += 1


@dataclass
class Visits:
    """What the victim's requests and those of /readyz took, in all phases of a kind."""

    victim: Waits = field(default_factory=Waits)
    checks: Waits = field(default_factory=Waits)

    def add(self, address: Address, path: str, key: str, seconds: float) -> None:
        """Visit the server for so many seconds."""
        until = time.monotonic() + seconds

        def check() -> None:
            while time.monotonic() < until:
                with contextlib.closing(http.client.HTTPConnection(*address, timeout=120)) as once:
                    self.checks.ask(once, "/readyz")
                time.sleep(10 * PAUSE)

        thread = threading.Thread(target=check)
        thread.start()
        enough = len(self.victim.seconds) + LEAST
        with contextlib.closing(http.client.HTTPConnection(*address, timeout=120)) as kept:
            while time.monotonic() < until or len(self.victim.seconds) < enough:
                self.victim.ask(kept, path, key)
                time.sleep(PAUSE)
        thread.join()


def start(address: Address, scenario: Scenario, counts: Any) -> Iterator[multiprocessing.Process]:
    """Start processes that send; each upload has its own, because the server decides how long it takes."""
    several = len(scenario.requests[0]) >= UPLOAD // 2 and scenario.left_open
    each = scenario._replace(connections=1) if several else scenario
    for _ in range(scenario.connections if several else 1):
        process = multiprocessing.Process(target=send, args=(address, each, counts), daemon=True)
        process.start()
        yield process


def send(address: Address, scenario: Scenario, counts: Any) -> None:
    """Send requests, count the answers by whether they are successes, until this process is ended."""
    selector = selectors.DefaultSelector()
    requests = itertools.cycle(scenario.requests)

    def connect() -> None:
        client = socket.create_connection(address)
        selector.register(client, selectors.EVENT_READ, bytearray())
        with contextlib.suppress(OSError):
            client.sendall(next(requests))

    for _ in range(scenario.connections):
        connect()
    while True:
        for key, _ in selector.select(1):
            client, answer = key.fileobj, key.data
            assert isinstance(client, socket.socket)
            data = b""
            with contextlib.suppress(OSError):
                data = client.recv(1 << 20)
            answer += data
            if answer and (scenario.left_open or is_whole(answer)):
                counts[0 if answer[9:10] == b"2" else 1] += 1
                answer.clear()
                if data and not scenario.left_open:
                    with contextlib.suppress(OSError):  # it is closed, which is read next
                        client.sendall(next(requests))
            if not data:
                selector.unregister(client)
                client.close()
                connect()


def is_whole(answer: bytearray) -> bool:
    """Return whether an answer has arrived to its end."""
    head = answer.find(b"\r\n\r\n")
    at = answer.lower().find(b"content-length:", 0, max(head, 0))
    if at < 0:
        return answer.endswith(b"\r\n0\r\n\r\n")
    return head >= 0 and len(answer) >= head + 4 + int(answer[at + 15 : answer.find(b"\r\n", at)])


def scenarios(api: Api) -> dict[str, Scenario]:
    """Return what others send in each scenario."""
    game = api.call("POST", "/v1/games", {"ruleset": "pies", "seats": [{"open": True}] * 4})["id"]
    record = long_record(MOVES)
    played = f"/v1/games/{api.call('POST', '/v1/records', record)['id']}"
    question = {"record": record, "seat": 0, "move": {"type": "nothing"}}
    bots = {"ruleset": "pedro", "seats": [{"bot": "cautious"}] * 4}
    brackets = b'{"format": [' + b",".join([b"[]"] * 400_000) + b"]}"
    huge = b"[" + b",".join([b"[]"] * 5_500_000) + b"]"
    shorter, replays = json.dumps(long_record(SHORTER)).encode(), "/v1/referee/replays"

    def post(path: str, body: Any, key: str | None = api.key) -> bytes:
        return load.request("POST", path, key, body if isinstance(body, bytes) else json.dumps(body).encode())

    def get(path: str) -> bytes:
        return load.request("GET", path, api.key)

    stream = get(f"/v1/games/{game}/events").replace(b"Host:", b"Accept: text/event-stream\r\nHost:")
    half = post(replays, b" " * UPLOAD, None)[:-1000]
    imports = [post("/v1/records", long_record(MOVES, number)) for number in range(1, IMPORTS + 1)]
    versions = [get(f"{played}?version={MOVES - 70 * n}") for n in range(100)]
    return {
        "64 lists": Scenario([get("/v1/games?limit=200")], 64),
        "256 lists": Scenario([get("/v1/games?limit=200")], 256),
        "1000 streams": Scenario([stream], 1000, left_open=True),
        "16 of bots": Scenario([post("/v1/games", bots)], 16),
        "36 replays": Scenario([post(replays, shorter)], 36),
        "36 anonymous replays": Scenario([post(replays, shorter, None)], 36),
        "10 half uploads": Scenario([half], UPLOADS, left_open=True),
        "replay": Scenario([post(replays, record)]),
        "verdict at a record's end": Scenario([post("/v1/referee/verdicts", question)]),
        "400,000 brackets": Scenario([post(replays, brackets)]),
        "16 MiB of brackets": Scenario([post(replays, huge)]),
        "import": Scenario(imports),  # each is refused the second time
        "verification": Scenario([get(f"{played}/verification")]),
        "export": Scenario([get(f"{played}/record")]),
        "old version": Scenario(versions),
        "bots that think": Scenario([post("/v1/games", bots)]),
    }


def another_app(api: Api) -> Api:
    """Return the server as another app sees it."""
    words = ("keys", "create", "victim", "--data-dir", api.settings.data_dir, "--scope", "read")
    made = subprocess.run(
        command(*words, "--scope", "write"), env=environment(), capture_output=True, text=True, check=True
    )
    return Api(api.url, made.stdout.split()[-1], api.settings, api.environ, api.sql)


def memory() -> float:
    """Return the peak memory of the largest process, in MB; the database's share their buffers."""
    sizes = [0]
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess, OSError):
            if "postgres" not in process.name() and "bench" not in " ".join(process.cmdline()):
                status = Path(f"/proc/{process.pid}/status").read_text()
                sizes += [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")]
    return max(sizes) / 1000


def main() -> None:
    """Measure and print; two figures are those of the quiet phases and of the others."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 4.0
    with served.api() as api:
        victim = another_app(api)
        path = f"/v1/games/{victim.new_game('cats_and_dogs', victim.players(3)).id}"
        for _ in range(GAMES):
            api.call("POST", "/v1/games", {"ruleset": "pies", "seats": [{"open": True}] * 4})
        visitor = (served.address(api.url), path, victim.key)
        Visits().add(*visitor, 2.0)
        print(HEAD)
        for name, scenario in scenarios(api).items():
            if sys.argv[2:] and name not in sys.argv[2:]:
                continue
            quiet, loaded = Visits(), Visits()
            counts = multiprocessing.Array("q", 2, lock=False)
            for _ in range(ROUNDS):
                quiet.add(*visitor, seconds)
                senders = list(start(visitor[0], scenario, counts))
                time.sleep(0.5)
                loaded.add(*visitor, seconds)
                for sender in senders:
                    sender.kill()
                    sender.join()
                time.sleep(REST)
            report(name, quiet, loaded, counts)


def report(name: str, quiet: Visits, loaded: Visits, counts: Any) -> None:
    """Print the line of a scenario."""
    medians, slow = ([one.victim.percentile(of) for one in (quiet, loaded)] for of in (50, 99))
    failed = loaded.victim.failed + loaded.checks.failed
    readyz = max(loaded.checks.seconds) * 1000
    print(
        f"{name:26}{medians[0]:>7.1f}{medians[1]:>8.1f}{medians[1] / medians[0]:>6.1f}"
        f"{slow[0]:>7.0f}{slow[1]:>8.0f}{readyz:>12.0f}{dict(failed) or 0!s:>8}"
        f"{counts[0]:>8}{counts[1]:>8}{memory():>6.0f}  load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
