"""Requests to addresses that others chose: resolved once, checked, and sent to just that address.

The name is resolved here and the connection made to the address that was checked, so that a second
answer of the name server cannot lead inside. Redirects are not followed, answers not read beyond their
beginning, and the whole of it ends within a time.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from functools import cache
from typing import NamedTuple

import httpx

PATIENCE = 15.0  # seconds for everything after the name is resolved
MOST_OF_ANSWER = 1000  # bytes
NAT64 = ipaddress.ip_network("64:ff9b::/96")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


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


def post(url: str, headers: dict[str, str], body: bytes, allow_private: bool) -> Answer:
    """Send a POST request. Whatever goes wrong is an answer too."""
    try:
        target = httpx.URL(url)
        address = resolve(
            target.host, target.port or (443 if target.scheme == "https" else 80), allow_private
        )
        return asyncio.run(_post(target, address, headers, body))
    except Refused as refused:
        return Answer(None, "", str(refused))
    except TimeoutError:
        return Answer(None, "", f"no answer within {PATIENCE:.0f} s")
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        return Answer(None, "", f"{type(error).__name__}: {error}"[:300])


async def _post(url: httpx.URL, address: str, headers: dict[str, str], body: bytes) -> Answer:
    async with (
        asyncio.timeout(PATIENCE),
        httpx.AsyncClient(
            trust_env=False, follow_redirects=False, verify=_trust(), timeout=PATIENCE
        ) as client,
        client.stream(
            "POST",
            url.copy_with(host=address),
            headers={"Host": url.netloc.decode(), **headers},
            content=body,
            extensions={"sni_hostname": url.host},
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


def resolve(host: str, port: int, allow_private: bool) -> str:
    """Give an address of a host. Raises Refused where any of its addresses is not public; OSError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise Refused(f"{host!r} is no host name") from None
    addresses = [str(place[4][0]) for place in found]
    if not allow_private:
        for address in addresses:
            if not is_public(address):
                raise Refused(f"{address} is not a public address")
    return addresses[0]


def is_public(text: str) -> bool:
    """Tell whether an address is one that anybody on the internet could reach, and no more than that."""
    address: Address | None = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address.is_site_local:
            return False
        address = _embedded(address)
    return address is not None and address.is_global and not address.is_multicast


def _embedded(address: ipaddress.IPv6Address) -> Address | None:
    """Give the IPv4 address that an IPv6 address stands for; None for tunnels, which may end anywhere."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if address.sixtofour is not None or address.teredo is not None:
        return None
    return address
