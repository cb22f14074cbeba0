"""Clients that play and chat at many tables at once, retry until they get an answer, and keep a ledger.

The ledger contains what the servers have promised: each 201, with the number and the hash of its entry. An
answer that contradicts others is recorded as a fault at once.
"""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import aiohttp
import orjson

import referee

TIMEOUT = 300  # seconds; only a limit in case something hangs
ATTEMPT = aiohttp.ClientTimeout(total=60)
UNCHANGED = "Nothing was changed."
RULESETS = ["pies", "pedro", "dog_cards", "mau_mau", "palace", "bisca", "truco", "landlord"]
RULESETS += ["cats_and_dogs"] * len(RULESETS)
OVER = ("finished", "cancelled")
REFUSALS = (409, 412, 422)  # errors because others have changed the game meanwhile
TOO_MANY = 429  # long requests of one caller wait while there are no compute processes


class Broken(Exception):
    """An impossible answer, or none at all; recorded as a fault."""


class Answer(NamedTuple):
    status: int
    body: Any
    replayed: bool


@dataclass
class Table:
    """A game as the clients know it."""

    id: str
    humans: list[int]
    paced: bool
    to_act: list[int] = field(default_factory=list)
    version: int = 0
    """The highest version that any answer told of: whoever asks afterwards may be told of no lower one."""
    accepted: dict[int, str] = field(default_factory=dict)
    """The entries that were promised: seq → hash."""
    over: bool = False


class Ledger:
    """What was promised, and what was wrong."""

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self.requests: Counter[str] = Counter()
        self.faults: list[str] = []

    def fault(self, message: str) -> None:
        self.faults.append(message)
        print("FAULT:", message, flush=True)

    @property
    def sent(self) -> int:
        return self.requests.total()

    @property
    def promised(self) -> int:
        return sum(len(table.accepted) for table in self.tables.values())

    def accept(self, table: Table, entry: dict[str, Any]) -> None:
        """Record what a 201 promises."""
        seq = entry["seq"]
        if seq in table.accepted:
            self.fault(f"game {table.id}: two requests were told that they wrote entry {seq}")
        table.accepted[seq] = entry["hash"]


class Clients:
    """Many clients at one set of tables; each request goes to a random server."""

    def __init__(
        self,
        urls: Callable[[], Sequence[str]],
        key: str,
        audit: str,
        chance: random.Random,
        ledger: Ledger | None = None,
    ) -> None:
        self.urls, self.chance, self.ledger = urls, chance, ledger or Ledger()
        self.over = asyncio.Event()
        self.made: list[Table] = []
        """The tables of this app, of all that are in the ledger."""
        self._key, self._audit = key, audit
        self._open: list[Table] = []
        self._players: list[str] = []

    async def open(self) -> None:
        """Start the HTTP client, within the running event loop."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=ATTEMPT,
            json_serialize=lambda v: orjson.dumps(v).decode(),
        )

    async def close(self) -> None:
        await self._session.close()

    # --- one request --------------------------------------------------------------------------------

    async def ask(self, method: str, path: str, body: Any = None, *, key: str = "", **headers: str) -> Answer:
        """Send a request, each time to a random server with the same key, until the answer is final."""
        headers["Authorization"] = f"Bearer {self._key}"
        if key:
            headers["Idempotency-Key"] = key
        certain = True  # every failed attempt reported that nothing was changed
        failed: Counter[str] = Counter()
        end = time.monotonic() + TIMEOUT
        while True:
            answer = await self._attempt(method, path, body, headers)
            if answer is not None and answer.status < 500 and answer.status != TOO_MANY:
                if answer.status >= 400 and answer.status not in REFUSALS:
                    self.ledger.fault(f"{method} {path}: {answer.status} {answer.body}")
                    raise Broken
                if answer.replayed and certain and key:
                    self.ledger.fault(f"{method} {path}: changed, although each 503 said that nothing was")
                return answer
            refused = answer is not None and answer.status == TOO_MANY
            if not refused and (answer is None or not answer.body.get("detail", "").endswith(UNCHANGED)):
                certain = False
            failed["no answer" if answer is None else f"{answer.status} {answer.body}"] += 1
            if time.monotonic() > end:
                self.ledger.fault(f"{method} {path} is not answered, but {dict(failed)}")
                raise Broken
            await asyncio.sleep(self.chance.uniform(0.05, 0.3))

    async def _attempt(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Answer | None:
        url = self.chance.choice(self.urls()) + path
        try:
            async with self._session.request(method, url, json=body, headers=headers) as response:
                data = await response.read()
                found = orjson.loads(data) if data else None
        except (aiohttp.ClientConnectorError, ConnectionRefusedError):
            self.ledger.requests["refused"] += 1
            return Answer(503, {"detail": UNCHANGED}, False)  # the request never arrived
        except (aiohttp.ClientError, OSError, TimeoutError, orjson.JSONDecodeError):
            self.ledger.requests["cut off"] += 1
            return None
        self.ledger.requests[str(response.status)] += 1
        if response.status == 500:
            self.ledger.fault(f"{method} {path}: 500 {found}")
        return Answer(response.status, found, "Idempotency-Replayed" in response.headers)

    # --- what clients do ----------------------------------------------------------------------------

    async def prepare(self, tables: int, players: int = 8) -> None:
        """Create players and the first tables."""
        made = [self.ask("POST", "/v1/players", {"name": f"Player {n}"}, key=_key()) for n in range(players)]
        self._players = [answer.body["id"] for answer in await asyncio.gather(*made)]
        await asyncio.gather(*(self._new_table() for _ in range(tables)))

    async def run(self) -> None:
        """Act as one client until the end."""
        while not self.over.is_set():
            table = self.chance.choice(self._open)
            if table.over:
                if table in self._open:
                    self._open.remove(table)
                    try:
                        await self._new_table()
                    except Broken:  # the fault is noted
                        self._open.append(table)
                continue
            doing = self.chance.choices((self._talk, self._move, self._read, self._verify), (40, 35, 24, 1))[
                0
            ]
            try:
                await doing(table)
            except Broken:
                table.over = True

    async def _new_table(self) -> None:
        chance = self.chance
        ruleset = chance.choice(RULESETS)
        count = min(seats for seats in referee.find(ruleset).SEATS if seats > 1)
        seats: list[Any] = [{"player": player} for player in chance.sample(self._players, count)]
        if chance.random() < 0.25:
            seats[chance.randrange(1, count)] = {"bot": "random"}
        wanted: dict[str, Any] = {"ruleset": ruleset, "seats": seats}
        if paced := chance.random() < 0.2:
            wanted["pace"] = {"per_move": "PT5S", "on_timeout": chance.choice(("resign", "random_move"))}
        game = (await self.ask("POST", "/v1/games", wanted, key=_key())).body
        humans = [number for number, seat in enumerate(seats) if "player" in seat]
        table = self.ledger.tables[game["id"]] = Table(game["id"], humans, paced)
        self._see(table, game)
        self.made.append(table)
        self._open.append(table)

    def _see(self, table: Table, game: dict[str, Any]) -> None:
        if game["version"] >= table.version:
            table.version = game["version"]
            table.to_act = [seat for seat in game["to_act"] if seat in table.humans]
        table.over = table.over or game["status"] in OVER

    async def _append(self, table: Table, path: str, body: Any, **headers: str) -> bool:
        """Send a request that appends an entry; sometimes send it again, as if the answer had been lost."""
        key = _key()
        answer = await self.ask("POST", f"/v1/games/{table.id}{path}", body, key=key, **headers)
        if answer.status != 201:
            table.over = table.over or answer.body["type"] == "/problems/game-over"
            return False
        entry = answer.body["entry"]
        if entry is None:  # said after the end, beside the log
            table.over = True
            return False
        self.ledger.accept(table, entry)
        table.version = max(table.version, entry["seq"])
        if "game" in answer.body:
            self._see(table, answer.body["game"])
        if self.chance.random() < 0.05:
            headers["Idempotency-Key"] = key
            again = await self.ask("POST", f"/v1/games/{table.id}{path}", body, **headers)
            if again.status != 201 or not again.replayed or again.body["entry"] != entry:
                self.ledger.fault(
                    f"game {table.id}: entry {entry['seq']} was written, its repeat got {again}"
                )
        return True

    async def _talk(self, table: Table) -> None:
        body = {"text": str(uuid.uuid4()), "seat": self.chance.choice(table.humans)}
        await self._append(table, "/messages", body)

    async def _move(self, table: Table) -> None:
        if not table.to_act:
            return await self._read(table)
        seat = self.chance.choice(table.to_act)
        answer = await self.ask("GET", f"/v1/games/{table.id}/legal-moves?seat={seat}")
        if not answer.body["moves"]:
            return await self._read(table)
        body = {"move": self.chance.choice(answer.body["moves"]), "seat": seat}
        headers = {"If-Match": f'"{answer.body["version"]}"'} if self.chance.random() < 0.5 else {}
        if not await self._append(table, "/moves", body, **headers):
            await self._read(table)
        return None

    async def _read(self, table: Table) -> None:
        known = table.version
        game = (await self.ask("GET", f"/v1/games/{table.id}")).body
        if game["version"] < known:
            self.ledger.fault(f"game {table.id}: version {game['version']} was shown after version {known}")
        self._see(table, game)

    async def _verify(self, table: Table) -> None:
        path = f"/v1/games/{table.id}/verification"
        answer = await self._attempt("GET", path, None, {"Authorization": f"Bearer {self._audit}"})
        if answer is not None and answer.status == 200 and not answer.body["ok"]:
            self.ledger.fault(f"game {table.id}: {answer.body}")

    async def call_off(self, table: Table) -> None:
        """Cancel a game, whose deadlines would otherwise go on forever."""
        await self._append(table, "/cancellation", None)


def _key() -> str:
    return str(uuid.uuid4())
