"""A mirror built from `/v1/events` alone equals the server, after games in which processes were killed.

    python -m tests.campaigns.mirror [GAMES [SEED]]

Random games of every ruleset are played over HTTP by several clients, by bots, and by both. Meanwhile the
mirror, web processes, the job worker, the database and the whole of `serve` are killed again and again.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psutil

import referee
from tests.campaigns import reader
from tests.serving import Server, free_directory, free_port, start

MOVES = 12  # of a person, who then calls the game off
PATIENCE = 300  # seconds; bounds a hang, measures nothing
RULESETS = ("cats_and_dogs", "pies", "pedro", "dog_cards", "mau_mau", "palace", "bisca", "truco", "landlord")
PAUSES = {
    "mirror": 1.5,
    "web": 3.0,
    "worker": 20.0,
    "database": 30.0,
    "serve": 120.0,
}  # seconds between kills


class Caller:
    """Whoever calls on until it is answered: the same request with the same key, whatever is killed."""

    def __init__(self, url: str, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self.client = httpx.Client(base_url=url, headers=headers, timeout=60)

    def __call__(self, method: str, path: str, body: Any = None) -> httpx.Response:
        headers = {"Idempotency-Key": str(uuid.uuid4())} if method == "POST" else {}
        end = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(httpx.TransportError):
                answer = self.client.request(method, path, json=body, headers=headers)
                if answer.status_code < 500:
                    late = answer.status_code in (409, 422)  # bots have played on meanwhile
                    expected = answer.status_code < 300 or (late and path.startswith("/v1/games/"))
                    assert expected, f"{method} {path} {body}: {answer.text}"
                    return answer
            assert time.monotonic() < end, f"{method} {path} is not answered"
            time.sleep(0.1)


class Campaign:
    """A server, its mirror, and what is done to both."""

    def __init__(self, directory: Path, chance: random.Random) -> None:
        self.chance, self.directory, self.port = chance, directory, free_port()
        self.file = directory / "mirror.sqlite"
        self.killed: Counter[str] = Counter()
        self.over = threading.Event()
        self.server = self._start()
        self.key, self.audit = self.server.key, self.server.new_key("read", "audit")
        self.mirror = self._mirror()

    def _start(self) -> Server:
        settings = {"RATE_LIMIT": "none", "WORKERS": "2", "COMPUTE_WORKERS": "0", "MAX_STREAMS": "100"}
        return start(self.directory / "data", "--port", self.port, **settings)

    def _mirror(self) -> subprocess.Popen[bytes]:
        form = self.chance.choice([*reader.FORMS])
        arguments = [sys.executable, "-m", "tests.campaigns.reader", self.server.url, str(self.file), form]
        return subprocess.Popen(arguments, env={**os.environ, "KEY": self.audit})

    def _children(self, kind: str) -> list[psutil.Process]:
        found = []
        for child in psutil.Process(self.server.process.pid).children():
            with contextlib.suppress(psutil.Error):
                words = child.cmdline()
                is_kind = next((k for k in ("web", "worker") if k in words), "database") == kind
                found += [child] if is_kind and kind != "web" else child.children() if is_kind else []
        return found

    def kill(self, kind: str) -> None:
        """Kill one process with no chance to tidy up; what nobody else starts again is started here."""
        if kind == "mirror":
            assert self.mirror.poll() is None, "the mirror has found a fault"
            self.mirror.kill()
            self.mirror.wait()
            self.mirror = self._mirror()
        elif kind == "serve":
            self.server.process.send_signal(signal.SIGKILL)
            self.server.process.wait()
            self.server = self._start()
        else:
            with contextlib.suppress(psutil.Error, IndexError):
                self.chance.choice(self._children(kind)).kill()
        self.killed[kind] += 1

    def torment(self) -> None:
        """Kill, each kind at its own pace, until the games are over."""
        begun = time.monotonic()
        due = {kind: begun + pause * self.chance.uniform(0.3, 1) for kind, pause in PAUSES.items()}
        while not self.over.wait(0.05):
            kind = min(due, key=lambda each: due[each])
            if time.monotonic() >= due[kind]:
                self.kill(kind)
                due[kind] = time.monotonic() + PAUSES[kind] * self.chance.uniform(0.5, 1.5)

    def play(self, seed: int) -> None:
        """Play a random game: to its end, or until somebody has had enough."""
        chance, call = random.Random(seed), Caller(self.server.url, self.key)
        ruleset = chance.choice(RULESETS)
        seats: list[Any] = [{"bot": "random"} for _ in range(min(referee.find(ruleset).SEATS))]
        if chance.random() < 0.4:
            player = call("POST", "/v1/players", {"name": "Anna"}).json()["id"]
            seats[chance.randrange(len(seats))] = {"player": player}
        game = call("POST", "/v1/games", {"ruleset": ruleset, "seats": seats}).json()
        path = f"/v1/games/{game['id']}"
        for _ in range(MOVES):
            game = call("GET", path).json()
            mine = [seat for seat in game["to_act"] if game["seats"][seat]["player"]]
            if not mine:
                return
            legal = call("GET", f"{path}/legal-moves?seat={mine[0]}").json()["moves"]
            if legal:
                call("POST", f"{path}/moves", {"seat": mine[0], "move": chance.choice(legal)})
        call("POST", f"{path}/cancellation")

    def compare(self) -> tuple[int, int]:
        """Hold the mirror against the server; returns how many games and entries there are."""
        call = Caller(self.server.url, self.audit)
        end = time.monotonic() + PATIENCE
        while call("GET", "/v1/games?status=running&limit=1").json()[
            "items"
        ]:  # bots whose process was killed
            assert time.monotonic() < end, "a game is not played to its end"
            time.sleep(0.5)
        games, cursor = [], ""
        while cursor is not None:
            page = call("GET", f"/v1/games?limit=200{cursor and '&cursor=' + cursor}").json()
            games += page["items"]
            cursor = page["next"]
        expected = sum(game["version"] for game in games)
        mirror = reader.opened(str(self.file))
        while mirror.execute("SELECT count(*) FROM entries").fetchone()[0] < expected:
            assert self.mirror.poll() is None, "the mirror has found a fault"
            assert time.monotonic() < end, "the mirror does not get there"
            time.sleep(0.2)
        known = {game for (game,) in mirror.execute("SELECT DISTINCT game FROM entries")}
        assert known == {game["id"] for game in games}
        for game in games:
            rows = mirror.execute("SELECT entry FROM entries WHERE game = ? ORDER BY seq", (game["id"],))
            self._same(call, game, [json.loads(entry) for (entry,) in rows])
        return len(games), expected

    def _same(self, call: Callable[..., httpx.Response], game: Any, entries: list[Any]) -> None:
        """The mirror's entries are the log, byte for byte, and say of the game what the server says."""
        log = call("GET", f"/v1/games/{game['id']}/events", None)
        lines = [json.loads(line) for line in self._lines(game["id"]).splitlines()]
        assert log.status_code == 200
        assert entries == lines
        digest = bytes(32)
        for entry in entries:
            public = {name: value for name, value in entry.items() if name not in ("hash", "private")}
            digest = referee.chain(digest, public)
            assert digest.hex() == entry["hash"]
        last = entries[-1]
        assert game["version"] == last["seq"] == len(entries)
        assert game["status"] == last["type"]
        assert game["result"] == last.get("result")

    def _lines(self, game: str) -> str:
        headers = {"Authorization": f"Bearer {self.audit}", "Accept": reader.FORMS["lines"]}
        return httpx.get(f"{self.server.url}/v1/games/{game}/events", headers=headers, timeout=60).text

    def end(self) -> None:
        """Stop everything."""
        self.over.set()
        self.mirror.kill()
        self.mirror.wait()
        self.server.end()


def run(games: int, seed: int, kills: tuple[str, ...] = (), clients: int = 3) -> str:
    """Play so many games while processes die at random, or once each of `kills`; returns what was done."""
    with free_directory() as directory:
        directory.chmod(0o711)
        campaign = Campaign(directory, random.Random(seed))
        try:
            with ThreadPoolExecutor(clients + 1) as pool:
                torment = None if kills else pool.submit(campaign.torment)
                playing = [pool.submit(campaign.play, seed * 1_000_000 + number) for number in range(games)]
                try:
                    for kind in kills:
                        campaign.kill(kind)
                    for each in playing:
                        each.result()
                finally:
                    campaign.over.set()
                if torment is not None:
                    torment.result()
            found, entries = campaign.compare()
            assert found == games
            dead = ", ".join(f"{kind} {times}" for kind, times in campaign.killed.items())
            return f"{found} games, {entries} entries; killed: {dead}"
        finally:
            campaign.end()


def main() -> None:
    """Run the campaign and say what it was."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    print(f"seed {seed}", flush=True)
    begun = time.monotonic()
    print(run(games, seed), f"in {time.monotonic() - begun:.0f} s: the mirror equals the server")


if __name__ == "__main__":
    main()
