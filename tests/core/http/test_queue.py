"""The fair queue: who begins when, and who is refused."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from api.app import create_app
from api.core.errors import LineFull
from api.core.resources import PLACES
from api.http import admission, queue
from api.http.queue import NOBODY, UNVERIFIED, FairQueue, Known, Line, QueuePlace
from tests.servers.receiver import eventually
from tests.support.callers import Caller, Clock

A, B = Line("a", 1), Line("b", 1)


class Crowd:
    """Requests in threads, which note the order in which they begin, and end when they are told to."""

    def __init__(self, line: FairQueue) -> None:
        self.queue = line
        self.begun: list[Line] = []
        self.refused: list[Line] = []
        self._ends: list[threading.Semaphore] = []
        self._pool = ThreadPoolExecutor(32)

    def come(self, line: Line, number: int = 1, *, begin: bool = False) -> None:
        """Let requests arrive, and wait until they stand in their line, or have begun."""
        for _ in range(number):
            before = self.count()
            self._pool.submit(self._run, line)
            assert eventually(lambda before=before: self.count() > before)
        assert not begin or self.begun[-number:] == [line] * number

    def count(self) -> int:
        parties = self.queue._parties.values()
        return sum(party.active + party.waiting for party in parties) + len(self.refused) + self._ended

    _ended = 0

    def end(self, line: Line) -> None:
        """Let the earliest request of a line that is worked on end, and others begin."""
        self.queue.leave(line)
        self._ended += 1

    def _run(self, line: Line) -> None:
        try:
            self.queue.enter(line)
        except LineFull:
            self.refused.append(line)
        else:
            self.begun.append(line)

    def close(self) -> None:
        self._pool.shutdown()


@pytest.fixture
def crowd(monkeypatch: pytest.MonkeyPatch) -> Iterator[Crowd]:
    """Return requests of a queue with four places, of which a party has one when others are there."""
    monkeypatch.setattr(queue, "PRESENCE", -1.0)  # only who is here counts
    made = Crowd(FairQueue(PLACES, 4, 7))
    yield made
    while made.queue._active:
        for name, party in list(made.queue._parties.items()):
            for _ in range(party.active):
                made.end(Line(name, 1))
    made.close()


def begun(crowd: Crowd, number: int) -> list[Line]:
    assert eventually(lambda: len(crowd.begun) >= number)
    return crowd.begun


def test_a_party_alone_has_every_place(crowd: Crowd) -> None:
    crowd.come(A, 6)
    assert begun(crowd, 4) == [A] * 4


def test_a_newcomer_begins_as_soon_as_there_is_a_place(crowd: Crowd) -> None:
    crowd.come(A, 8)
    crowd.come(B)
    crowd.end(A)
    assert begun(crowd, 5)[4] == B


def test_while_others_are_there_a_party_has_its_share(crowd: Crowd) -> None:
    crowd.come(A, 8)
    crowd.come(B)
    for _ in range(3):
        crowd.end(A)
    assert begun(crowd, 5) == [A] * 4 + [B], "A has more than its share already"
    crowd.end(A)
    assert begun(crowd, 6)[5] == A
    crowd.end(B)  # nobody else is there any more
    assert begun(crowd, 9)[6:] == [A] * 3


def test_a_party_that_was_there_a_moment_ago_still_counts(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "PRESENCE", 600.0)
    crowd.come(B)
    crowd.come(A, 3)
    crowd.end(B)
    assert begun(crowd, 2) == [B, A]


def test_the_credentials_of_a_party_take_turns(crowd: Crowd) -> None:
    one, two = Line("a", 1), Line("a", 2)
    crowd.come(one, 7)
    crowd.come(two, 2)
    for number in range(4):
        crowd.end(one)
        begun(crowd, 5 + number)
    assert crowd.begun[4:8] == [one, two, one, two]


@pytest.mark.beside("requests that wait")
def test_who_has_the_longest_line_makes_room_for_others(crowd: Crowd) -> None:
    crowd.come(A, 11)
    crowd.come(A)
    assert crowd.refused == [A], "seven can wait"
    one, two, three = (Line(NOBODY, f"192.0.2.{number}") for number in (1, 2, 3))
    crowd.come(one, 3)
    assert crowd.refused == [A] * 4
    crowd.come(two)
    assert eventually(lambda: len(crowd.refused) == 5)
    assert crowd.refused[4] == one, "its party has not two fewer than the other one"
    crowd.come(B)
    crowd.come(three)
    assert eventually(lambda: len(crowd.refused) == 7)
    assert crowd.refused[5] == A


def test_of_the_longest_line_the_newest_is_refused_that_was_not_worked_on_before() -> None:
    line = FairQueue(PLACES, 1, 3)
    assert line.enter(A)
    with ThreadPoolExecutor(5) as pool:
        waiting = []
        for number, (member, again) in enumerate(((1, False), (1, False), (1, False), (1, True), (2, False))):
            waiting.append(pool.submit(line.enter, Line("a", member), 10, again))
            assert eventually(lambda number=number: line._parties["a"].waiting == min(number + 1, 4))
        assert eventually(waiting[2].done)
        with pytest.raises(LineFull):
            waiting[2].result()
        for _ in "1234":
            line.leave(A)
            assert eventually(lambda: line._parties["a"].active == 1)
        assert [each.result() for each in (*waiting[:2], *waiting[3:])] == [True] * 4
    line.leave(A)
    assert line._room.used == 0


def test_who_gives_up_waiting_leaves_its_line() -> None:
    line = FairQueue(PLACES, 1, 10)
    assert line.enter(A)
    assert not line.enter(B, timeout=0.01)
    line.leave(A)
    assert line.enter(B, timeout=0.01)
    line.leave(B)
    assert not line._parties


def test_a_request_that_waits_for_something_else_leaves_its_place() -> None:
    line = FairQueue(PLACES, 1, 10)
    with QueuePlace(line, A):
        assert not line.enter(B, timeout=0.01)
        with queue.waiting():
            assert line.enter(B, timeout=0.01)
            line.leave(B)
        assert not line.enter(B, timeout=0.01)
    assert line.enter(B, timeout=0.01)


PORTIONS_UNTIL_READ = """
from gevent import monkey
monkey.patch_all()
import socket, gevent
from api.http.queue import PORTION, with_pauses

here, there = socket.socketpair()
reader = gevent.spawn(here.recv, 1)
gevent.sleep(0.01)
for number in with_pauses(range(100 * PORTION)):
    if not number:
        there.send(b"x")
    if reader.ready():
        break
print(number // PORTION)
"""


def test_what_arrives_during_long_work_is_read_at_its_next_pause() -> None:
    done = subprocess.run([sys.executable, "-c", PORTIONS_UNTIL_READ], capture_output=True, text=True)
    assert done.stdout.strip() in ("1", "2"), done


MOST_IN_A_ROUND = """
from gevent import monkey
monkey.patch_all()
import collections, gevent
from api.core.resources import PLACES
from api.http.queue import FairQueue, Line, QueuePlace

queue, rounds = FairQueue(PLACES, 4, 1000), collections.Counter()

def ask(number):
    with QueuePlace(queue, Line("crowd", number)):
        rounds[gevent.get_hub().loop.iteration] += 1

gevent.joinall([gevent.spawn(ask, number) for number in range(64)])
print(max(rounds.values()), sum(rounds.values()))
"""


def test_a_crowd_of_short_requests_lets_the_loop_look_for_others() -> None:
    """At most one request more than there are places, before the loop looks at the connections again."""
    done = subprocess.run([sys.executable, "-c", MOST_IN_A_ROUND], capture_output=True, text=True)
    most, all_of_them = map(int, done.stdout.split())
    assert most <= 5
    assert all_of_them == 64


def test_a_token_waits_by_address_until_it_was_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "MOST_KNOWN", 2)
    known = Known()
    assert known.line(None, "x") == Line(NOBODY, "x")
    assert known.line(b"t", "x") == Line(UNVERIFIED, "x")
    known.remember(b"t", A)
    known.remember(b"guest", None)
    assert known.line(b"t", "x") == A
    assert known.line(b"guest", "x") == Line(NOBODY, "x")
    known.remember(b"third", B)
    assert known.line(b"t", "x") == Line(UNVERIFIED, "x")
    known.forget(b"third")
    assert known.line(b"third", "x") == Line(UNVERIFIED, "x")


@pytest.fixture
def narrow(app: Flask) -> Flask:
    """Return the same application with one place, and one request that can wait for it."""
    return create_app(
        replace(app.extensions["card_referee"].settings, concurrency=1, max_waiting=0), clock=Clock()
    )


def occupied(narrow: Flask, line: Line) -> Any:
    """Hold the only place."""
    return QueuePlace(narrow.extensions["card_referee"].queue, line)


def test_who_finds_the_line_full_learns_when_to_try_again(narrow: Flask, host: Caller) -> None:
    me = Caller(narrow, host.token)
    assert me.get("/v1/me").status_code == 200
    [line] = narrow.extensions["card_referee"].known._lines.values()
    with occupied(narrow, line):
        refused = me.get("/v1/me")
        assert (refused.status_code, refused.json["type"]) == (429, "/problems/rate-limited")
        assert refused.headers["Retry-After"]
    assert me.get("/v1/me").status_code == 200


def test_who_waits_too_long_is_refused(app: Flask, host: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "LONGEST", 0.05)
    settings = replace(app.extensions["card_referee"].settings, concurrency=1)
    one = create_app(settings, clock=Clock())
    with occupied(one, Line("another", 1)):
        refused = Caller(one, host.token).get("/v1/me")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "2")
    assert Caller(one, host.token).get("/v1/me").status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_checks_do_not_wait(narrow: Flask, path: str) -> None:
    with occupied(narrow, Line(NOBODY, "127.0.0.1")):
        assert Caller(narrow).get(path).status_code == 200
        assert Caller(narrow).get("/v1/rulesets").status_code == 429


CHECKS = ("/healthz", "/readyz", "/metrics")  # wait apart from all work
ARGUMENTS = {
    "UUIDConverter": UUID(int=7),
    "IntegerConverter": 0,
    "UnicodeConverter": "x",
    "PathConverter": "x.js",
}


def requests_of(app: Flask) -> list[tuple[str, str]]:
    """Return the method and path of a request for each route, and of one for none."""
    found = [("GET", "/nothing/here")]
    adapter = app.url_map.bind("localhost")
    for rule in app.url_map.iter_rules():
        values = {name: ARGUMENTS[type(kind).__name__] for name, kind in rule._converters.items()}
        for method in sorted((rule.methods or set()) - {"HEAD"}):
            found.append((method, adapter.build(rule.endpoint, values, method=method)))
    return found


def status(app: Flask, method: str, path: str, token: str | None = None) -> int:
    """Ask for anything, also for what is no operation; return the status of the answer."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with app.test_client().open(path, method=method, headers=headers) as answer:
        return answer.status_code


def test_every_route_delays_and_refuses_only_its_own(
    app: Flask, host: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ask for everything as somebody whose line is full, and as another app, for which there is a place."""
    monkeypatch.setattr(queue, "PRESENCE", 600.0)
    small = replace(app.extensions["card_referee"].settings, concurrency=2, max_waiting=0)
    narrow = create_app(small, clock=Clock())
    assert Caller(narrow, host.token).get("/v1/me").status_code == 200
    with occupied(narrow, Line(NOBODY, "127.0.0.1")):
        for method, path in requests_of(narrow):
            assert status(narrow, method, path, host.token) not in (429, 500), (method, path)
            assert (status(narrow, method, path) == 429) is (path not in CHECKS), (method, path)


def test_every_route_counts_for_the_limits(app: Flask) -> None:
    once = replace(app.extensions["card_referee"].settings, rate_limit="1 per day")
    limited = create_app(once, clock=Clock())
    assert status(limited, "GET", "/") == 200
    for method, path in requests_of(limited):
        assert (status(limited, method, path) == 429) is (path not in CHECKS), (method, path)


def test_refusals_leave_a_process_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(queue, "DELAY", 1.0)
    monkeypatch.setattr(queue, "REFUSALS", 2)
    monkeypatch.setattr(queue, "time", SimpleNamespace(monotonic=lambda: 100.0, sleep=slept.append))
    delays = queue.Delays()
    for _ in range(200):
        delays.delay()
    assert slept[:4] == [1.0, 1.5, 2.0, 2.5]
    assert max(slept) == queue.LONGEST_DELAY


def test_whatever_is_refused_is_refused_slowly(
    narrow: Flask, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    delayed: list[queue.Delays] = []
    monkeypatch.setattr(queue.Delays, "delay", lambda self: delayed.append(self))
    with occupied(narrow, Line(NOBODY, "127.0.0.1")):
        assert status(narrow, "GET", "/") == 429
    once = replace(app.extensions["card_referee"].settings, rate_limit="1 per day")
    limited = create_app(once, clock=Clock())
    assert [status(limited, "GET", path) for path in ("/", "/", "/v1/rulesets")] == [200, 429, 429]
    assert len(delayed) == 3


def test_an_ipv4_address_that_is_written_as_an_ipv6_one_counts_by_itself() -> None:
    one, same, other = (
        admission.address_of({"REMOTE_ADDR": each})
        for each in ("192.0.2.1", "::ffff:192.0.2.1", "::ffff:192.0.2.2")
    )
    assert one == same != other


def test_requests_of_guests_wait_by_address(narrow: Flask) -> None:
    open_ = create_app(replace(narrow.extensions["card_referee"].settings, guests=True), clock=Clock())
    guest = Caller(open_, Caller(open_).post("/v1/guests", {"name": "Anna"}).json["token"])
    assert guest.get("/v1/me").status_code == 200
    assert list(open_.extensions["card_referee"].known._lines.values()) == [None], "no line of its own"
    with occupied(open_, Line(NOBODY, "127.0.0.1")):
        assert guest.get("/v1/me").status_code == 429


def test_each_credential_of_an_app_has_a_line_of_its_own(narrow: Flask, host: Caller) -> None:
    player = host.post("/v1/players", {"name": "Anna"}).json["id"]
    for token in (host.token, host.post(f"/v1/players/{player}/tokens").json["token"]):
        assert Caller(narrow, token).get("/v1/me").status_code == 200
    first, second = narrow.extensions["card_referee"].known._lines.values()
    assert first.party == second.party
    assert first.member != second.member


def test_a_revoked_token_waits_by_address_again(narrow: Flask, host: Caller) -> None:
    player = host.post("/v1/players", {"name": "Anna"}).json["id"]
    token = host.post(f"/v1/players/{player}/tokens").json
    anna = Caller(narrow, token["token"])
    assert anna.get("/v1/me").status_code == 200
    host.delete(f"/v1/players/{player}/tokens/{token['id']}")
    assert anna.get("/v1/me").status_code == 401
    assert not narrow.extensions["card_referee"].known._lines
