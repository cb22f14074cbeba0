"""Streams of a real server that wait, byte for byte: what they cost, and who waits for whom."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import httpx
import psutil
import psycopg
import pytest

from api.core.config import Settings, libpq
from api.run.embedded.postgres import find_database
from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, Server, changed, constants, free_directory, serve

pytestmark = pytest.mark.long

METRICS_TOKEN = "for-the-tests-alone"
ONE = {"WORKERS": "1", "COMPUTE_WORKERS": "0", "METRICS_TOKEN": METRICS_TOKEN}
KEEP_ALIVE, LAST = b"3\r\n:\n\n\r\n", b"0\r\n\r\n"  # in chunks


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with free_directory() as directory, serve(directory, **ONE, RATE_LIMIT="") as running:
        yield running


class Game:
    """A game of two that anybody may follow."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.tokens = []
        seats = []
        for name in ("Anna", "Ben"):
            player = self.call("POST", "/v1/players", {"name": name})["id"]
            seats.append({"player": player})
            self.tokens.append(self.call("POST", f"/v1/players/{player}/tokens", {})["token"])
        wanted = {"ruleset": "bisca", "seats": seats, "visibility": "public"}
        self.id = self.call("POST", "/v1/games", wanted)["id"]
        self.players = [seat["player"] for seat in seats]

    def call(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        headers = {"Authorization": f"Bearer {token or self.server.key}"}
        answer = httpx.request(method, self.server.url + path, json=body, headers=headers, timeout=TIMEOUT)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def say(self, text: str) -> int:
        entry = self.call("POST", f"/v1/games/{self.id}/messages", {"text": text}, self.tokens[0])["entry"]
        seq: int = entry["seq"]
        return seq

    def end(self) -> None:
        self.call("POST", f"/v1/games/{self.id}/resignation", {}, self.tokens[0])


def connected(server: Server, small: bool) -> socket.socket:
    """Open a connection; if it is small, little waits in the system for who does not read."""
    host, port = server.url.removeprefix("http://").split(":")
    found = socket.socket()
    if small:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    found.settimeout(TIMEOUT)
    found.connect((host, int(port)))
    return found


class Follower:
    """A connection that follows a game, or a feed, and what it has received."""

    def __init__(
        self, game: Game, token: str = "", version: str = "1.1", small: bool = False, feed: bool = False
    ) -> None:
        self.socket = connected(game.server, small)
        self.ask("/v1/events?cursor=now" if feed else f"/v1/games/{game.id}/events", token, version)
        self.received = b""
        if not feed:
            self.read_until(b"event: view\n")
        self.read_until(b"\n\n" if version == "1.0" else b"\n\n\r\n")

    def ask(self, path: str, token: str = "", version: str = "1.1", method: str = "GET") -> None:
        lines = [f"{method} {path} HTTP/{version}", "Host: x", "Accept: text/event-stream, */*;q=0.1"]
        lines += [f"Authorization: Bearer {token}"] if token else []
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())

    def read_until(self, end: bytes) -> bytes:
        """Return what comes up to this."""
        while end not in self.received:
            data = self.socket.recv(65536)
            assert data, "the connection was closed"
            self.received += data
        found, end, self.received = self.received.partition(end)
        return found + end

    def read_all(self) -> bytes:
        """Return what comes until the connection is closed."""
        while data := self.socket.recv(65536):
            self.received += data
        return self.received


def numbers(events: bytes) -> list[int]:
    return [int(number) for number in re.findall(rb"^id: (\d+)$", events, re.MULTILINE)]


def followers(server: Server) -> int:
    asked = {"Authorization": f"Bearer {METRICS_TOKEN}"}
    text = httpx.get(f"{server.url}/metrics", headers=asked, timeout=TIMEOUT).text
    found = re.search(r"^referee_followers (\S+)$", text, re.MULTILINE)
    assert found is not None
    return int(float(found[1]))


def memory(server: Server) -> int:
    """The bytes that the processes of the server have to themselves, without the database's."""
    below = psutil.Process(server.process.pid).children(recursive=True)
    return sum(each.memory_full_info().uss for each in below if "postgres" not in each.name())


def test_a_waiting_follower_takes_less_than_40_kb(server: Server) -> None:
    game = Game(server)
    with httpx.Client(base_url=server.url, timeout=TIMEOUT) as client:
        for _ in range(500):  # until the process has allocated what it needs for requests
            client.get(f"/v1/games/{game.id}")
    with ExitStack() as stack:
        sizes = []
        for _ in range(5):
            before = memory(server)
            for _ in range(60):
                stack.enter_context(Follower(game).socket)
            sizes.append((memory(server) - before) / 60)
    assert min(sizes) < 40_000, sizes  # the least, because a process sometimes allocates megabytes at once
    game.say("Goodbye")
    game.say("Is anybody there?")  # the first was sent to connections that had just been closed
    assert eventually(lambda: followers(server) == 0)


def test_nobody_waits_for_who_does_not_read(server: Server) -> None:
    """And who reads at last, gets nothing from after the moment when its token was revoked."""
    game = Game(server)
    slow = Follower(game, game.tokens[1], small=True)
    quick = [Follower(game) for _ in range(5)]
    sent = [game.say("\N{DROMEDARY CAMEL}" * 2000) for _ in range(60)]
    for each in quick:
        assert numbers(each.read_until(b"id: %d\n" % sent[-1])) == sent
        each.socket.close()
    path = f"/v1/players/{game.players[1]}/tokens"
    game.call("DELETE", f"{path}/{game.call('GET', path)['items'][0]['id']}")
    game.say("Just between us")
    received = slow.read_until(LAST)
    assert 0 < len(numbers(received)) < len(sent)
    assert numbers(received) == sent[: len(numbers(received))]
    slow.socket.close()


def test_a_slow_reader_gets_everything_in_order(server: Server) -> None:
    game = Game(server)
    slow = Follower(game, small=True)
    sent = [game.say("\N{DROMEDARY CAMEL}" * 2000) for _ in range(60)]
    assert numbers(slow.read_until(b"id: %d\n" % sent[-1])) == sent
    sent = [game.say("Hello") for _ in range(2)]
    assert numbers(slow.read_until(b"id: %d\n" % sent[-1])) == sent
    slow.socket.close()


def test_who_takes_nothing_for_long_is_disconnected() -> None:
    """A subscriber, and a reader of a long answer."""
    with (
        free_directory() as directory,
        serve(directory, **ONE, RATE_LIMIT="", **constants(write_timeout=2)) as server,
    ):
        game = Game(server)
        stuck, quick = Follower(game, small=True), Follower(game)
        [web] = [each for each in psutil.Process(server.process.pid).children() if "web" in each.cmdline()]
        [process] = web.children()
        before = len(process.net_connections("tcp"))
        page = Follower.__new__(Follower)
        page.socket = connected(server, small=True)
        page.ask("/openapi.yaml")
        assert eventually(lambda: len(process.net_connections("tcp")) == before + 1)
        for _ in range(60):
            sent = game.say("\N{DROMEDARY CAMEL}" * 2000)
            quick.read_until(b"id: %d\n" % sent)
        assert eventually(lambda: followers(server) == 1, 20), "only the quick one is left"
        assert eventually(lambda: len(process.net_connections("tcp")) < before, 20)
        for each in (stuck, quick, page):
            each.socket.close()


def test_a_feed_continues_when_an_earlier_transaction_has_ended(server: Server) -> None:
    """It does not wait for its next keep-alive."""
    game = Game(server)
    quiet = Follower(Game(server))
    owner = libpq(find_database(Settings(data_dir=server.data_dir)).owner_database_url)
    with psycopg.connect(owner) as other:
        feed, follower = Follower(game, server.key, feed=True), Follower(game)
        other.execute("SELECT pg_current_xact_id()")  # until it ends, the feed shows nothing from after it
        sent = [game.say("Hello") for _ in range(5)]
        follower.read_until(b"id: %d\n" % sent[-1])
    received = feed.read_until(b'"seq":%d,' % sent[-1])
    assert received.count(b"event: said\n") == len(sent)
    quiet.socket.setblocking(False)
    with pytest.raises(BlockingIOError):  # its keep-alive comes first
        quiet.socket.recv(1)
    for each in (quiet, feed, follower):
        each.socket.close()


def test_after_a_stream_its_connection_is_closed(server: Server) -> None:
    """What was sent after the request for the stream is never answered."""
    game = Game(server)
    follower, old, eager = Follower(game), Follower(game, version="1.0"), Follower(game)
    eager.ask("/healthz", method="HEAD")
    game.end()
    with suppress(ConnectionResetError):
        eager.read_all()
    assert b"HTTP/1.1" not in eager.received
    for each, end in ((follower, LAST), (old, b"}\n\n")):  # HTTP/1.0 has no chunks
        ended = each.read_all()
        assert b"event: finished\n" in ended
        assert ended.endswith(end)


def test_a_stop_ends_streams_within_a_second() -> None:
    with free_directory() as directory, serve(directory, **ONE, RATE_LIMIT="") as server:
        game = Game(server)
        streams = [Follower(game) for _ in range(100)]
        assert eventually(lambda: followers(server) >= 100)
        begun = time.monotonic()
        assert server.stop() == 0
        took = time.monotonic() - begun
        for each in streams:
            assert each.read_all().endswith(LAST), "the stream broke off"
        assert took < 3, "streams are waited for"  # a second on a quiet machine


def test_keep_alives_find_who_has_left_and_a_stop_ends_streams() -> None:
    build = changed("restless")
    with free_directory() as directory, serve(directory, **ONE, **build, MAX_STREAMS="2") as server:
        game = Game(server)
        gone, stays = Follower(game), Follower(game)
        for each in (gone, stays):
            for _ in range(3):
                each.read_until(KEEP_ALIVE)
        gone.socket.close()
        assert eventually(lambda: followers(server) == 1)
        another = Follower(game)  # the third, if the first still counted
        assert server.stop() == 0
        for each in (stays, another):
            assert b"event" not in each.read_all()
        assert not any("Traceback" in line for line in server.errors), server.errors
