"""Limits that several hosts count together in a Redis, which may be slow, stopped or down."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from api.run.web import sharing
from tests.servers.receiver import eventually
from tests.servers.redis_server import Redis
from tests.servers.redis_server import redis as redis
from tests.servers.serving import TIMEOUT, Server, command, environment, free_directory, serve

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        shutil.which("redis-server") is None, reason="needs redis-server, which .ci/run installs"
    ),
]
REQUESTS = 30
NOT_COUNTED = "rate limits are not counted"


@contextmanager
def another_host(first: Server, **settings: str) -> Iterator[str]:
    """Run one more web server on the same database, with its own file of counts; yield its URL."""
    listener = sharing.reserve("127.0.0.1", 0)
    listener.listen()  # whoever asks too early waits
    host, port = listener.getsockname()
    os.set_inheritable(listener.fileno(), True)
    words = ("web", "--fd", listener.fileno(), "--data-dir", first.data_dir, "--workers", "1")
    process = subprocess.Popen(
        command(*words),
        env=environment(COMPUTE_WORKERS="0", **settings),
        pass_fds=[listener.fileno()],
        stderr=subprocess.DEVNULL,
    )
    listener.close()
    try:
        yield f"http://{host}:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(TIMEOUT)


def test_hosts_count_together_and_keep_serving_without_their_redis(redis: Redis) -> None:
    settings = {
        "RATE_LIMIT": f"{REQUESTS} per day",
        "RATE_LIMIT_STORAGE": f"redis://127.0.0.1:{redis.port}/0",
    }
    with (
        free_directory() as directory,
        serve(directory, COMPUTE_WORKERS="0", **settings) as one,
        another_host(one, **settings) as two,
    ):
        headers = {"Authorization": f"Bearer {one.key}"}

        def ask(url: str) -> int:
            return httpx.get(f"{url}/v1/me", headers=headers, timeout=TIMEOUT).status_code

        answers = [ask((one.url, two)[number % 2]) for number in range(2 * REQUESTS)]
        assert answers == [200] * REQUESTS + [429] * REQUESTS
        assert redis.process is not None
        redis.process.send_signal(signal.SIGSTOP)  # it accepts connections, but does not answer
        try:
            before = len(one.errors)
            assert [ask(one.url) for _ in range(2 * REQUESTS)] == [200] * 2 * REQUESTS
            assert eventually(lambda: any(NOT_COUNTED in line for line in one.errors[before:]))
            assert sum(NOT_COUNTED in line for line in one.errors[before:]) < REQUESTS, (
                "not every request waited"
            )
        finally:
            redis.process.send_signal(signal.SIGCONT)
        assert eventually(lambda: ask(one.url) == 429), "the Redis is used again"
        redis.stop()
        assert [ask(url) for url in (one.url, two) for _ in range(5)] == [200] * 10
        redis.start()
        assert eventually(lambda: 429 in [ask(url) for url in (one.url, two) for _ in range(REQUESTS)])
