"""Measure how many notifications per second the job worker delivers, to fast receivers and to a slow one.

The receiver is a separate process on the same machine. It counts, and checks that the notifications of each
game arrive in order. They are queued beforehand, so only the worker and its database are measured.

    python -m bench.deliveries [NOTICES]
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.sharedctypes import Synchronized
from typing import Any

import psutil

from bench.http import served
from bench.http.served import Api

NOTICES = 10_000
KINDS = (  # receivers, games, seconds that an answer takes, share of the notifications
    ("one fast receiver, many games", 1, 1000, 0.0, 1.0),
    ("ten fast receivers", 10, 1000, 0.0, 1.0),
    ("one fast receiver, one game", 1, 1, 0.0, 0.2),
    ("one receiver that takes 0.2 s", 1, 1000, 0.2, 0.1),
)
QUEUE = """
    INSERT INTO outbox
        (id, app_id, channel, receiver_id, in_order, game_id, event, payload, created_at, next_at)
    SELECT gen_random_uuid(), w.app_id, 'webhook', w.id, true, g, 'game.moved', format(
        '{"type":"game.moved","timestamp":"2026-11-22T04:00:00.000000Z","data":{"game":"%%s","version":%%s,"seat":0,'
        '"player":"0190f1f2-0000-7000-8000-000000000000","ruleset":"cats_and_dogs","title":null,'
        '"external_id":null,"metadata":{}}}', g, n), now(), now()
    FROM webhooks w, generate_series(1, %s) n, unnest(%s::uuid[]) g WHERE w.id = %s
"""
GAMES = """
    INSERT INTO games (id, version, app_id, ruleset, ruleset_version, options, visibility, status, seats,
        sitting, seed, head, drawn, created_at, updated_at)
    SELECT gen_random_uuid(), 1, app_id, ruleset, 1, options, visibility, 'cancelled', seats, sitting, seed,
        head, 0, now(), now()
    FROM games, generate_series(1, %s) WHERE id = %s RETURNING id
"""


@dataclass
class Receiver:
    """A receiving process: how many notifications arrived, and how many of them out of order."""

    port: int
    received: Synchronized[int]
    misordered: Synchronized[int]


class Receiving(asyncio.Protocol):
    """One connection. It answers every request with 204, after a pause."""

    pause = 0.0
    versions: dict[str, int]
    received: Synchronized[int]
    misordered: Synchronized[int]

    def connection_made(self, transport: Any) -> None:
        """Start with an empty buffer."""
        self.transport, self.buffer = transport, b""

    def data_received(self, data: bytes) -> None:
        """Answer every complete request."""
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            if len(self.buffer) < end + 4 + length:
                return
            body, self.buffer = self.buffer[end + 4 : end + 4 + length], self.buffer[end + 4 + length :]
            asyncio.get_running_loop().call_later(self.pause, self.answer, json.loads(body)["data"])

    def answer(self, data: dict[str, Any]) -> None:
        """Count a notification, and send the answer."""
        self.received.value += 1
        before = self.versions.get(data["game"], 0)
        self.versions[data["game"]] = data["version"]
        self.misordered.value += data["version"] <= before
        self.transport.write(b"HTTP/1.1 204 No Content\r\n\r\n")


def receive(pause: float, port: Synchronized[int], received: Any, misordered: Any) -> None:
    """Receive until the process is killed."""

    async def run() -> None:
        kind = type(
            "Kind",
            (Receiving,),
            {"pause": pause, "versions": {}, "received": received, "misordered": misordered},
        )
        server = await asyncio.get_running_loop().create_server(kind, "127.0.0.1", 0)
        port.value = server.sockets[0].getsockname()[1]
        await server.serve_forever()

    asyncio.run(run())


@contextmanager
def receiving(pause: float) -> Iterator[Receiver]:
    """Run a receiver in a process of its own."""
    port, received, misordered = (multiprocessing.Value("i", 0) for _ in range(3))
    process = multiprocessing.Process(target=receive, args=(pause, port, received, misordered), daemon=True)
    process.start()
    while not port.value:
        time.sleep(0.01)
    try:
        yield Receiver(port.value, received, misordered)
    finally:
        process.kill()
        process.join()


def worker_of() -> psutil.Process:
    """Return the process of the job worker, which starts after the web server."""
    while True:
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if "worker" in process.cmdline():
                    return process
        time.sleep(0.1)


def main() -> None:
    """Measure, and print the table."""
    notices = int(sys.argv[1]) if len(sys.argv) > 1 else NOTICES
    print(f"{'':<32} {'a second':>8} {'worker ms each':>14} {'misordered':>10}")
    with served.api(ALLOW_PRIVATE_WEBHOOKS="true") as api:
        model = api.new_game("cats_and_dogs", api.players(2)).id
        for name, receivers, games, pause, part in KINDS:
            ids = [row[0] for row in api.sql.execute(GAMES, (games, model)).fetchall()]
            each = round(notices * part / games) or 1
            with receiving(pause) as receiver:
                measure(api, receiver, name, receivers, ids, each)


def measure(api: Api, receiver: Receiver, name: str, receivers: int, games: list[Any], each: int) -> None:
    """Queue notifications for this many webhooks, wait until all have arrived, and print a line."""
    url = f"http://127.0.0.1:{receiver.port}/in"
    hooks = [
        api.call("POST", "/v1/webhooks", {"url": url, "events": ["game.moved"]}) for _ in range(receivers)
    ]
    shares = [games[n::receivers] for n in range(receivers)]
    worker, total = worker_of(), sum(map(len, shares)) * each * (receivers if len(games) == 1 else 1)
    with api.sql.transaction():
        for hook, share in zip(hooks, shares, strict=True):
            api.sql.execute(QUEUE, (each, share, hook["id"]))
    api.sql.execute("ANALYZE outbox")
    api.sql.execute("NOTIFY deliveries")
    before, begun = sum(worker.cpu_times()[:2]), time.monotonic()
    while receiver.received.value < total:
        time.sleep(0.005)
    seconds, used = time.monotonic() - begun, sum(worker.cpu_times()[:2]) - before
    time.sleep(1)  # in case something is delivered twice
    twice = receiver.received.value - total
    print(
        f"{name:<32} {total / seconds:>8.0f} {used / total * 1000:>14.2f} {receiver.misordered.value:>10}"
        + (f"  {twice} delivered twice" if twice else ""),
        flush=True,
    )
    for hook in hooks:
        api.sql.execute("DELETE FROM webhooks WHERE id = %s", (hook["id"],))


if __name__ == "__main__":
    main()
