"""Where webhooks may be sent: public addresses and listed ports, checked when set and when delivered."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from api.app import create_app
from api.context import Context
from api.core.config import Settings
from api.features.notices import addresses, client, outbound
from api.features.notices.client import Client
from api.features.notices.outbound import Reply
from tests.servers.receiver import Receiver
from tests.support.callers import Caller, Clock
from tests.support.webhooks import listed, receiver, settings, work

__all__ = ["receiver", "settings"]  # fixtures

_INSIDE = """
    0.0.0.0 0.1.2.3 10.1.2.3 100.64.0.1 100.127.255.255 127.0.0.1 127.9.9.9 168.63.129.16 169.254.169.254
    172.16.0.1 172.31.255.255 192.0.0.8 192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1
    192.168.1.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255
    240.0.0.1 255.255.255.255
    :: ::1 ::2 ::127.0.0.1 ::10.0.0.1 ::1.1.1.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254
    ::ffff:0:7f00:1 ::ffff:0:1.1.1.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 64:ff9b:1::101:101
    100::1 100:0:0:1::1 2001::1 2001:0:7f00:1:: 2001:1::1 2001:2::1 2001:3::1 2001:4:112::1 2001:10::1
    2001:20::1 2001:30::1 2001:db8::1 2002:7f00:1:: 2002:101:101:: 2620:4f:8000::1 3fff::1 3fff:fff::1
    2400:cb00::5efe:7f00:1 2400:cb00::200:5efe:a00:1 4000::1 5f00::1 8000::1 fc00::1 fd00:ec2::254
    fe80::1 fe80::1%eth0 fec0::1 ff02::1
"""
_OUTSIDE = """
    1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 192.0.1.0 198.20.0.0
    223.255.255.255 2606:4700::1111 2001:200::1 2001:4860:4860::8888 3ffe::1 ::ffff:1.1.1.1
    64:ff9b::101:101
"""
INSIDE, OUTSIDE = _INSIDE.split(), _OUTSIDE.split()


@pytest.mark.parametrize("address", INSIDE)
def test_internal_addresses_are_not_public(address: str) -> None:
    assert not addresses.is_public(address)


@pytest.mark.parametrize("address", OUTSIDE)
def test_external_addresses_are_public(address: str) -> None:
    assert addresses.is_public(address)


def test_every_block_of_the_registry_is_denied() -> None:
    """Every address in a block that this Python considers special is refused."""
    for number in range(0, 2**32, 65_537 * 3):
        address = ipaddress.IPv4Address(number)
        assert address.is_global or not addresses.is_public(str(address)), address


@pytest.fixture
def strict(settings: Settings, host: Caller) -> Iterator[Caller]:
    """Return the same app key on a server whose operator permits nothing."""
    made = create_app(replace(settings, allow_private_webhooks=False, webhook_ports=(80, 443)), clock=Clock())
    yield Caller(made, host.token)
    made.extensions["card_referee"].database.close()


_SPELLINGS = """
    127.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 127.0.0.1. 127.1. localhost localhost.
    a.localhost LOCALHOST ①②⑦.⓪.⓪.① 127。0。0。1
"""
SPELLINGS = _SPELLINGS.split()
NO_HOSTS = ["xn--", "a..b", "a" * 64, "a." * 127 + "org", "%31%32%37.0.0.1", "[fe80::1%25lo]"]


def test_a_webhook_to_an_internal_address_is_refused_when_created_or_changed(strict: Caller) -> None:
    literal = [f"[{address}]" if ":" in address else address for address in INSIDE if "%" not in address]
    for place in literal:
        refused = strict.post("/v1/webhooks", {"url": f"https://{place}/in"})
        assert refused.status_code == 400, place
        assert "ALLOW_PRIVATE_WEBHOOKS" in refused.json["errors"]["url"][0]
    for place in SPELLINGS:
        assert strict.post("/v1/webhooks", {"url": f"http://{place}/in"}).status_code == 400, place
    for place in NO_HOSTS:
        refused = strict.post("/v1/webhooks", {"url": f"http://{place}/in"})
        assert (refused.status_code, list(refused.json["errors"])) == (400, ["url"]), place
    good = strict.post("/v1/webhooks", {"url": "https://1.1.1.1/in"})
    assert good.status_code == 201
    path = f"/v1/webhooks/{good.json['id']}"
    assert strict("PATCH", path, {"url": "https://[::ffff:0:7f00:1]/"}).status_code == 400
    assert strict.get(path).json["url"] == "https://1.1.1.1/in"


@pytest.mark.parametrize("way", ["made", "changed", "a browser's"])
def test_internal_names_cannot_be_told_from_unknown_ones(
    strict: Caller, host: Caller, context: Context, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Neither when an address is set, for which no name server is asked, nor by what became of a delivery."""
    inside = [(2, 1, 6, "", ("10.1.2.3", 443))]
    names, asked = looked_up({"intranet.example.org": inside}), []

    def ask(name: str, *args: Any, **more: Any) -> list[Any]:
        if not more.get("flags"):
            asked.append(name)
        return names(name, *args, **more)

    monkeypatch.setattr(outbound.socket, "getaddrinfo", ask)
    context.settings = replace(context.settings, allow_private_webhooks=False)
    said = []
    for name in ("intranet", "unknown"):
        url = f"https://{name}.example.org/"
        if way == "a browser's":
            outbound.check(url, context.settings)
            continue
        first = "https://1.1.1.1/" if way == "changed" else url
        webhook = strict.post("/v1/webhooks", {"url": first}).json
        if way == "changed":
            assert strict("PATCH", f"/v1/webhooks/{webhook['id']}", {"url": url}).status_code == 200
        assert asked == []
        host.post(f"/v1/webhooks/{webhook['id']}/test")
        work(context)
        [attempt] = listed(host, webhook)[0]["attempts"]
        said.append((attempt["answer"], attempt["error"].replace(name, "NAME")))
        host.delete(f"/v1/webhooks/{webhook['id']}")
        asked.clear()
    assert asked == []
    assert len(set(said)) == (way != "a browser's"), said
    assert "10.1.2.3" not in str(said)


@pytest.mark.parametrize("url", ["http://127.0.0.1/in", "https://10.0.0.1/in", "https://1.1.1.1:8080/in"])
@pytest.mark.parametrize("way", ["made", "changed"])
def test_every_operation_that_sets_an_address_checks_it(strict: Caller, way: str, url: str) -> None:
    """Nothing of a refused request is stored."""
    good = strict.post("/v1/webhooks", {"url": "https://1.1.1.1/in"}).json
    refused = {
        "made": lambda: strict.post("/v1/webhooks", {"url": url}),
        "changed": lambda: strict("PATCH", f"/v1/webhooks/{good['id']}", {"url": url}),
    }[way]()
    assert (refused.status_code, [*refused.json["errors"]]) == (400, ["url"])
    assert [webhook["url"] for webhook in strict.get("/v1/webhooks").json["items"]] == [good["url"]]


def looked_up(names: dict[str, list[Any]]) -> Callable[..., Any]:
    """Simulate a name server that knows only these names."""

    def find(host: str, port: int | None, *args: Any, **more: Any) -> list[Any]:
        if host in names and not more.get("flags"):
            return names[host]
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    return find


def test_ports_are_those_that_the_operator_lists(strict: Caller) -> None:
    for port in (22, 25, 8080, 6379):
        for scheme in ("http", "https"):
            refused = strict.post("/v1/webhooks", {"url": f"{scheme}://1.1.1.1:{port}/"})
            assert refused.status_code == 400
            assert "WEBHOOK_PORTS" in refused.json["errors"]["url"][0]
    assert strict.post("/v1/webhooks", {"url": "https://1.1.1.1:80/"}).status_code == 201
    assert Settings.from_env({}).webhook_ports == (80, 443)
    assert Settings.from_env({"WEBHOOK_PORTS": "443, 8443"}).webhook_ports == (443, 8443)
    assert Settings.from_env({"WEBHOOK_PORTS": "any"}).webhook_ports is None
    private = {"ALLOW_PRIVATE_WEBHOOKS": "true"}
    assert Settings.from_env(private).webhook_ports is None
    assert Settings.from_env({**private, "WEBHOOK_PORTS": "443"}).webhook_ports == (443,)
    for one in ({}, private, {"WEBHOOK_PORTS": "any"}, {**private, "WEBHOOK_PORTS": "443"}):
        settings = Settings.from_env(one)
        handed_on = {
            name: settings.environment()[name] for name in ("WEBHOOK_PORTS", "ALLOW_PRIVATE_WEBHOOKS")
        }
        assert Settings.from_env(handed_on) == settings


def test_nothing_is_sent_to_internal_addresses_unless_allowed(
    host: Caller, receiver: Receiver, context: Context
) -> None:
    """A delivery is refused even if its address was allowed when the webhook was created."""
    port = receiver.url.rsplit(":", 1)[1]
    places = ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "127.1", "0x7f000001", "0.0.0.0"]
    webhooks = [host.post("/v1/webhooks", {"url": f"http://{place}:{port}/"}).json for place in places]
    context.settings = replace(context.settings, allow_private_webhooks=False)
    for webhook in webhooks:
        host.post(f"/v1/webhooks/{webhook['id']}/test")
        work(context)
        [attempt] = listed(host, webhook)[0]["attempts"]
        assert attempt["answer"] is None
        assert "ALLOW_PRIVATE_WEBHOOKS" in attempt["error"], webhook["url"]
    context.settings = replace(context.settings, allow_private_webhooks=True, webhook_ports=(443,))
    host.post(f"/v1/webhooks/{webhooks[0]['id']}/test")
    work(context)
    assert "WEBHOOK_PORTS" in listed(host, webhooks[0])[0]["attempts"][0]["error"]
    assert not receiver.requests


def test_a_request_goes_to_the_address_that_was_checked(
    receiver: Receiver, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name is resolved once; the request goes to the checked address, with that name."""
    asked = []

    def resolve(host, port, *args, **more):
        if more.get("flags"):  # is it an address?
            raise socket.gaierror(socket.EAI_NONAME, "no")
        asked.append(host)
        address = "127.0.0.1" if len(asked) == 1 else "10.0.0.1"
        return [(2, 1, 6, "", (address, port))]

    monkeypatch.setattr(outbound.socket, "getaddrinfo", resolve)
    port = receiver.url.rsplit(":", 1)[1]
    monkeypatch.setattr(outbound, "is_public", lambda address: address == "127.0.0.1")
    public_only = replace(settings, allow_private_webhooks=False)
    [answer] = send(public_only, f"http://hooks.example.org:{port}/in")
    assert answer.status == 204, answer
    assert asked[0] == "hooks.example.org"
    assert set(asked[1:]) <= {"127.0.0.1"}
    assert receiver.requests[0]["headers"]["host"] == f"hooks.example.org:{port}"


def send(settings: Settings, *urls: str) -> list[Reply]:
    """Return the result of sending something to each address, one after another, with one client."""

    async def run() -> list[Reply]:
        ours = Client(settings, 4)
        answers = [await ours.post(url, {}, b"{}") for url in urls]
        await ours.close()
        return answers

    return asyncio.run(run())


def test_addresses_resolved_by_a_library_are_checked_as_well(
    receiver: Receiver, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "is_numeric", lambda host: False)  # so that it has not been resolved before
    [answer] = send(replace(settings, allow_private_webhooks=False), receiver.url)
    assert "ALLOW_PRIVATE_WEBHOOKS" in str(answer.error)
    assert not receiver.requests


def test_connections_are_kept_but_never_shared_by_two_names(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the other side has closed one, a new one is opened and nothing is lost."""
    with keeping() as kept:
        names = {f"{name}.example.org": [(2, 1, 6, "", ("127.0.0.1", kept.port))] for name in "ab"}
        monkeypatch.setattr(outbound.socket, "getaddrinfo", looked_up(names))
        urls = [f"http://{name}.example.org:{kept.port}/in" for name in "aabbaab"]
        answers = send(settings, *urls)
        assert [answer.status for answer in answers] == [204] * 7, answers
        assert [sorted(set(hosts)) for hosts in kept.connections] == [
            [f"a.example.org:{kept.port}"],
            [f"b.example.org:{kept.port}"],
        ]
        kept.connections.clear()
        kept.after = 2  # requests on a connection; the next one finds it closed
        answers = send(settings, *urls[:2] * 3)
        assert [answer.status for answer in answers] == [204] * 6, answers
        assert [len(hosts) for hosts in kept.connections if hosts] == [2, 2, 2]


@dataclass
class Kept:
    """A server that keeps connections, and closes each when a request comes after this many."""

    port: int = 0
    after: int = 1000
    connections: list[list[str]] = field(default_factory=list)
    """The hosts that the requests of each were for."""


@contextmanager
def keeping() -> Iterator[Kept]:
    kept = Kept()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            self.hosts: list[str] = []
            kept.connections.append(self.hosts)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            if len(self.hosts) == kept.after:
                self.close_connection = True
                return
            self.hosts.append(self.headers["Host"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    kept.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()


def test_one_private_address_among_several_is_enough_to_refuse(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [(2, 1, 6, "", ("1.1.1.1", 80)), (2, 1, 6, "", ("127.0.0.1", 80))]
    monkeypatch.setattr(outbound.socket, "getaddrinfo", lambda *args, **more: found)
    with pytest.raises(outbound.Refused):
        outbound.resolve("hooks.example.org", 80, replace(settings, allow_private_webhooks=False))
