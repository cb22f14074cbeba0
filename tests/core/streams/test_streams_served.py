"""Streams of real processes: followers on one, moves through the other, with one database.

Also what real processes log while a whole game is played: no token and no card.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from api.run.web import sharing
from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, Server, command, environment, free_directory, serve
from tests.support.streams import STREAM, events

pytestmark = pytest.mark.long

METRICS_TOKEN = "for-the-tests-alone"


@pytest.fixture(scope="module")
def table() -> Iterator[Server]:
    """Return a server with two web processes."""
    two = {"WORKERS": "2", "COMPUTE_WORKERS": "0", "METRICS_TOKEN": METRICS_TOKEN}
    with free_directory() as directory, serve(directory, **two) as running:
        yield running


@pytest.fixture(scope="module")
def other(table: Server) -> Iterator[str]:
    """Return the URL of one more web process on the same database."""
    listener = sharing.reserve("127.0.0.1", 0)
    listener.listen()  # whoever asks too early waits
    host, port = listener.getsockname()
    os.set_inheritable(listener.fileno(), True)
    process = subprocess.Popen(
        command("web", "--fd", listener.fileno(), "--data-dir", table.data_dir, "--workers", "1"),
        env=environment(COMPUTE_WORKERS="0"),
        pass_fds=[listener.fileno()],
        stderr=subprocess.DEVNULL,
    )
    listener.close()
    try:
        yield f"http://{host}:{port}"
    finally:
        process.send_signal(signal.SIGINT)  # at once
        process.wait(TIMEOUT)


class Follower(threading.Thread):
    """Reads a stream to its end."""

    def __init__(self, url: str, game: str, token: str | None, **headers: str) -> None:
        super().__init__(daemon=True)
        self.url, self.game = url, game
        self.headers = {"Accept": STREAM, **headers}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"
        self.received: list[Any] = []
        self.begun = threading.Event()
        self.start()

    def run(self) -> None:
        path = f"{self.url}/v1/games/{self.game}/events"
        with httpx.stream("GET", path, headers=self.headers, timeout=TIMEOUT) as answer:
            for event in events(answer.iter_bytes()):
                if event.name:
                    self.received.append(event)
                    self.begun.set()
        self.begun.set()


class Play:
    """A game of cats and dogs for three, played through any URL."""

    def __init__(self, url: str, key: str) -> None:
        self.received: list[list[int]] = []
        self.tokens = []
        seats = []
        for name in ("Anna", "Ben", "Cleo"):
            player = self.call(url, key, "POST", "/v1/players", {"name": name})["id"]
            seats.append({"player": player})
            self.tokens.append(self.call(url, key, "POST", f"/v1/players/{player}/tokens", {})["token"])
        wanted = {"ruleset": "cats_and_dogs", "seats": seats, "visibility": "public"}
        self.game = self.call(url, key, "POST", "/v1/games", wanted)
        self.path = f"/v1/games/{self.game['id']}"

    def call(self, url: str, token: str | None, method: str, path: str, body: Any = None) -> Any:
        """Make a call on a new connection, so that any of the processes may get it."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = httpx.request(method, url + path, json=body, headers=headers, timeout=TIMEOUT)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    def play(self, url: str, moves: int = 10_000) -> None:
        for _ in range(moves):
            if self.game["status"] != "running":
                return
            token = self.tokens[self.game["to_act"][0]]
            move = self.call(url, token, "GET", f"{self.path}/legal-moves")["moves"][-1]
            self.game = self.call(url, token, "POST", f"{self.path}/moves", {"move": move})["game"]

    def log(self, url: str, token: str | None) -> list[Any]:
        found: list[Any] = []
        after: str | None = "0"
        while after is not None:
            page = self.call(url, token, "GET", f"{self.path}/events?limit=200&after={after}")
            found, after = found + page["items"], page["next"]
        return found


def test_a_follower_gets_moves_of_another_process_in_order(table: Server, other: str) -> None:
    play = Play(table.url, table.key)
    version = play.game["version"]
    followers = [Follower(other, play.game["id"], token) for token in (*play.tokens, None)]
    for follower in followers:
        assert follower.begun.wait(TIMEOUT)
    play.play(table.url)
    for follower, token in zip(followers, (*play.tokens, None), strict=True):
        follower.join(TIMEOUT)
        view, *entries = follower.received
        assert (view.name, view.id) == ("view", version)
        assert [entry.data for entry in entries] == play.log(table.url, token)[version:]
        assert entries[-1].name == "finished"


def test_a_token_revoked_through_one_process_ends_streams_of_another(table: Server, other: str) -> None:
    """Nothing committed after the revocation reaches it, however busy the game is."""
    play = Play(table.url, table.key)
    headers = {"Authorization": f"Bearer {table.key}"}
    follower = Follower(other, play.game["id"], play.tokens[0])
    bystander = Follower(other, play.game["id"], play.tokens[1])
    for each in (follower, bystander):
        assert each.begun.wait(TIMEOUT)
    player = play.game["seats"][0]["player"]["id"]
    path = f"{table.url}/v1/players/{player}/tokens"
    token = httpx.get(path, headers=headers, timeout=TIMEOUT).json()["items"][0]["id"]
    fresh = play.call(table.url, table.key, "POST", f"/v1/players/{player}/tokens", {})["token"]
    revoked = httpx.delete(f"{path}/{token}", headers=headers, timeout=TIMEOUT)
    assert revoked.status_code == 204
    play.tokens[0] = fresh
    play.play(table.url)
    for thread in (follower, bystander):
        thread.join(TIMEOUT)
        assert not thread.is_alive()
    assert [event.name for event in follower.received] == ["view"]
    assert bystander.received[-1].name == "finished"


@pytest.fixture(scope="module")
def followed(table: Server) -> Play:
    """Play a whole game, with many followers on the port that both processes share."""
    play = Play(table.url, table.key)
    followers = [Follower(table.url, play.game["id"], None, **{"Last-Event-ID": "0"}) for _ in range(12)]
    for follower in followers:
        assert follower.begun.wait(TIMEOUT)
    play.play(table.url)
    for follower in followers:
        follower.join(TIMEOUT)
    play.received = [[event.id for event in follower.received] for follower in followers]
    return play


def test_many_followers_on_one_port_all_get_everything(table: Server, followed: Play) -> None:
    version = followed.game["version"]
    assert followed.received == [list(range(1, version + 1))] * 12

    def numbers() -> str:
        asked = {"Authorization": f"Bearer {METRICS_TOKEN}"}
        return httpx.get(f"{table.url}/metrics", headers=asked, timeout=TIMEOUT).text

    assert eventually(lambda: re.search(r"^referee_followers 0\.0$", numbers(), re.MULTILINE))
    text = numbers()
    legal = re.search(r'referee_moves_total\{ruleset="cats_and_dogs",verdict="legal"\} (\S+)', text)
    assert legal is not None
    assert float(legal[1]) >= version - 6  # the moves of both processes together


def test_a_disconnected_follower_delays_nothing(table: Server) -> None:
    play = Play(table.url, table.key)
    with ExitStack() as stack:
        for _ in range(20):
            connection = stack.enter_context(socket.create_connection(tuple(_address(table.url))))
            request = f"GET {play.path}/events HTTP/1.1\r\nHost: x\r\nAccept: {STREAM}\r\n\r\n"
            connection.sendall(request.encode())
            assert b"200 OK" in connection.recv(100)
    play.play(table.url, 6)


def _address(url: str) -> list[Any]:
    host, port = url.removeprefix("http://").split(":")
    return [host, int(port)]


CARD = re.compile(r"^[A-Z0-9]{1,3}$")


def test_the_log_of_a_whole_game_has_neither_tokens_nor_cards(table: Server, followed: Play) -> None:
    play = followed
    wrong = httpx.post(
        f"{table.url}{play.path}/moves",
        content=b'{"move": {"type": "play", "card": "C3"',
        headers={"Authorization": f"Bearer {play.tokens[0]}", "Content-Type": "application/json"},
        timeout=TIMEOUT,
    )
    assert wrong.status_code == 400
    for path in (f"/v1/players/{play.tokens[0]}", f"/v1/games?cursor={play.tokens[0]}&card=C3", "/healthz"):
        asked = {"X-Request-Id": "the-last-of-them"} if path == "/healthz" else {}
        httpx.get(table.url + path, headers=asked, timeout=TIMEOUT)  # a token in the wrong place
    assert eventually(lambda: any("the-last-of-them" in line for line in list(table.errors)))

    lines = [json.loads(line) for line in list(table.errors) if line.strip()]
    mine = [line for line in lines if line.get("game") == play.game["id"]]
    moves = [line for line in mine if line["route"].endswith("/moves") and line["status"] == 201]
    assert len(moves) >= 40
    assert {"request_id", "method", "route", "status", "ms", "app", "by_player", "at", "level"} <= set(
        moves[0]
    )

    shown = {
        entry["move"]["card"] for entry in play.log(table.url, table.key) if "card" in entry.get("move", {})
    }
    assert len(shown) > 10
    text = "".join(table.errors)
    for token in (*play.tokens, table.key):
        assert token[4:] not in text
    values = {str(value) for line in lines for value in line.values()}
    assert not values & shown
    assert not re.search(r"Anna|Ben|Cleo|Bearer|transfers|position", text)
