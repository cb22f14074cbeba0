"""Measure how long other callers wait while one long request runs, and the memory of the processes.

A caller reads its game repeatedly. Meanwhile nothing else happens, or one kind of long request is sent, one
after another. Goals: the caller's p99 below 100 ms, every process below 300 MB.

    python -m bench.neighbours [SECONDS]
"""

from __future__ import annotations

import itertools
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from bench.http import load, served
from bench.http.served import Api
from bench.records import long_record

MOVES = 30_000
IMPORTS = 4


def long_requests(api: Api) -> dict[str, Callable[[int], Any]]:
    """Return a function for each kind of request; each call passes the number of calls before it."""
    record = long_record(MOVES)
    game = f"/v1/games/{api.call('POST', '/v1/records', record)['id']}"
    question = {"record": record, "seat": 0, "move": {"type": "nothing"}}
    brackets = b'{"format": [' + b",".join([b"[]"] * 400_000) + b"]}"
    huge = b"[" + b",".join([b"[]"] * 5_500_000) + b"]"
    bots = {"ruleset": "pedro", "seats": [{"bot": "cautious"}] * 4}

    def send(body: bytes) -> None:
        headers = {"Content-Type": "application/json"}
        with suppress(urllib.error.HTTPError):  # refused, but only after it has been read
            urllib.request.urlopen(urllib.request.Request(f"{api.url}/v1/referee/replays", body, headers))

    others = [long_record(MOVES, number) for number in range(1, IMPORTS + 1)]  # a game is imported once

    def import_record(n: int) -> None:
        if n < IMPORTS:
            api.call("POST", "/v1/records", others[n])
        else:
            threading.Event().wait(0.1)

    return {
        "nothing": lambda n: threading.Event().wait(0.1),
        "replay": lambda n: api.call("POST", "/v1/referee/replays", record),
        "verdict at a record's end": lambda n: api.call("POST", "/v1/referee/verdicts", question),
        "400,000 brackets": lambda n: send(brackets),
        "16 MiB of brackets": lambda n: send(huge),
        "import": import_record,
        "verification": lambda n: api.call("GET", f"{game}/verification"),
        "export": lambda n: api.read(f"{game}/record"),
        "old version": lambda n: api.call("GET", f"{game}?version={MOVES - 70 * n % MOVES}"),
        "bots that think": lambda n: api.call("POST", "/v1/games", bots),
    }


def memory() -> float:
    """Return the peak memory of the largest process, in MB; the database's share their buffers."""
    sizes = [0]
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess, OSError):
            if "postgres" not in process.name():
                status = Path(f"/proc/{process.pid}/status").read_text()
                sizes += [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")]
    return max(sizes) / 1000


def main() -> None:
    """Measure and print."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    with served.api() as api:
        small = api.new_game("cats_and_dogs", api.players(3))
        ask = load.request("GET", f"/v1/games/{small.id}", api.key)
        print(f"{'':26} {'sent':>5} {'p50 ms':>7} {'p99 ms':>7} {'MB':>5}")
        for name, send in long_requests(api).items():
            stopping, sent = threading.Event(), 0

            def keep_sending(send: Callable[[int], Any] = send, stopping: Any = stopping) -> None:
                nonlocal sent
                while not stopping.is_set():
                    send(sent)
                    sent += 1

            thread = threading.Thread(target=keep_sending)
            thread.start()
            found = load.run(served.address(api.url), [itertools.repeat(ask)], seconds)
            stopping.set()
            thread.join()
            p50, p99 = found.percentile(50), found.percentile(99)
            print(f"{name:26} {sent:>5} {p50:>7.1f} {p99:>7.1f} {memory():>5.0f}", flush=True)


if __name__ == "__main__":
    main()
