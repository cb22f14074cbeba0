"""Try to smuggle requests past the server alone, nginx and HAProxy, while innocent clients work.

    python -m tests.campaigns.smuggling [--seconds 60] [--clients 20]

Innocent clients of several tenants send requests whose answers name their own data. Meanwhile an attacker
sends requests with hidden ones, in every form and framing of `tests/servers/smuggling.py`. At the end, every
answer of the innocent clients must have been their own, and the server's log must contain each of their
requests once, as they sent it, and none of the hidden ones. The exit status is 1 otherwise.
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.servers import proxies, smuggling
from tests.servers.serving import Server, free_directory, serve

TENANTS = 5
ATTACKERS = 12
PATIENCE = 1.5  # seconds that an attacker waits for more of an answer
Kind = Callable[[Path, list[int], int], list[str]]
TARGETS: dict[str, Kind | None] = {"alone": None, "nginx": proxies.nginx, "haproxy": proxies.haproxy}


@contextmanager
def in_front(kind: Kind | None, server: Server) -> Iterator[str]:
    """Yield the URL of the server itself, or of a proxy in front of it."""
    if kind is None:
        yield server.url
        return
    port = int(server.url.rpartition(":")[2])
    with proxies.before(kind, [port, port]) as url:
        yield url


def attack(url: str, server: Server, label: str, until: float, made: Counter[str]) -> None:
    """Make one attack after another."""
    chance = random.Random()
    while time.monotonic() < until:
        form, framing = (
            chance.choice(smuggling.FORMS[:4] * 3 + smuggling.FORMS),
            chance.choice(smuggling.FRAMINGS),
        )
        name = f"{label}-{framing}-{chance.getrandbits(40):x}"
        try:
            game = smuggling.Game(server.url, server.key)
            smuggled = smuggling.hidden(name, chance.random() < 0.4)
            smuggling.send(url, smuggling.attack(game, form, framing, smuggled), game, PATIENCE)
            made[framing] += 1
        except (OSError, httpx.TransportError, AssertionError):
            made["failed"] += 1


def trial(label: str, server: Server, keys: list[str], seconds: float, clients: int) -> list[str]:
    """Attack one target; return what went wrong."""
    made: Counter[str] = Counter()
    with in_front(TARGETS[label], server) as url:
        until = time.monotonic() + seconds
        with smuggling.innocents(url, keys, clients, label) as working:
            attackers = [
                threading.Thread(target=attack, args=(url, server, label, until, made), daemon=True)
                for _ in range(ATTACKERS)
            ]
            for thread in attackers:
                thread.start()
            for thread in attackers:
                thread.join()
        time.sleep(0.5)  # until the last line of the log has been read
        log = smuggling.logged(server)
        # Whole requests in a pipeline are the attacker's own, which proxies pass on.
        wrong = log.hidden(label, "pipelined")
        for client in working:
            wrong += [*client.wrong, *log.changed(client)]
        counts = sum((client.counts for client in working), Counter[str]())
    print(f"{label}: {dict(made)} attacks; innocent requests {dict(counts)}; wrong: {len(wrong)}", flush=True)
    for line in wrong[:10]:
        print(f"    {line}")
    return wrong


def main() -> int:
    """Attack each target, and print what happened."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=20)
    given = parser.parse_args()
    wrong = []
    for name in TARGETS:
        options = {"WORKERS": "2", "TRUSTED_PROXIES": "1", "RATE_LIMIT": "", "ADDRESS_RATE_LIMIT": ""}
        with free_directory() as directory, serve(directory, **options) as server:
            keys = [smuggling.new_key(server, f"tenant-{n}") for n in range(TENANTS)]
            wrong += trial(name, server, keys, given.seconds, given.clients)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
