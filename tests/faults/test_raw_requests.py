"""Requests that no client library would send, byte for byte: every answer has the documented form."""

from __future__ import annotations

import json
import socket
from typing import Any, NamedTuple

import pytest

from tests.servers.serving import TIMEOUT, Server

KIB = 1024
PROBLEM = "application/problem+json"
HOST = b"Host: x\r\n"


class Raw(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


def ask(server: Server, *parts: bytes) -> Raw:
    """Send the parts, and return what the server sends until the connection ends."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=TIMEOUT) as connection:
        for part in parts:
            connection.sendall(part)
        received = b""
        while data := connection.recv(65536):
            received += data
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    assert len(lines) == len(headers), "no header occurs twice"
    return Raw(int(first.split()[1]), headers, body)


def problem(raw: Raw, status: int) -> dict[str, Any]:
    assert raw.status == status, raw
    assert raw.headers["content-type"] == PROBLEM
    assert int(raw.headers["content-length"]) == len(raw.body)
    assert raw.headers["x-content-type-options"] == "nosniff"
    assert raw.headers["cache-control"] == "no-store"
    found: dict[str, Any] = json.loads(raw.body)
    assert found["status"] == status
    assert found["type"].startswith("/problems/")
    assert found["title"]
    assert found["detail"]
    assert isinstance(found["instance"], str)
    assert (status == 400) == ("errors" in found)
    return found


def request(method: str, path: str, *headers: str, token: str = "", body: bytes = b"") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: x", "Connection: close", *headers]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    return "\r\n".join([*lines, "", ""]).encode() + body


@pytest.mark.parametrize(
    "header", ["SCRIPT_NAME: /v1", "Script_Name: /other", "script_name: /v1", "Path_Info: /x"]
)
def test_no_header_changes_the_path(server: Server, header: str) -> None:
    """gunicorn accepts these from trusted proxies, and anybody on this machine could be one."""
    assert ask(server, request("GET", "/v1/rulesets", header)).status == 200


CHUNKED = ("Content-Type: application/json", "Transfer-Encoding: chunked")


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"get /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1 x\r\nHost: x\r\n\r\n", 400),
        (b"GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\nnot a name: crp_secret\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: 1\r\n folded\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: \0\r\n\r\n", 400),
        (b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", 400),
        (request("POST", "/v1/players", *CHUNKED, "Content-Length: 2", body=b"{}"), 400),
        (request("GET", "/healthz", "Expect: miracles"), 417),
        (request("GET", "/" + "a" * 9000), 414),
        (request("GET", "/healthz", "X: " + "a" * 9000), 431),
        (request("GET", "/healthz", *[f"X-{n}: 1" for n in range(200)]), 431),
        (request("POST", "/v1/players", "Transfer-Encoding: smoke, chunked"), 501),
        (request("POST", "/v1/players", "Transfer-Encoding: gzip"), 400),
    ],
)
def test_invalid_requests_get_a_problem_too(server: Server, sent: bytes, status: int) -> None:
    before = len(server.errors)
    answer = ask(server, sent)
    assert problem(answer, status)["instance"] == ""
    assert answer.headers["connection"] == "close"
    assert b"secret" not in answer.body
    assert "secret" not in "".join(server.errors[before:])


@pytest.mark.parametrize(
    "chunks",
    [
        b"zz\r\n{}\r\n0\r\n\r\n",
        b"\r\n{}\r\n0\r\n\r\n",
        b"-2\r\n{}\r\n0\r\n\r\n",
        b"2\r\n{}no end",
        b"2;=\r\n{}\r\n0\r\n\r\n",
        b"2\r\n{}\r\n0\r\nnot a trailer\r\n\r\n",
    ],
)
def test_invalid_chunks(server: Server, chunks: bytes) -> None:
    problem(ask(server, request("POST", "/v1/players", *CHUNKED, token=server.key, body=chunks)), 400)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (request("GET", "/v1/nowhere"), 404),
        (request("GET", "/%zz%00"), 404),
        (request("GET", "/../healthz"), 404),
        (request("GET", "http://x/v1/me"), 401),
        (request("TRACE", "/healthz"), 405),
        (request("BREW", "/healthz"), 405),
        (request("PUT", "/docs"), 405),
        (request("GET", "/web/nothing.js"), 404),
        (request("GET", "/healthz", "Accept: text/html"), 406),
        (request("GET", "/healthz", "Authorization: Bearer \xe9"), 401),
        (b"GET /v1/nowhere HTTP/1.0\r\n\r\n", 404),
    ],
)
def test_refusals_of_odd_requests(server: Server, sent: bytes, status: int) -> None:
    problem(ask(server, sent), status)


def chunked(body: bytes, size: int = 16 * KIB) -> list[bytes]:
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return [b"%x\r\n%s\r\n" % (len(part), part) for part in parts] + [b"0\r\n\r\n"]


@pytest.mark.parametrize(
    ("path", "most", "body", "status"),
    [
        ("/v1/players", 256 * KIB, b'{"name": "Anna"}', 201),
        ("/v1/referee/replays", 16 * KIB * KIB, b"{}", 400),
    ],
)
def test_a_chunked_body_over_the_limit_is_refused_and_never_cut_off(
    server: Server, path: str, most: int, body: bytes, status: int
) -> None:
    """A body of exactly the limit is served; with one more space it is refused, although it would parse."""
    head = request("POST", path, *CHUNKED, token=server.key)
    for size, expected in ((most, status), (most + 1, 413), (most + 40 * KIB, 413)):
        answer = ask(server, head, *chunked(body.ljust(size)))
        assert answer.status == expected, (size, answer)
        if expected == 413:
            problem(answer, 413)


@pytest.mark.parametrize(
    "begun",
    [
        request("POST", "/v1/players", "Content-Type: application/json", f"Content-Length: {1 << 30}"),
        request("POST", "/v1/players", *CHUNKED) + b"50000\r\n" + b" " * 0x50000 + b"\r\n",
    ],
    ids=["declared", "chunked"],
)
def test_a_body_that_is_too_long_is_refused_before_it_has_arrived(server: Server, begun: bytes) -> None:
    """The server does not wait for the rest; a timeout would be another answer."""
    problem(ask(server, begun), 413)


def test_a_websocket_request_is_told_the_alternatives(server: Server) -> None:
    upgrade = ("Connection: Upgrade, close", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
    path = "/v1/games/01890000-0000-7000-8000-000000000000/events"
    answer = ask(server, request("GET", path, *upgrade, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="))
    found = problem(answer, 400)
    assert "WebSocket" in found["detail"]
    assert "text/event-stream" in found["errors"]["Upgrade"][0]


NEXT = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
BODIES = {
    "length": ([f"Content-Length: {len(NEXT)}"], NEXT),
    "chunked": (["Transfer-Encoding: chunked"], b"".join(chunked(NEXT))),
    "late": (["Content-Length: 1000"], NEXT),
    "length in capitals": ([f"CONTENT-LENGTH: 00{len(NEXT)}"], NEXT),
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/nowhere", 400),
        ("GET", "/healthz", 400),
        ("GET", "/readyz", 400),
        ("GET", "/metrics", 400),
        ("GET", "/docs", 400),
        ("GET", "/", 400),
        ("GET", "/openapi.yaml", 400),
        ("GET", "/v1/rulesets", 400),
        ("GET", "/v1/me", 400),
        ("GET", "http://x/v1/me", 400),
        ("HEAD", "/healthz", 400),
        ("DELETE", "/v1/nowhere", 404),
        ("POST", "/v1/nowhere", 404),
        ("POST", "/healthz", 405),
        ("PUT", "/docs", 405),
        ("OPTIONS", "/v1/games", 204),
        ("TRACE", "/v1/games", 405),
    ],
)
def test_no_request_follows_a_body_that_is_not_read(
    server: Server, method: str, path: str, status: int, body: str
) -> None:
    """The connection is closed, even if its client wants to keep it; `ask` reads until then."""
    headers, sent = BODIES[body]
    head = "\r\n".join([f"{method} {path} HTTP/1.1", "Host: x", *headers, "", ""]).encode()
    answer = ask(server, head + sent + NEXT)
    assert (answer.status, answer.headers["connection"]) == (status, "close")
    assert b"HTTP/1.1" not in answer.body


def test_a_client_is_not_asked_for_a_body_that_is_refused(server: Server) -> None:
    expecting = ("Content-Length: 5", "Expect: 100-continue")
    problem(ask(server, request("GET", "/v1/rulesets", *expecting)), 400)


@pytest.mark.parametrize("end", [b"", b"Connection: keep-alive\r\n"])
def test_http_1_0_and_a_body_that_is_not_read(server: Server, end: bytes) -> None:
    old = b"GET /healthz HTTP/1.0\r\nContent-Length: 40\r\n" + end + b"\r\n"
    answer = ask(server, old + NEXT + NEXT)
    assert (answer.status, answer.body.count(b"HTTP/1.")) == (400, 0)


def test_answers_without_a_body_have_no_type(server: Server) -> None:
    def call(method: str, path: str, *headers: str, body: bytes = b"") -> Raw:
        more = ["Content-Type: application/json", f"Content-Length: {len(body)}"] if body else []
        return ask(server, request(method, path, *headers, *more, token=server.key, body=body))

    game = json.loads(
        call(
            "POST",
            "/v1/games",
            body=b'{"ruleset": "pies", "seats": [OPEN, OPEN, OPEN, OPEN]}'.replace(
                b"OPEN", b'{"open": true}'
            ),
        ).body
    )
    path = f"/v1/games/{game['id']}"
    tag = call("GET", path).headers["etag"]
    page = call("GET", "/docs/rules/pies").headers["etag"]
    player = json.loads(call("POST", "/v1/players", body=b'{"name": "Anna"}').body)["id"]
    empty = [
        (call("GET", path, f"If-None-Match: {tag}"), 304),
        (call("GET", "/docs/rules/pies", f"If-None-Match: {page}"), 304),
        (call("OPTIONS", "/v1/games"), 204),
        (call("DELETE", f"/v1/players/{player}"), 204),
    ]
    for answer, status in empty:
        assert (answer.status, answer.body) == (status, b""), answer
        assert "content-type" not in answer.headers
        assert "content-length" not in answer.headers
    assert "post" in empty[2][0].headers["allow"]
    head = ask(server, request("HEAD", "/v1/nowhere"))
    assert (head.status, head.body, head.headers["content-type"]) == (404, b"", PROBLEM)
