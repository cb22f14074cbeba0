"""What the proxies' files of `deploy/` refuse and limit, and what helps against a frozen web process."""

from __future__ import annotations

import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from api.core.config import Settings
from tests.servers import proxies
from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, Server, free_directory, free_port, serve
from tests.servers.sites import Site, answers, client, require
from tests.servers.smuggling import connect

pytestmark = pytest.mark.long

METRICS_TOKEN = "for-the-tests-alone"
SILENCE = 4  # seconds after which a frozen process is replaced
Kind = Callable[[Path, list[int], int], list[str]]
EVERY: list[Kind] = [proxies.nginx, proxies.haproxy]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    options = {"COMPUTE_WORKERS": "0", "TRUSTED_PROXIES": "1", "METRICS_TOKEN": METRICS_TOKEN}
    options["LOG_LEVEL"] = "debug"
    with free_directory() as directory, serve(directory, **options) as running:
        yield running


@contextmanager
def before(kind: Kind, server: Server, most: int | None = None) -> Iterator[str]:
    """Run a proxy in front of a server; with `most`, for at most so many connections of an address alone."""

    def limited(directory: Path, ports: list[int], public: int) -> list[str]:
        command = kind(directory, ports, public)
        for file in (*directory.glob("*.cfg"), *directory.glob("site.conf")):
            text, of_all = file.read_text(), file.suffix == ".cfg"
            assert (" 8000" if of_all else " 1200") in text
            file.write_text(text.replace(" 8000", f" {2 * (most or 0)}").replace(" 1200", f" {most}"))
        return command

    port = int(server.url.rpartition(":")[2])
    with proxies.before(kind if most is None else limited, [port, port]) as url:
        yield url


def ask(url: str, target: str, *headers: str) -> tuple[int, str]:
    """Send a request byte for byte; return the status and the whole answer."""
    lines = [f"GET {target} HTTP/1.1", "Host: cards.example.org", "Connection: close", *headers, "", ""]
    received = b""
    with connect(url) as connection:
        connection.sendall("\r\n".join(lines).encode())
        while data := connection.recv(65536):
            received += data
    text = received.decode()
    return int(text.split(maxsplit=2)[1]), text


@pytest.mark.parametrize("kind", EVERY)
def test_metrics_are_not_public_however_the_path_is_written(server: Server, kind: Kind) -> None:
    token = f"Authorization: Bearer {METRICS_TOKEN}"
    assert ask(server.url, "/metrics", token)[0] == 200
    assert ask(server.url, "/metrics")[0] == 401
    targets = [
        "/metrics",
        "/metrics?x=1",
        "/%6detrics",
        "/%6Detric%73",
        "//metrics",
        "///%6detrics",
        "/metrics/",
        "/./metrics",
        "/x/../metrics",
        "/x/%2e%2e/metrics",
        "/%2fmetrics",
        "/%256detrics",
        "/METRICS",
        "http://cards.example.org/metrics",
        "http://cards.example.org/%6detrics",
    ]
    with before(kind, server) as url:
        for target in targets:
            status, text = ask(url, target, token)
            assert status in (301, 308, 400, 404), (target, text)
            assert "referee_" not in text, target


def test_no_secret_of_a_path_is_logged(server: Server) -> None:
    """Logs of nginx at its usual level, with errors in it, and of the server at its lowest."""
    found: list[Path] = []

    def logging(directory: Path, ports: list[int], public: int) -> list[str]:
        command = proxies.nginx(directory, ports, public)
        main, site = (directory / name for name in ("main.conf", "site.conf"))
        main.write_text(main.read_text().replace("error_log stderr", f"error_log {directory}/errors.log"))
        if found:  # the second proxy finds no web server for these paths
            before, after = site.read_text().split("location ^~ /mail/", 1)
            after = after.replace("http://card_referee", "http://127.0.0.1:1", 1)
            site.write_text(f"{before}location ^~ /mail/{after}")
        found.append(directory)
        return command

    secret = "Zm9yLW5vYm9keS1lbHNl"
    targets = [
        *(f"/mail/{what}/{secret}" for what in ("manage", "confirm", "unsubscribe")),
        *(f"//mail/manage/{secret}", f"/%6dail/manage/{secret}"),
        *(f"/docs/search?q={secret}", f"/v1/rulesets?language={secret}"),
    ]
    port = int(server.url.rpartition(":")[2])
    for _ in range(2):
        with proxies.before(logging, [port, port]) as url:
            for target in targets:
                status, text = ask(url, target, f"Referer: https://cards.example.org/mail/manage/{secret}")
                assert status in (200, 400, 404, 502), text
                assert status != 404 or f'"instance":"/mail/manage/{secret}' not in text
            logs = [(file, file.read_text()) for file in found[-1].glob("*.log")]
            assert "GET /mail/... " in "".join(text for _, text in logs)
            assert not [file for file, text in logs if secret in text]
    assert "request" in "".join(server.errors)
    assert secret not in "".join([*server.errors, *server.output])


@pytest.mark.parametrize("kind", EVERY)
def test_old_tls_is_refused_and_browsers_stay_with_tls(server: Server, kind: Kind) -> None:
    with before(kind, server) as url:
        for path in ("/healthz", "/v1/me", "/metrics"):
            answer = httpx.get(url + path, verify=False, timeout=TIMEOUT)
            assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
        address = urlsplit(url)
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.set_ciphers("ALL:@SECLEVEL=0")
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        with (
            socket.create_connection((address.hostname or "", address.port or 0), timeout=TIMEOUT) as plain,
            pytest.raises((ssl.SSLError, ConnectionError)),
        ):
            old.wrap_socket(plain)


@pytest.mark.parametrize("kind", EVERY)
def test_one_address_has_a_limited_number_of_connections(server: Server, kind: Kind) -> None:
    def answered(connection: ssl.SSLSocket | socket.socket) -> bool:
        connection.sendall(b"GET /v1/log-keys HTTP/1.1\r\nHost: cards.example.org\r\n\r\n")
        return connection.recv(100).startswith(b"HTTP/1.1 200")

    with before(kind, server, most=5) as url, ExitStack() as stack:
        if kind is proxies.nginx:  # counts requests in progress, such as streams
            waiting = b"GET /v1/events?cursor=now HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n"
            for _ in range(5):
                stream = stack.enter_context(connect(url))
                stream.sendall(waiting + f"Authorization: Bearer {server.key}\r\n\r\n".encode())
                assert stream.recv(100).startswith(b"HTTP/1.1 200")
            assert ask(url, "/healthz")[0] == 429
        else:
            assert all(answered(stack.enter_context(connect(url))) for _ in range(5))
            with pytest.raises((ssl.SSLError, ConnectionError)):
                stack.enter_context(connect(url))
        stack.close()
        assert eventually(lambda: httpx.get(f"{url}/healthz", verify=False).status_code == 200)


@pytest.mark.beside("connections")
@pytest.mark.parametrize("kind", EVERY)
@pytest.mark.parametrize(("networks", "sent"), [(1, "half"), (12, "half"), (12, "stream")])
def test_connections_of_few_networks_leave_some_to_others(
    server: Server, kind: Kind, networks: int, sent: str
) -> None:
    game = {"ruleset": "pies", "seats": [{"open": True}] * 4, "visibility": "public"}
    headers = {"Authorization": f"Bearer {server.key}"}
    made = httpx.post(f"{server.url}/v1/games", json=game, headers=headers).json()
    stream = f"GET /v1/games/{made['id']}/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n"
    begun = {"half": b"GET /v1/me HT", "stream": stream.encode()}[sent]
    with before(kind, server, most=150 if kind is proxies.haproxy else None) as url, ExitStack() as stack:
        address = urlsplit(url)
        for number in range(480):
            source, to = (f"127.0.1.{number % networks}", 0), (address.hostname or "", address.port or 0)
            try:
                one = socket.create_connection(to, 2, source_address=source)
                stack.enter_context(unchecked().wrap_socket(one)).sendall(begun)
            except TimeoutError:  # all are taken
                break
            except OSError:  # refused
                continue
        for innocent in range(3):
            transport = httpx.HTTPTransport(verify=False, local_address=f"127.0.2.{innocent}")
            with httpx.Client(transport=transport, timeout=5) as other:
                assert other.get(f"{url}/healthz").status_code == 200


def unchecked() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def test_an_ipv6_network_counts_once_in_nginx() -> None:
    site = (proxies.DEPLOY / "nginx.conf").read_text()
    block = site[site.index("map $binary_remote_addr") : site.index("limit_conn_zone")]
    port = free_port()
    server = (
        f"set_real_ip_from 127.0.0.1; real_ip_header X-Test; {block}"
        f"server {{ listen 127.0.0.1:{port}; location / {{ return 200 $card_referee_network; }} }}"
    )
    with free_directory() as directory:
        (directory / "main.conf").write_text(
            f"pid {directory}/pid; error_log stderr; daemon off; events {{}}\n"
            f"http {{ access_log off; {server} }}\n"
        )
        process = subprocess.Popen(
            [require("nginx"), "-c", str(directory / "main.conf"), "-p", str(directory)]
        )
        try:
            url = f"http://127.0.0.1:{port}/"
            assert eventually(lambda: answers(url) or process.poll() is not None)

            def network(address: str) -> bytes:
                return httpx.get(url, headers={"X-Test": address}).content

            assert (
                network("2001:db8:1:2::1")
                == network("2001:db8:1:2:ffff:a:a0a:1")
                != network("2001:db8:1:3::1")
            )
            assert network("192.0.2.1") != network("192.0.2.2")
        finally:
            process.terminate()
            process.wait(TIMEOUT)


@pytest.mark.parametrize("kind", [proxies.nginx, proxies.haproxy])
def test_a_frozen_web_process_stops_nobody_for_long_and_is_replaced(settings: Settings, kind: Kind) -> None:
    seconds = {"PROCESS_TIMEOUT": str(SILENCE), "COMPUTE_TIMEOUT": str(SILENCE)}
    site = Site(settings, **seconds, COMPUTE_WORKERS="0")
    try:
        with proxies.before(kind, site.ports) as url, client(url, site.key) as http, ExitStack() as stack:
            streams = []
            for _ in range(2):
                own = stack.enter_context(client(url, site.key))
                headers = {"Accept": "text/event-stream"}
                streams.append(stack.enter_context(own.stream("GET", "/v1/events", headers=headers)))
            (process,) = psutil.Process(site.web[site.ports[0]].pid).children()
            process.suspend()
            took = []
            for _ in range(40):
                begun = time.monotonic()
                with suppress(httpx.RemoteProtocolError):  # HAProxy's way to let a client repeat its request
                    assert http.get("/v1/me").status_code in (200, 502, 503)
                took.append(time.monotonic() - begun)
            assert max(took) < SILENCE + 20, (
                "the frozen process was not replaced"
            )  # 31 before, on an idle machine
            assert sum(each > 2 for each in took) <= 3, "the proxy did not prefer the other one"
            assert eventually(lambda: not process.is_running())
            site.wait_until_ready(site.ports[0])
            assert eventually(lambda: http.get("/v1/me").status_code == 200)
            alive = sum(_is_open(stream) for stream in streams)
            assert alive == 1, "the stream at the other server was cut"
    finally:
        for process in psutil.Process().children(recursive=True):
            if process.status() == psutil.STATUS_STOPPED:
                process.send_signal(signal.SIGCONT)
        site.stop()


def _is_open(stream: httpx.Response) -> bool:
    """Return whether a stream still has keep-alives."""
    try:
        parts = stream.iter_raw()
        until = time.monotonic() + 16  # longer than the keep-alive interval
        while time.monotonic() < until:
            next(parts)
    except (httpx.TransportError, StopIteration):
        return False
    return True
