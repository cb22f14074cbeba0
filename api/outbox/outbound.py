"""Requests to addresses that others chose: resolved once, checked, and sent to just that address.

Only to public addresses (see `addresses`) and to the ports that are set, unless the operator permits more.

The name is resolved here and the connection made to the address that was checked, so that a second
answer of the name server cannot lead inside. Redirects are not followed, answers not read beyond their
beginning, and the whole of it ends within a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import NamedTuple

import httpx

from api.core.config import Settings
from api.outbox.addresses import is_public

TIMEOUT = 15.0  # seconds for everything after the name is resolved
LOOKUP_TIMEOUT = 2.0  # seconds; whoever makes a webhook does not wait longer for a name server
LOOKUPS = 4  # at once, in this process
MOST_OF_ANSWER = 1000  # bytes
HOST = re.compile(r"(?=.{1,253}$)[0-9A-Za-z_-]{1,63}([.][0-9A-Za-z_-]{1,63})*|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*")


class Refused(Exception):
    """We do not send there; the sentence says why."""


class Answer(NamedTuple):
    """What came back: a status and the beginning of a body, or the error that kept us from it."""

    status: int | None
    body: str
    error: str | None = None

    @property
    def good(self) -> bool:
        """Was it received?"""
        return self.status is not None and 200 <= self.status < 300


def check(url: str, settings: Settings) -> None:
    """Raise Refused where nothing would be sent to a URL; a host that nobody knows yet may come to be."""
    target = _target(url)
    host, port = _host(target), _port(target)
    with contextlib.suppress(OSError):
        if _is_numeric(host):
            resolve(host, port, settings)
        else:
            require_port(port, settings)
            _lookups().submit(resolve, host, port, settings).result(LOOKUP_TIMEOUT)


@cache
def _lookups() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(LOOKUPS, "lookup")


def _is_numeric(host: str) -> bool:
    """Return whether a host is an address in any of the ways that the system reads: 127.1, 0x7f000001."""
    try:
        socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except OSError:
        return False
    return True


def _target(url: str) -> httpx.URL:
    try:
        return httpx.URL(url)
    except httpx.InvalidURL:
        raise Refused("This is no address that anything could be sent to.") from None


def _host(url: httpx.URL) -> str:
    """Return the host of a URL in ASCII, without the dot that may end it. Raises Refused."""
    host = url.raw_host.decode().removesuffix(".")
    try:
        wrong = not HOST.fullmatch(host) or not url.host
    except UnicodeError:  # Punycode that stands for nothing
        wrong = True
    if wrong:
        raise Refused(f"{host[:100]!r} is no host name.")
    return host


def _port(url: httpx.URL) -> int:
    return url.port or (443 if url.scheme == "https" else 80)


def post(url: str, headers: dict[str, str], body: bytes, settings: Settings) -> Answer:
    """Send a POST request. Whatever goes wrong is an answer too."""
    try:
        target = _target(url)
        host = _host(target)
        address = resolve(host, _port(target), settings)
        return asyncio.run(_post(target, host, address, headers, body))
    except Refused as refused:
        return Answer(None, "", str(refused))
    except TimeoutError:
        return Answer(None, "", f"no answer within {TIMEOUT:.0f} s")
    except (httpx.HTTPError, OSError, ValueError) as error:
        return Answer(None, "", f"{type(error).__name__}: {error}"[:300])


async def _post(url: httpx.URL, host: str, address: str, headers: dict[str, str], body: bytes) -> Answer:
    async with (
        asyncio.timeout(TIMEOUT),
        httpx.AsyncClient(
            trust_env=False, follow_redirects=False, verify=_trust(), timeout=TIMEOUT
        ) as client,
        client.stream(
            "POST",
            url.copy_with(host=address),
            headers={"Host": url.netloc.decode(), **headers},
            content=body,
            extensions={"sni_hostname": host},
        ) as response,
    ):
        begun = b""
        async for part in response.aiter_raw():
            begun += part
            if len(begun) >= MOST_OF_ANSWER:
                break
        return Answer(response.status_code, begun[:MOST_OF_ANSWER].decode("utf-8", "replace"))


@cache
def _trust() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)


def require_port(port: int, settings: Settings) -> None:
    """Raise Refused for a port that nothing is sent to."""
    if settings.webhook_ports is not None and port not in settings.webhook_ports:
        raise Refused(f"Port {port} is not permitted; the setting WEBHOOK_PORTS lists those that are.")


def resolve(host: str, port: int, settings: Settings) -> str:
    """Return an address of a host. Raises Refused where any of its addresses is not public; OSError."""
    require_port(port, settings)
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(place[4][0]) for place in found]
    if not settings.allow_private_webhooks and not all(map(is_public, addresses)):
        raise Refused(
            f"{host[:100]} is not a public address; the setting ALLOW_PRIVATE_WEBHOOKS permits private ones."
        )
    return addresses[0]
