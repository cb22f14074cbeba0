"""A web process finishes the requests that it has begun before it begins others that have arrived."""

from __future__ import annotations

import subprocess
import sys

import pytest

BEGIN = """
from gevent import monkey
monkey.patch_all()
import gevent
from gevent import socket
from api.run.web.workers import OneByOne

line, order = OneByOne(), []
answering, asking = socket.socketpair()

def request(number, asks=0):
    line.wait()
    order.append(number)
    for _ in range(asks):  # and each time there is an answer already
        answering.send(b".")
        socket.wait_read(asking.fileno())
        asking.recv(1)
    if asks:
        order.append("done")
"""

ONE_ASKS_OFTEN = """
gevent.joinall([gevent.spawn(request, 0, asks=5), *(gevent.spawn(request, n) for n in range(1, 30))])
assert [each for each in order if each != "done"] == [*range(30)], order
print(order.index("done"))
"""

ONE_GIVES_UP = """
all = [gevent.spawn(request, n) for n in range(5)]
gevent.spawn(all[2].kill)
gevent.joinall(all, timeout=60)
print(sorted(order))
"""

SOMETHING_IS_ALWAYS_THERE = """
def busy():
    while True:
        answering.send(b".")
        socket.wait_read(asking.fileno())
        asking.recv(1)

gevent.spawn(busy)
gevent.joinall([gevent.spawn(request, n) for n in range(5)], timeout=60)
print(order)
"""


def run(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", BEGIN + script], capture_output=True, text=True, timeout=180)
    assert not done.returncode, done.stderr
    return done.stdout.strip()


def test_a_request_with_many_queries_does_not_wait_behind_newer_requests() -> None:
    assert int(run(ONE_ASKS_OFTEN)) <= 10, "this many of the 29 others began before it was finished"


@pytest.mark.parametrize(
    ("script", "expected"),
    [(ONE_GIVES_UP, "[0, 1, 3, 4]"), (SOMETHING_IS_ALWAYS_THERE, "[0, 1, 2, 3, 4]")],
)
def test_every_request_begins_in_any_case(script: str, expected: str) -> None:
    assert run(script) == expected
