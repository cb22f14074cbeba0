"""Requests hidden in bodies that nobody reads, sent to the server alone and through the shipped proxies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import pytest

from tests.servers import proxies, smuggling
from tests.servers.receiver import eventually
from tests.servers.serving import Server, free_directory, serve

pytestmark = pytest.mark.long

Kind = Callable[[Path, list[int], int], list[str]]
PATIENCE = 2  # seconds
AT_ONCE = 12
INNOCENTS = 6
STREAMS, OTHERS = smuggling.FORMS[:4], smuggling.FORMS[4:]
EVERY = [
    *product(STREAMS, smuggling.FRAMINGS, (True, False)),
    *product(OTHERS, smuggling.FRAMINGS, (True,)),
]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    options = {"WORKERS": "1", "COMPUTE_WORKERS": "0", "TRUSTED_PROXIES": "1"}
    with (
        free_directory() as directory,
        serve(directory, **options, RATE_LIMIT="", ADDRESS_RATE_LIMIT="") as running,
    ):
        yield running


def attacks(server: Server, url: str, label: str) -> dict[tuple[str, str, bool], bytes]:
    """Make every attack, with a whole hidden request or with the beginning of one; return the answers."""
    shared = smuggling.Game(server.url, server.key)

    def make(form: str, framing: str, whole: bool) -> bytes:
        game = smuggling.Game(server.url, server.key) if form in STREAMS else shared
        hidden = smuggling.hidden(f"{label}-{form}-{framing}-{whole}", whole)
        return smuggling.send(url, smuggling.attack(game, form, framing, hidden), game, PATIENCE)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(lambda each: make(*each), EVERY))
    return dict(zip(EVERY, answers, strict=True))


def has_seen(server: Server, number: str) -> bool:
    return any(line["request_id"] == number for line in smuggling.logged(server).lines)


def last_seen(server: Server) -> smuggling.Logged:
    """Return the log, after a last request is in it."""
    last = smuggling.Innocent("last", server.url, server.key)
    last.ask("GET", "/v1/me", "/v1/me")
    assert eventually(lambda: has_seen(server, "last-0"))
    return smuggling.logged(server)


def test_no_body_is_executed_as_a_request(server: Server) -> None:
    answers = attacks(server, server.url, "alone")
    # After an answer that is no stream, the whole request in a pipeline is the attacker's own.
    own = [f"{form}-pipelined-True" for form in OTHERS]
    assert last_seen(server).hidden("alone", *own) == []
    for (form, framing, whole), answer in answers.items():
        what = (form, framing, whole, answer)
        if framing == "pipelined" or (form == "move" and not answer.endswith(b"(closed)")):
            continue  # the body of a POST was read to its end
        assert answer.count(b"HTTP/1.1 ") == 1, what
        assert answer.endswith(b"(closed)"), what
        assert b"\r\nConnection: close\r\n" in answer, what
        if form != "move":
            assert answer.startswith(b"HTTP/1.1 400 "), what


@pytest.mark.parametrize("kind", [proxies.nginx, proxies.haproxy])
def test_nobody_gets_into_requests_of_others_behind_a_proxy(server: Server, kind: Kind) -> None:
    port = int(server.url.rpartition(":")[2])
    name = kind.__name__
    keys = [smuggling.new_key(server, f"{name}-{n}") for n in range(2)]
    with (
        proxies.before(kind, [port, port]) as url,
        smuggling.innocents(url, keys, INNOCENTS, name) as working,
    ):
        attacks(server, url, name)
    log = last_seen(server)
    assert log.hidden(name, "pipelined") == []
    for client in working:
        assert client.wrong == []
        assert log.changed(client) == []
        assert client.counts["answered"] > 20
        assert not set(client.counts) - {"answered"}
