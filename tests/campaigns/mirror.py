"""Check that two mirrors, of `/v1/events` and of webhooks, equal the server after games with many kills.

    python -m tests.campaigns.mirror [GAMES [SEED [MINUTES]]]

Random games of every ruleset are played over HTTP by several clients, by bots, and by both. Meanwhile both
mirrors, web processes, the job worker, the database and the whole of `serve` are killed repeatedly. After
MINUTES no further game begins, and the mirrors are compared with what was played.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import random
import signal
import socket
import sqlite3
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

import click
import httpx
import psutil

import referee
import referee.records
from api.features.webhooks.notices import EVENTS
from api.run.serve import RESTART_WINDOW, RESTARTS
from tests.campaigns import reader, receiver
from tests.servers import serving
from tests.servers.serving import Server, free_directory, free_port, start

LONG = ("pies", "dog_cards", "pedro", "mau_mau", "palace")  # bots need hundreds of moves and more
MOVES = 4  # moves of a person, who then cancels the game
TIMEOUT = 900  # seconds; only a limit in case something hangs
ALL = [*EVENTS]  # `game.moved` is sent only if it is listed
RULESETS = ("cats_and_dogs", "pies", "pedro", "dog_cards", "mau_mau", "palace", "bisca", "truco", "landlord")
TALK = 0.2  # share of a person's moves that are followed by a message
KILLS = {"mirror": 25, "receiver": 15, "web": 15, "worker": 3, "database": 3, "serve": 1}
"""How many of a hundred games are followed by such a kill."""
MOMENT = 1.0  # a kill happens within this many seconds


class Caller:
    """A client that repeats a request with the same key until it gets an answer, whatever is killed."""

    def __init__(self, url: str, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self.client = httpx.Client(base_url=url, headers=headers, timeout=120)

    def __call__(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> httpx.Response:
        if method == "POST":
            headers = {"Idempotency-Key": str(uuid.uuid4())}
        end = time.monotonic() + TIMEOUT
        while True:
            with contextlib.suppress(httpx.TransportError):
                answer = self.client.request(method, path, json=body, headers=headers)
                if answer.status_code < 500:
                    late = answer.status_code in (
                        409,
                        422,
                    )  # bots have moved meanwhile, or it was sent before
                    expected = answer.status_code < 300 or (
                        late and path.startswith(("/v1/games/", "/v1/web"))
                    )
                    assert expected, f"{method} {path} {body}: {answer.text}"
                    return answer
            assert time.monotonic() < end, f"{method} {path} gets no answer"
            time.sleep(0.1)


class Campaign:
    """A server, its mirrors, and the faults that are caused."""

    forms = tuple(reader.FORMS)  # in one of which the mirror reads the feed

    def __init__(
        self, directory: Path, chance: random.Random, through: Callable[[str], str] = lambda url: url
    ) -> None:
        """Start everything; players and the mirror of the feed go `through` another address."""
        self.chance, self.directory, self.port = chance, directory, free_port()
        self.file, self.inbox = directory / "mirror.sqlite", directory / "inbox.sqlite"
        self.door = socket.create_server(("127.0.0.1", 0), backlog=1000)
        self.killed: Counter[str] = Counter()
        self.deaths: dict[str, list[float]] = {"worker": [], "database": []}
        self.over, self.due = threading.Event(), queue.SimpleQueue[str]()
        self.server = self._start()
        self.url = through(self.server.url)
        self.key, self.audit = self.server.key, self.server.new_key("read", "audit")
        self.mirror = self._mirror()
        wanted = {"url": f"http://127.0.0.1:{self.door.getsockname()[1]}/", "include": ["entry"]}
        made = Caller(self.server.url, self.key)("POST", "/v1/webhooks", {**wanted, "events": ALL})
        self.hook, self.secret = made.json()["id"], made.json()["secret"]
        self.receiver = self._receiver()

    def _start(self) -> Server:
        settings = {"RATE_LIMIT": "none", "WORKERS": "2", "COMPUTE_WORKERS": "0", "MAX_STREAMS": "100"}
        settings["ALLOW_PRIVATE_WEBHOOKS"] = "true"
        return start(self.directory / "data", "--port", self.port, **settings)

    def _mirror(self) -> subprocess.Popen[bytes]:
        form = self.chance.choice(self.forms)
        arguments = [sys.executable, "-m", "tests.campaigns.reader", self.url, str(self.file), form]
        return subprocess.Popen(arguments, env={**os.environ, "KEY": self.audit})

    def _receiver(self) -> subprocess.Popen[bytes]:
        door = self.door.fileno()
        arguments = [sys.executable, "-m", "tests.campaigns.receiver", str(door), str(self.inbox)]
        return subprocess.Popen(arguments, env={**os.environ, "SECRET": self.secret}, pass_fds=[door])

    def _children(self, kind: str) -> list[psutil.Process]:
        found = []
        for child in psutil.Process(self.server.process.pid).children():
            with contextlib.suppress(psutil.Error):
                words = child.cmdline()
                is_kind = next((k for k in ("web", "worker") if k in words), "database") == kind
                found += [child] if is_kind and kind != "web" else child.children() if is_kind else []
        return found

    def progress(self) -> str:
        """Return the progress of the mirrors, and what was killed."""
        dead = ", ".join(f"{kind} {times}" for kind, times in self.killed.items())
        return (
            f"{self._count(self.file)} entries in one mirror, {self._count(self.inbox)} in the other; {dead}"
        )

    def kill(self, kind: str) -> None:
        """Kill one process without warning; restart it if nothing else does."""
        assert self.server.process.poll() is None, f"serve has ended: {''.join(self.server.errors[-9:])}"
        if kind == "mirror":
            assert self.mirror.poll() is None, "the mirror has found a fault"
            self.mirror.kill()
            self.mirror.wait()
            self.mirror = self._mirror()
        elif kind == "receiver":
            assert self.receiver.poll() is None, "what receives webhooks has found a fault"
            self.receiver.kill()
            self.receiver.wait()
            self.receiver = self._receiver()
        elif kind == "serve":
            self.server.process.send_signal(signal.SIGKILL)
            self.server.process.wait()
            self.server = self._start()
        else:
            with contextlib.suppress(psutil.Error, IndexError):
                self.chance.choice(self._children(kind)).kill()
        self.killed[kind] += 1

    def torment(self) -> None:
        """Kill processes that are due, each some moments after its start, until the games are over."""
        while not self.over.wait(self.chance.uniform(0, MOMENT)):
            with contextlib.suppress(queue.Empty):
                kind = self.due.get(timeout=0.1)
                if self._dies_too_often(kind):
                    self.due.put(kind)
                else:
                    self.kill(kind)

    def _dies_too_often(self, kind: str) -> bool:
        """Return whether `serve` would end if this part of it died once more now."""
        if kind not in self.deaths:
            return False
        now = time.monotonic()
        self.deaths[kind] = [at for at in self.deaths[kind] if at > now - 2 * RESTART_WINDOW]
        if len(self.deaths[kind]) >= RESTARTS:
            return True
        self.deaths[kind].append(now)
        return False

    def after_game(self) -> None:
        """Choose what to kill next, if anything."""
        for kind, times in KILLS.items():
            if self.chance.random() < times / 100:
                self.due.put(kind)

    def play(self, seed: int) -> None:
        """Play a random game, to its end or until a player stops."""
        chance, call = random.Random(seed), Caller(self.url, self.key)
        ruleset = chance.choice(RULESETS)
        seats: list[Any] = [{"bot": "random"} for _ in range(min(referee.find(ruleset).SEATS))]
        if chance.random() < 0.5 or ruleset in LONG:
            player = call("POST", "/v1/players", {"name": "Anna"}).json()["id"]
            seats[chance.randrange(len(seats))] = {"player": player}
        about = {"title": f"Game {seed}", "external_id": str(seed), "metadata": {"seed": str(seed)}}
        game = call("POST", "/v1/games", {"ruleset": ruleset, "seats": seats, **about}).json()
        path = f"/v1/games/{game['id']}"
        for _ in range(MOVES):
            end = time.monotonic() + TIMEOUT
            while not (mine := [seat for seat in game["to_act"] if game["seats"][seat]["player"]]):
                if game["status"] != "running" or not any(seat["player"] for seat in game["seats"]):
                    return
                assert time.monotonic() < end, "bots stopped because their process was killed"
                time.sleep(0.1)
                game = call("GET", path).json()
            legal = call("GET", f"{path}/legal-moves?seat={mine[0]}").json()["moves"]
            if legal:
                call("POST", f"{path}/moves", {"seat": mine[0], "move": chance.choice(legal)})
            if chance.random() < TALK:
                call("POST", f"{path}/messages", {"seat": mine[0], "text": str(chance.random())})
            game = call("GET", path).json()
        call("POST", f"{path}/cancellation")

    def compare(self) -> tuple[int, int]:
        """Compare both mirrors with the server; return the numbers of games and entries."""
        call = Caller(self.server.url, self.audit)
        end = time.monotonic() + TIMEOUT
        running = "/v1/games?status=running&limit=1"
        while call("GET", running).json()["items"]:  # bots stopped because their process was killed
            assert time.monotonic() < end, "a game was not played to its end"
            time.sleep(0.5)
        games, cursor = [], ""
        while cursor is not None:
            page = call("GET", f"/v1/games?limit=200{cursor and '&cursor=' + cursor}").json()
            games += page["items"]
            cursor = page["next"]
        expected = sum(game["version"] for game in games)
        mirror = reader.opened(str(self.file))
        while self._count(self.file) < expected:
            assert self.mirror.poll() is None, "the mirror has found a fault"
            assert time.monotonic() < end, "the mirror does not catch up"
            time.sleep(0.2)
        known = {game: json.loads(about) for game, about in mirror.execute("SELECT game, about FROM games")}
        assert known == {game["id"]: {name: game[name] for name in reader.ABOUT} for game in games}
        for game in games:
            rows = mirror.execute("SELECT entry FROM entries WHERE game = ? ORDER BY seq", (game["id"],))
            self._same(call, game, [json.loads(entry) for (entry,) in rows])
        self._compare_received(games, expected)
        return len(games), expected

    def _compare_received(self, games: list[Any], expected: int) -> None:
        """Compare the mirror of webhooks with what the server shows to a key with the same rights."""
        call, inbox = Caller(self.server.url, self.key), receiver.opened(str(self.inbox))
        before = -1
        while (count := self._count(self.inbox)) < expected:
            assert self.receiver.poll() is None, "what receives webhooks has found a fault"
            if count > before:
                before, end = count, time.monotonic() + TIMEOUT
            assert time.monotonic() < end, "the mirror of webhooks does not catch up"
            self._hurry(call)
            time.sleep(2)
        known = {game: json.loads(about) for game, about in inbox.execute("SELECT game, about FROM games")}
        assert known.keys() == {game["id"] for game in games}
        for game in games:
            of_game = "FROM entries WHERE game = ?"
            rows = inbox.execute(f"SELECT entry {of_game} ORDER BY seq", (game["id"],))
            self._same(call, game, [json.loads(entry) for (entry,) in rows])
            assert known[game["id"]] == {name: game[name] for name in known[game["id"]]}
            order = inbox.execute(f"SELECT seq {of_game} AND type != 'said' ORDER BY arrived", (game["id"],))
            came = [seq for (seq,) in order]
            assert came == sorted(came), f"game {game['id']} was not told in order"

    def _count(self, file: Path) -> int:
        with contextlib.closing(sqlite3.connect(file, timeout=60)) as mirror:
            return int(mirror.execute("SELECT count(*) FROM entries").fetchone()[0])

    def _hurry(self, call: Caller) -> None:
        """Request refused deliveries at once, because the server's pauses are not tested here."""
        path = f"/v1/webhooks/{self.hook}/deliveries"
        for waiting in call("GET", f"{path}?status=pending&limit=200").json()["items"]:
            if waiting["attempts"]:
                call("POST", f"{path}/{waiting['id']}/retry")

    def _same(self, call: Callable[..., httpx.Response], game: Any, entries: list[Any]) -> None:
        """Check that the mirror's entries equal the log byte for byte, and its description the game's."""
        path, after = f"/v1/games/{game['id']}/events?limit=200&after=", 0
        while items := call("GET", f"{path}{after}").json()["items"]:
            assert entries[after : after + len(items)] == items
            after += len(items)
        assert after == len(entries)
        digest = bytes(32)
        for entry in entries:
            public = {name: value for name, value in entry.items() if name not in ("hash", "private")}
            digest = referee.records.chain(digest, public)
            assert digest.hex() == entry["hash"]
        last = entries[-1]
        assert game["version"] == last["seq"] == len(entries)
        assert game["status"] == last["type"]
        assert game["result"] == last.get("result")

    def end(self) -> None:
        """Stop everything."""
        self.over.set()
        for process in (self.mirror, self.receiver):
            process.kill()
            process.wait()
        self.server.end()
        self.door.close()


def run(
    games: int, seed: int, kills: tuple[str, ...] = (), clients: int = 3, minutes: float = math.inf
) -> str:
    """Play this many games while processes are killed at random, or exactly `kills`; return what was done.

    After this many minutes no further game begins.
    """
    end = time.monotonic() + 60 * minutes
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
                    for number, each in enumerate(playing, 1):
                        if time.monotonic() > end:
                            for later in playing:  # concurrently: others begin while one is waiting
                                later.cancel()
                        if each.cancelled():
                            games -= 1
                            continue
                        each.result()
                        campaign.after_game()
                        if number % 50 == 0:
                            print(f"{number} games, {campaign.progress()}", flush=True)
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


@click.command(help=__doc__)
@click.argument("games", default=1000)
@click.argument("seed", type=int, default=lambda: random.randrange(10**6))
@click.argument("minutes", default=math.inf)
def main(games: int, seed: int, minutes: float) -> None:
    """Run the campaign and print a summary."""
    serving.TIMEOUT = TIMEOUT
    print(f"seed {seed}", flush=True)
    begun = time.monotonic()
    print(
        run(games, seed, minutes=minutes),
        f"in {time.monotonic() - begun:.0f} s: both mirrors equal the server",
    )


if __name__ == "__main__":
    main()
