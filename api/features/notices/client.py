"""Requests to addresses chosen by others: resolved once, checked, and sent to exactly that address.

The name is resolved here, and the connection is made to the address that was checked, so that a second answer
of the name server cannot lead into the internal network. Redirects are not followed, only the beginning of an
answer is read, and everything has a time limit. Connections are reused, but only for the same scheme, name
and port: two names at one address share none.
"""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from api.core.config import Settings
from api.features.notices.outbound import (
    Refused,
    Reply,
    host_of,
    is_numeric,
    parse,
    port_of,
    require_public,
    resolve,
)

TIMEOUT = 15.0  # seconds for a whole request
LOOKUPS = 32  # names that are resolved at the same time
IDLE = 10.0  # seconds for which an unused connection is kept
MOST_OF_ANSWER = 1000  # bytes


class Client:
    """Sends requests from one event loop."""

    def __init__(self, settings: Settings, concurrency: int) -> None:
        self._settings = settings
        self._concurrency = concurrency
        self._session: aiohttp.ClientSession | None = None

    def _opened(self) -> aiohttp.ClientSession:
        """Return the session, which belongs to the event loop in which it is first used."""
        if self._session is None:
            watch = aiohttp.TraceConfig()
            watch.on_connection_reuseconn.append(_reused)
            connector = aiohttp.TCPConnector(
                resolver=_CheckingResolver(self._settings),
                use_dns_cache=False,
                socket_factory=self._socket,
                limit=self._concurrency,
                keepalive_timeout=IDLE,
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trace_configs=[watch],
            )
        return self._session

    async def post(self, url: str, headers: dict[str, str], body: bytes) -> Reply:
        """Send a POST request. Errors are returned as answers too."""
        try:
            parts = parse(url)
            host, port = host_of(parts), port_of(parts)
            if is_numeric(host):  # such a host needs no resolver
                host = resolve(host, port, self._settings)
            shown = f"[{host}]" if ":" in host else host
            target = URL(f"{parts.scheme}://{shown}:{port}{parts.raw_path_qs}", encoded=True)
            async with asyncio.timeout(TIMEOUT):
                return await self._post(
                    target, {"Host": parts.host_port_subcomponent or host, **headers}, body
                )
        except Refused as refused:
            return Reply(None, "", str(refused))
        except TimeoutError:
            return Reply(None, "", f"no answer within {TIMEOUT:.0f} s")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            return Reply(None, "", f"{type(error).__name__}: {error}"[:300])

    async def _post(self, url: URL, headers: dict[str, str], body: bytes) -> Reply:
        """Send it once more if a reused connection turns out to be closed."""
        while True:
            used = SimpleNamespace(before=False)
            try:
                async with self._opened().post(
                    url, headers=headers, data=body, allow_redirects=False, trace_request_ctx=used
                ) as response:
                    begun = b""
                    while len(begun) < MOST_OF_ANSWER and (part := await response.content.readany()):
                        begun += part
                    if not response.content.at_eof():
                        response.close()
                    return Reply(response.status, begun[:MOST_OF_ANSWER].decode("utf-8", "replace"))
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                if not used.before:
                    raise

    def _socket(self, address: aiohttp.AddrInfoType) -> socket.socket:
        """Create a socket for an address, after checking the address a last time."""
        family, kind, protocol, _, place = address
        require_public([str(place[0])], str(place[0]), self._settings)
        return socket.socket(family, kind, protocol)

    async def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()


async def _reused(session: aiohttp.ClientSession, context: SimpleNamespace, params: Any) -> None:
    context.trace_request_ctx.before = True


class _CheckingResolver(AbstractResolver):
    """Resolves names to addresses that were checked."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lookups = ThreadPoolExecutor(LOOKUPS, "lookup")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the address to connect to. Raises Refused if one is not public; OSError."""
        loop = asyncio.get_running_loop()
        address = await loop.run_in_executor(self._lookups, resolve, host, port, self._settings)
        kind = socket.AF_INET6 if ":" in address else socket.AF_INET
        return [ResolveResult(hostname=host, host=address, port=port, family=kind, proto=0, flags=0)]

    async def close(self) -> None:
        """Start no more look-ups."""
        self._lookups.shutdown(wait=False, cancel_futures=True)
