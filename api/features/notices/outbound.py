"""Reads, resolves and checks addresses that others chose, before something is sent there.

Only public addresses (see `addresses`) and the configured ports are accepted, unless the operator permits
more. Sending is in `client`, which web processes do not need.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from typing import NamedTuple

from yarl import URL

from api.core.config import Settings
from api.features.notices.addresses import is_public

HOST = re.compile(r"(?=.{1,253}$)[0-9A-Za-z_-]{1,63}([.][0-9A-Za-z_-]{1,63})*|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*")

UNKNOWN = "0.0.0.0"  # instead of the address of a host that has none
LOCAL = re.compile(r"(.*[.])?localhost", re.IGNORECASE)


class Refused(Exception):
    """Nothing is sent to this address; the message says why."""


class Reply(NamedTuple):
    """The answer: a status and the beginning of a body, or the error."""

    status: int | None
    body: str
    error: str | None = None

    @property
    def good(self) -> bool:
        """Whether it was received."""
        return self.status is not None and 200 <= self.status < 300


def check(url: str, settings: Settings) -> None:
    """Raise Refused if nothing would be sent to a URL, as far as its text says.

    No name server is asked, because the answer would tell which names the internal network has. What a name
    leads to is checked at each delivery.
    """
    target = parse(url)
    host, port = host_of(target), port_of(target)
    if LOCAL.fullmatch(host):
        require_public(["127.0.0.1"], host, settings)
    elif is_numeric(host):
        resolve(host, port, settings)
    require_port(port, settings)


def is_numeric(host: str) -> bool:
    """Return whether a host is an address in any form that the system accepts: 127.1, 0x7f000001."""
    try:
        socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except OSError:
        return False
    return True


def parse(url: str) -> URL:
    """Return the parts of a URL, as the client reads them that sends to it. Raises Refused."""
    try:
        return URL(url)
    except ValueError:
        raise Refused("Nothing can be sent to this address.") from None


def host_of(url: URL) -> str:
    """Return the host of a URL in ASCII, without a final dot. Raises Refused."""
    host = (url.raw_host or "").removesuffix(".")
    try:
        is_name = bool(HOST.fullmatch(host) and url.host)
    except UnicodeError:  # invalid Punycode
        is_name = False
    if not is_name:
        raise Refused(f"{host[:100]!r} is not a host name.")
    return host


def port_of(url: URL) -> int:
    """Return the port of a URL, or that of its scheme."""
    return url.port or (443 if url.scheme == "https" else 80)


def require_port(port: int, settings: Settings) -> None:
    """Raise Refused for a port to which nothing is sent."""
    if settings.webhook_ports is not None and port not in settings.webhook_ports:
        raise Refused(f"Port {port} is not permitted; the setting WEBHOOK_PORTS lists those that are.")


def resolve(host: str, port: int, settings: Settings) -> str:
    """Return an address of a host. Raises Refused if any of its addresses is not public; OSError.

    An unknown host is refused in the same words, unless private ones are allowed.
    """
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        require_public([UNKNOWN], host, settings)
        raise
    addresses = [str(place[4][0]) for place in answers]
    require_public(addresses, host, settings)
    require_port(port, settings)
    return addresses[0]


def require_public(addresses: Sequence[str], host: str, settings: Settings) -> None:
    """Raise Refused if nothing is sent to one of a host's addresses."""
    if not settings.allow_private_webhooks and not all(map(is_public, addresses)):
        raise Refused(
            f"{host[:100]} leads to no public address; ALLOW_PRIVATE_WEBHOOKS permits private ones, and"
            " `referee-api listen` forwards notices to your own machine without it."
        )
