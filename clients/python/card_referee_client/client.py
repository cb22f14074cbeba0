"""The clients: every operation of the API is a method of a resource, such as `client.games.create`."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import httpx

from card_referee_client.connecting import AsyncShared, Shared
from card_referee_client.connecting import transport as repeating
from card_referee_client.core import AsyncTransport, Transport
from card_referee_client.generated.async_resources import Resources as AsyncResources
from card_referee_client.generated.resources import Resources

RETRIES = 12  # about a minute: long enough for a restart of the server
LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=20)  # every stream needs a connection


class CardReferee(Resources):
    """A client for a server and an app's key or a player's token; threads can share it.

    `player` is the id of one of the app's players, as whom an app key acts then. A request that fails on the
    way is sent again, up to `retries` times with growing pauses, and is carried out once. `timeout` is in
    seconds, for one attempt. Pass a `transport` to use a proxy or certificates of your own.

    Every method raises ApiError if the API refuses the request (`card_referee_client.errors` has one for each
    reason), and httpx.TransportError if every attempt remained without an answer. Raises ValueError for a URL
    without `https://` or `http://`.
    """

    def __init__(
        self,
        token: str | None,
        base_url: str,
        *,
        player: object = None,
        retries: int = RETRIES,
        timeout: float = 60.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._token, self._retries = token, retries
        self._connections = transport or httpx.HTTPTransport(limits=LIMITS)
        inner = repeating(retries, inner=self._connections)
        self.http = httpx.Client(
            base_url=checked(base_url),
            headers=headers(token, player),
            timeout=httpx.Timeout(timeout),
            transport=inner,
        )
        super().__init__(Transport(self.http))

    def acting_as(self, player: object) -> CardReferee:
        """Return a client with which the app acts as this player; it uses the connections of this one."""
        other = CardReferee(
            self._token,
            str(self.http.base_url),
            player=player,
            retries=self._retries,
            transport=Shared(self._connections),
        )
        other.http.timeout = self.http.timeout
        return other

    def close(self) -> None:
        """Close the connections."""
        self.http.close()

    def __enter__(self) -> Self:
        """Return the client, whose connections are closed at the end of the block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        self.close()


class AsyncCardReferee(AsyncResources):
    """A client for coroutines: it is created and behaves like `CardReferee`, with the same methods."""

    def __init__(
        self,
        token: str | None,
        base_url: str,
        *,
        player: object = None,
        retries: int = RETRIES,
        timeout: float = 60.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._token, self._retries = token, retries
        self._connections = transport or httpx.AsyncHTTPTransport(limits=LIMITS)
        inner = repeating(retries, async_inner=self._connections)
        self.http = httpx.AsyncClient(
            base_url=checked(base_url),
            headers=headers(token, player),
            timeout=httpx.Timeout(timeout),
            transport=inner,
        )
        super().__init__(AsyncTransport(self.http))

    def acting_as(self, player: object) -> AsyncCardReferee:
        """Return a client with which the app acts as this player; it uses the connections of this one."""
        other = AsyncCardReferee(
            self._token,
            str(self.http.base_url),
            player=player,
            retries=self._retries,
            transport=AsyncShared(self._connections),
        )
        other.http.timeout = self.http.timeout
        return other

    async def close(self) -> None:
        """Close the connections."""
        await self.http.aclose()

    async def __aenter__(self) -> Self:
        """Return the client, whose connections are closed at the end of the block."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self.close()


def checked(base_url: str) -> str:
    """Return a server's address. Raises ValueError."""
    if not base_url.startswith(("https://", "http://")):
        raise ValueError(f"The address of the server must begin with https:// or http://: {base_url!r}")
    return base_url


def headers(token: str | None, player: object) -> dict[str, str]:
    """Return the headers of every request."""
    named = {"Card-Referee-Player": str(player)} if player is not None else {}
    return {"Authorization": f"Bearer {token}", **named} if token else named
