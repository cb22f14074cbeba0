"""Faults that are caused in the processes of a tree at random moments, and the time of recovery."""

from __future__ import annotations

import asyncio
import contextlib
import random
import statistics
import time
import uuid
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable

import aiohttp
import psutil

from tests.campaigns.tree import DIES_OFTEN, KINDS, Tree
from tests.servers.receiver import Receiver

ATTEMPT = aiohttp.ClientTimeout(total=5)
TIMEOUT = 180  # seconds; only a limit in case something hangs
AGAIN = 0.5  # seconds after which a request is repeated
PAUSE = 0.5  # seconds at most between two faults
FAULTS = {
    "kill": 70,
    "freeze": 12,
    "starve": 5,
    "cut the network": 6,
    "hold the network": 3,
    "lose a COMMIT's answer": 10,
    "lose a COMMIT": 5,
    "lose a move's answer": 8,
    "lose a move": 4,
    "fill the disk": 2,
    "move the clock": 5,
}
MOVE = b'"type":"moved"'  # in the single statement of a move that commits by itself, and in other INSERTs
LOSE_WITHIN = 5  # seconds
KILLS = {
    "web process": 16,
    "far web process": 10,
    "postgres backend": 14,
    "worker": 10,
    "far worker": 5,
    "postgres master": 10,
    "postgres helper": 4,
    "compute process": 4,
    "compute master": 3,
    "web master": 8,
    "far web master": 4,
    "serve": 5,
}
RESTARTED = {"web master": "web", "worker": "worker", "postgres master": "postgres"}


class Probe:
    """A game of a separate app; messages in it have to arrive by a webhook."""

    def __init__(self, tree: Tree, key: str, receiver: Receiver) -> None:
        self.tree, self.receiver = tree, receiver
        self._headers = {"Authorization": f"Bearer {key}"}
        self.path = ""

    async def prepare(self) -> None:
        async with self._session() as session:
            hook = {"url": self.receiver.url, "events": ["game.said"]}
            await self._post(session, "/v1/webhooks", hook)
            await self._begin(session)

    async def _begin(self, session: aiohttp.ClientSession, url: str = "") -> None:
        """Begin a game, in which a seat can post a thousand messages."""
        wanted = {"ruleset": "cats_and_dogs", "seats": [{"open": True}] * 2}
        self.path = f"/v1/games/{(await self._post(session, '/v1/games', wanted, url))['id']}/messages"

    def _session(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(timeout=ATTEMPT, headers=self._headers)

    async def _post(self, session: aiohttp.ClientSession, path: str, body: object, url: str = "") -> dict:
        async with session.post((url or self.tree.server.url) + path, json=body) as answer:
            found = await answer.json()
            assert answer.status == 201, found
            return found

    async def answered(self, url: str) -> int:
        """Wait until a server writes; return the number of the entry."""
        end = time.monotonic() + TIMEOUT
        tries: set[asyncio.Task[int | None]] = set()
        try:
            while True:
                # A request that hangs because its process died does not block others.
                tries.add(asyncio.create_task(self._try(url)))
                done, tries = await asyncio.wait(tries, timeout=AGAIN, return_when=asyncio.FIRST_COMPLETED)
                found = [version for each in done if (version := each.result()) is not None]
                if found:
                    return max(found)
                assert time.monotonic() < end, f"{url} does not recover"
                await asyncio.sleep(0.02)
        finally:
            for each in tries:
                each.cancel()

    async def _try(self, url: str) -> int | None:
        """Send a message on a new connection; return its version, or None without an answer."""
        with contextlib.suppress(aiohttp.ClientError, OSError, TimeoutError, AssertionError):
            async with self._session() as session:
                said = {"text": str(uuid.uuid4())}
                async with session.post(url + self.path, json=said) as answer:
                    if answer.status == 201:
                        return (await answer.json())["version"]
                    if answer.status == 409:  # it has heard enough
                        await self._begin(session, url)
        return None

    async def received(self, version: int) -> None:
        """Wait until the webhook was notified of an entry."""
        end = time.monotonic() + TIMEOUT
        seen = 0
        while True:
            for request in self.receiver.received[seen:]:
                seen += 1
                said = request["body"]["data"]
                if said["game"] in self.path and said["version"] >= version:
                    self.receiver.received.clear()
                    self.receiver.requests.clear()
                    return
            assert time.monotonic() < end, "webhooks no longer get notifications"
            await asyncio.sleep(0.02)


class Torment:
    """Causes one fault after another, each after recovery from the last one."""

    def __init__(self, tree: Tree, probe: Probe, chance: random.Random) -> None:
        self.tree, self.probe, self.chance = tree, probe, chance
        self.pause = PAUSE
        self.done: Counter[str] = Counter()
        self.spent: Counter[str] = Counter()
        """Seconds in all, of doing it and getting over it."""
        self.recovery: defaultdict[str, list[float]] = defaultdict(list)
        self._deaths: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=DIES_OFTEN))
        self._faults: dict[str, Callable[..., Awaitable[str]]] = {
            "kill": self.kill,
            "freeze": self.freeze,
            "starve": self.starve,
            "cut the network": self.cut,
            "hold the network": self.hold,
            "lose a COMMIT's answer": lambda: self.lose(b"COMMIT", "a COMMIT's answer", deliver=True),
            "lose a COMMIT": lambda: self.lose(b"COMMIT", "a COMMIT", deliver=False),
            "lose a move's answer": lambda: self.lose(MOVE, "a move's answer", deliver=True),
            "lose a move": lambda: self.lose(MOVE, "a move", deliver=False),
            "fill the disk": self.fill,
            "move the clock": self.move_clock,
        }

    @property
    def kills(self) -> int:
        return sum(count for name, count in self.done.items() if name.startswith("kill "))

    async def go_on(self, over: asyncio.Event) -> None:
        """Cause faults until the end."""
        while not over.is_set():
            await self.one(self.chance.choices(list(FAULTS), list(FAULTS.values()))[0])
            await asyncio.sleep(self.chance.uniform(0, self.pause))

    async def one(self, fault: str, kind: str = "") -> bool:
        """Cause one fault, and measure the time until a request sent afterwards is answered properly.

        Returns whether the fault was possible.
        """
        served, first = self.tree.server, time.monotonic()
        name = await (self._faults[fault](kind) if kind else self._faults[fault]())
        if not name:
            return False
        begun = time.monotonic()
        while name == "kill serve" and self.tree.server is served:  # its children may still answer
            await asyncio.sleep(0.02)
        if "worker" in name:
            await self.probe.received(await self.probe.answered(self.tree.server.url))
        else:
            versions = await asyncio.gather(*(self.probe.answered(url) for url in self._hit(name)))
            assert all(versions)
        self.recovery[name].append(time.monotonic() - begun)
        self.done[name] += 1
        self.spent[name] += time.monotonic() - first
        return True

    def _hit(self, name: str) -> tuple[str, ...]:
        """Return the servers that are affected."""
        if "far" in name or "network" in name or "lose" in name:
            return (self.tree.far_url,)
        return self.tree.urls if "postgres" in name or "disk" in name else (self.tree.server.url,)

    def _victim(self, kind: str) -> psutil.Process | None:
        found = self.tree.processes(kind)
        return self.chance.choice(found) if found else None

    # --- faults: each returns its name, or "" if it was not possible ---------------------------------

    async def kill(self, kind: str = "") -> str:
        kind = kind or self.chance.choices(list(KILLS), list(KILLS.values()))[0]
        now = time.monotonic()
        if kind in RESTARTED:  # `serve` gives up a part that dies repeatedly
            deaths = self._deaths[kind]
            if len(deaths) == DIES_OFTEN and now - deaths[0] < 65:
                return ""
            deaths.append(now)
        victim = self._victim(kind)
        if victim is None:
            return ""
        with contextlib.suppress(psutil.NoSuchProcess):
            victim.kill()
        return f"kill {kind}"

    async def _halt(self, victim: psutil.Process, seconds: float) -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            victim.suspend()
        try:
            await asyncio.sleep(seconds)
        finally:
            with contextlib.suppress(psutil.NoSuchProcess):
                victim.resume()

    async def freeze(self, kind: str = "") -> str:
        victim = self._victim(kind := kind or self.chance.choice(KINDS))
        if victim is None:
            return ""
        await self._halt(victim, self.chance.uniform(0.1, 3))
        return f"freeze {kind}"

    async def starve(self, kind: str = "") -> str:
        """Leave a process one twentieth of its time."""
        victim = self._victim(kind := kind or self.chance.choice(KINDS))
        if victim is None:
            return ""
        for _ in range(20):
            await self._halt(victim, 0.095)
            await asyncio.sleep(0.005)
        return f"starve {kind}"

    async def cut(self) -> str:
        self.tree.proxy.cut()
        return "cut the network"

    async def hold(self) -> str:
        """Deliver nothing for a while, then break the connections."""
        self.tree.proxy.hold()
        await asyncio.sleep(self.chance.uniform(0.2, 4))
        self.tree.proxy.cut()
        self.tree.proxy.relent()
        return "hold the network"

    async def lose(self, statement: bytes, what: str, *, deliver: bool) -> str:
        """Lose three answers: the first may be that of a housekeeping commit, or of a move's transaction."""
        for _ in range(3):
            self.tree.proxy.break_at(statement, deliver=deliver)
            end = time.monotonic() + LOSE_WITHIN
            while self.tree.proxy.waits and time.monotonic() < end:
                await asyncio.sleep(0.01)
        self.tree.proxy.relent()
        return f"lose {what}"

    async def fill(self) -> str:
        if not self.tree.can_fill:
            return ""
        self.tree.fill_disk()
        await asyncio.sleep(self.chance.uniform(1, 4))
        self.tree.empty_disk()
        return "fill the disk"

    async def move_clock(self) -> str:
        """Move the clock back or forward for a moment; correcting it is a second jump."""
        self.tree.set_clock(self.chance.uniform(-60, 60))
        await asyncio.sleep(self.chance.uniform(0.5, 4))
        self.tree.set_clock(0)
        return "move the clock"

    def report(self) -> list[str]:
        """Return lines about the faults and the times of recovery."""
        lines = []
        for name, count in sorted(self.done.items()):
            times = self.recovery[name]
            lines.append(
                f"  {name}: {count}; median {statistics.median(times):.2f} s, longest {max(times):.1f} s,"
                f" {self.spent[name]:.0f} s in all"
            )
        every = [each for name, times in self.recovery.items() if name.startswith("kill ") for each in times]
        if every:
            lines.append(f"  all kills: {self.kills}; median recovery {statistics.median(every):.2f} s")
        return lines
