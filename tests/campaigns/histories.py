"""Check that appends, conditional appends and reads of a game are linearizable, over two web servers at once.

    python -m tests.campaigns.histories [HISTORIES [SEED]]

A history is a game that several clients write and read at the same time, each request over either of two web
servers (processes on one database). It contains the times of every call as its client saw them, and the
answers; `linear.py` decides whether one log can explain them.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import random
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import aiohttp
import click
import orjson
from sqlalchemy import create_engine

import referee
from api.callers import app_keys
from api.core.config import Settings
from api.run import migrate
from api.run.embedded.postgres import embedded, supervise
from tests.campaigns.linear import Call, fault
from tests.servers.serving import changed, command, environment, free_directory, free_port

CLIENTS, CALLS, AT_ONCE = 5, 6, 3
TIMEOUT = 90  # seconds; only a limit in case something hangs
RULESETS = ("cats_and_dogs", "pies", "palace", "mau_mau", "truco")
REFUSED = {409: "game-over", 422: "illegal-move"}  # possible for moves that name no version


class Wrong(Exception):
    """An answer that no documented operation gives, or a history without an explanation."""


@contextlib.contextmanager
def web_servers(settings: Settings, *builds: str, count: int = 2) -> Iterator[list[str]]:
    """Run web servers on a migrated database; yield their addresses."""
    web = replace(settings.for_web(), workers=1, compute_workers=0, rate_limit=None, address_rate_limit=None)
    ports = [free_port() for _ in range(count)]
    processes = []
    try:
        for port in ports:
            own = replace(web, port=port, log_level="error").environment()
            environ = environment(**own, **(changed(*builds) if builds else {}))
            processes.append(subprocess.Popen(command("web"), env=environ, stdin=subprocess.DEVNULL))
        yield [f"http://127.0.0.1:{port}" for port in ports]
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(TIMEOUT)


def app_key(settings: Settings) -> str:
    """Return a key of a new app with every right on its own games."""
    engine = create_engine(settings.owner_database_url)
    with engine.begin() as connection:
        _, key = app_keys.create_app_key(connection, "histories", ["read", "write", "audit"], None)
    engine.dispose()
    return key


class Recorder:
    """Records histories; `calls` counts what clients did."""

    def __init__(self, urls: Sequence[str], key: str, chance: random.Random) -> None:
        self.urls, self.chance = urls, chance
        self.calls: Counter[str] = Counter()
        self._headers = {"Authorization": f"Bearer {key}"}
        self._players: list[str] = []

    async def __aenter__(self) -> Recorder:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0), json_serialize=lambda value: orjson.dumps(value).decode()
        )
        for url in self.urls:
            await self._ready(url)
        for name in "ABCD":
            self._players.append((await self._ask("POST", "/v1/players", {"name": name}))[1]["id"])
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._session.close()

    async def _ready(self, url: str) -> None:
        end = time.monotonic() + TIMEOUT
        while True:
            with contextlib.suppress(aiohttp.ClientError):
                async with self._session.get(url + "/readyz") as answer:
                    if answer.status == 200:
                        return
            assert time.monotonic() < end, f"{url} does not become ready"
            await asyncio.sleep(0.1)

    async def _ask(
        self, method: str, path: str, body: Any = None, url: str = "", **more: str
    ) -> tuple[int, Any]:
        url = (url or self.chance.choice(self.urls)) + path
        async with self._session.request(method, url, json=body, headers={**self._headers, **more}) as answer:
            status, data = answer.status, await answer.read()
        if status == 503 and "Retry-After" in answer.headers:  # nothing was changed
            self.calls["refused as overloaded"] += 1
            return await self._ask(method, path, body, url.removesuffix(path), **more)
        if status >= 500 or status in (400, 401, 403, 404):
            raise Wrong(f"{method} {path}: {status} {data[:300]!r}")
        return status, orjson.loads(data)

    # --- one history ----------------------------------------------------------------------------------

    async def record(self) -> tuple[list[Call], int, list[str]]:
        """Run clients at one game; return their calls, the version before them, and the log."""
        ruleset = self.chance.choice(RULESETS)
        seats = min(seats for seats in referee.find(ruleset).SEATS if seats > 1)
        wanted = {"ruleset": ruleset, "seats": [{"player": player} for player in self._players[:seats]]}
        game = (await self._ask("POST", "/v1/games", wanted))[1]
        path = f"/v1/games/{game['id']}"
        calls: list[Call] = []
        await asyncio.gather(*(self._client(path, calls) for _ in range(CLIENTS)))
        entries, more = list[Any](), True
        while more:
            page = (await self._ask("GET", f"{path}/events?limit=200&after={len(entries)}"))[1]
            entries, more = [*entries, *page["items"]], page["next"] is not None
        if [entry["seq"] for entry in entries] != list(range(1, len(entries) + 1)):
            raise Wrong(f"{path}: the log has a gap")
        # The server itself reports the end of a game, in the transaction of the last move.
        log = [entry["hash"] for entry in entries]
        if entries[-1]["type"] == "finished":
            calls.append(_finish(calls, log))
        return calls, game["version"], log

    async def _client(self, path: str, calls: list[Call]) -> None:
        kinds = (self._talk, self._twice, self._move, self._blind_move, self._view, self._events)
        for _ in range(CALLS):
            act = self.chance.choices(kinds, (25, 5, 25, 10, 25, 10))[0]
            self.calls[act.__name__.strip("_")] += 1
            await act(path, calls)
            await asyncio.sleep(self.chance.choice((0, 0, 0.002, 0.01)))

    async def _view(self, path: str, calls: list[Call]) -> None:
        begun = time.perf_counter()
        _, game = await self._ask("GET", path)
        calls.append(Call(begun, time.perf_counter(), game["version"], digest=_head(game["receipt"])))

    async def _events(self, path: str, calls: list[Call]) -> None:
        begun = time.perf_counter()
        _, page = await self._ask("GET", f"{path}/events?limit=200")
        ended, last = time.perf_counter(), page["items"][-1]
        calls.append(Call(begun, ended, last["seq"], digest=last["hash"]))

    async def _append(self, path: str, calls: list[Call], body: Any, expected: int | None = None) -> bool:
        headers = {} if expected is None else {"If-Match": f'"{expected}"'}
        begun = time.perf_counter()
        status, answer = await self._ask("POST", path, body, **headers)
        ended = time.perf_counter()
        if status == 201 and answer["entry"] is not None:  # otherwise said after the end, beside the log
            entry = answer["entry"]
            calls.append(Call(begun, ended, entry["seq"], True, expected, entry["hash"]))
        elif status == 201:
            pass
        elif status == 412:
            calls.append(Call(begun, ended, answer["version"], False, expected))
        elif answer["type"] != f"/problems/{REFUSED.get(status)}" or (expected is not None and status != 409):
            raise Wrong(f"POST {path} {headers}: {status} {answer}")
        return status == 201

    async def _talk(self, path: str, calls: list[Call]) -> None:
        await self._append(f"{path}/messages", calls, {"text": str(uuid.uuid4())})

    async def _twice(self, path: str, calls: list[Call]) -> None:
        """Send the same request to both servers at once: one append, with one answer."""
        key, body = str(uuid.uuid4()), {"text": str(uuid.uuid4())}
        begun = time.perf_counter()

        async def once(url: str) -> tuple[int, Any, float]:
            found = await self._ask("POST", f"{path}/messages", body, url, **{"Idempotency-Key": key})
            return *found, time.perf_counter()

        answers = await asyncio.gather(*map(once, self.urls))
        status, answer, _ = answers[0]
        first = status, answer.get("entry")
        if any((status, answer.get("entry")) != first for status, answer, _ in answers):
            raise Wrong(f"{path}: one Idempotency-Key, two answers: {answers}")
        if status == 201 and answer["entry"] is not None:
            ended, entry = min(ended for _, _, ended in answers), answer["entry"]
            calls.append(Call(begun, ended, entry["seq"], True, None, entry["hash"]))

    async def _legal(self, path: str, calls: list[Call]) -> tuple[dict[str, Any], int] | None:
        """Return a legal move and the version for which it is legal; this counts as a read."""
        _, game = await self._ask("GET", path)
        for seat in game["to_act"]:
            begun = time.perf_counter()
            _, found = await self._ask("GET", f"{path}/legal-moves?seat={seat}")
            calls.append(Call(begun, time.perf_counter(), found["version"]))
            if found["moves"]:
                return {"seat": seat, "move": self.chance.choice(found["moves"])}, found["version"]
        return None

    async def _move(self, path: str, calls: list[Call]) -> None:
        if found := await self._legal(path, calls):
            await self._append(f"{path}/moves", calls, *found)

    async def _blind_move(self, path: str, calls: list[Call]) -> None:
        if found := await self._legal(path, calls):
            await self._append(f"{path}/moves", calls, found[0])


def _finish(calls: list[Call], log: list[str]) -> Call:
    """Return a call for the entry `finished`; the last move writes both, so version - 1 is never seen."""
    move = next(call for call in calls if call.appended and call.version == len(log) - 1)
    return replace(move, version=len(log), expected=None, digest=log[-1])


def _head(receipt: Any) -> str:
    """Return the hash of the last entry that a receipt signs."""
    return base64.b64decode(receipt.split("\n")[2]).hex()


async def record_and_check(
    urls: Sequence[str], key: str, histories: int, seed: int, *, first: bool = False
) -> tuple[list[str], Counter[str]]:
    """Record histories, some at a time; return the faults (or the first), and the counts of calls."""
    faults: list[str] = []
    left = iter(range(histories))

    async with Recorder(urls, key, random.Random(seed)) as recorder:

        async def go_on() -> None:
            for _ in left:
                try:
                    calls, base, log = await recorder.record()
                    if (found := fault(calls, base, log)) is not None:
                        raise Wrong(found)
                except Wrong as wrong:
                    faults.append(str(wrong))
                if first and faults:
                    return

        await asyncio.gather(*(go_on() for _ in range(AT_ONCE)))
        return faults, recorder.calls


@click.command(help=__doc__)
@click.argument("histories", default=1000)
@click.argument("seed", type=int, default=lambda: random.randrange(10**6))
def main(histories: int, seed: int) -> None:
    """Record and check histories, and print the result."""
    begun = time.monotonic()
    with free_directory() as directory, supervise(directory) as server:
        assert server is not None
        settings = embedded(Settings(data_dir=directory), server.socket)
        migrate.upgrade(settings)
        with web_servers(settings) as urls:
            faults, calls = asyncio.run(record_and_check(urls, app_key(settings), histories, seed))
    done = f"seed {seed}: {histories} histories of {CLIENTS} clients, {calls.total()} calls {dict(calls)}"
    print(done, f"in {time.monotonic() - begun:.0f} s; {len(faults)} that nothing explains")
    print(*faults[:20], sep="\n")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
