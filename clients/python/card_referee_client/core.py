"""What the generated resources are made with: calls, lists that read page after page, and streams."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar, cast
from urllib.parse import quote
from uuid import UUID

import httpx

from card_referee_client.streams import NO_CONTENT, Event, afollow, follow

T = TypeVar("T")
P = TypeVar("P")
JSON = "application/json"
NOT_MODIFIED = 304
MOST_CACHED = 200  # answers that a client keeps to ask whether they are still the newest
HASH = re.compile("[0-9a-f]{64}")


class _Omitted:
    """Stands for a member of a body that is left out, because None is sent as null."""

    def __repr__(self) -> str:
        return "OMITTED"


OMITTED: Any = _Omitted()


class Cached(NamedTuple):
    """An answer that may still be the newest."""

    etag: str
    content: bytes


class Prepared:
    """What requests of both kinds of clients have in common."""

    def __init__(self) -> None:
        self._cached: OrderedDict[str, Cached] = OrderedDict()
        self._lock = Lock()  # threads can share a client

    @staticmethod
    def quote(part: object) -> str:
        """Return a part of a path."""
        return quote(str(part), safe="")

    def prepare(
        self,
        query: Mapping[str, Any] | None,
        body: Mapping[str, Any] | None,
        version: int | str | None,
        idempotency_key: str | None,
        media: str,
    ) -> dict[str, Any]:
        """Return the arguments of a request for httpx."""
        headers = {"Accept": media}
        if version is not None:
            headers["If-Match"] = tagged(version)
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        made: dict[str, Any] = {"headers": headers}
        if query:
            made["params"] = in_query(query)
        if body is not None:
            made["json"] = {name: plain(value) for name, value in body.items() if value is not OMITTED}
        return made

    def ask_if_newer(self, request: httpx.Request) -> Cached | None:
        """Let the server answer 304 if the answer that we have is the newest; return it."""
        known = self._cached.get(str(request.url))
        if known is not None:
            request.headers["If-None-Match"] = known.etag
        return known

    def read(self, response: httpx.Response, media: str, cached: bool, known: Cached | None) -> Any:
        """Return the answer, which is kept if it is to be `cached`, or the known one.

        Each caller gets an object of its own, and may change it.
        """
        if response.status_code == NOT_MODIFIED and known is not None:
            return json.loads(known.content)
        if response.status_code == NO_CONTENT or not response.content:
            return None
        if media != JSON:
            return response.content if media == "application/octet-stream" else response.text
        if cached and "ETag" in response.headers:
            url = str(response.request.url)
            with self._lock:
                self._cached[url] = Cached(response.headers["ETag"], response.content)
                self._cached.move_to_end(url)
                while len(self._cached) > MOST_CACHED:
                    self._cached.popitem(last=False)
        return response.json()


class Transport(Prepared):
    """Sends the requests of a client."""

    def __init__(self, http: httpx.Client) -> None:
        super().__init__()
        self.http = http

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        version: int | str | None = None,
        idempotency_key: str | None = None,
        cached: bool = False,
        media: str = JSON,
    ) -> Any:
        """Send a request, and return its answer. Raises ApiError, httpx.TransportError."""
        made = self.prepare(query, body, version, idempotency_key, media)
        request = self.http.build_request(method, path, **made)
        known = self.ask_if_newer(request) if cached else None
        return self.read(self.http.send(request), media, cached, known)


class AsyncTransport(Prepared):
    """Sends the requests of a client in coroutines."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        super().__init__()
        self.http = http

    async def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        version: int | str | None = None,
        idempotency_key: str | None = None,
        cached: bool = False,
        media: str = JSON,
    ) -> Any:
        """Send a request, and return its answer. Raises ApiError, httpx.TransportError."""
        made = self.prepare(query, body, version, idempotency_key, media)
        request = self.http.build_request(method, path, **made)
        known = self.ask_if_newer(request) if cached else None
        return self.read(await self.http.send(request), media, cached, known)


class Listing(Generic[T, P]):
    """A list that is read page after page while it is iterated."""

    def __init__(self, transport: Transport, path: str, query: Mapping[str, Any]) -> None:
        self._transport, self._path, self._query = transport, path, query

    def page(self, cursor: str | int | None = None) -> P:
        """Return one page: `items`, and in `next` the cursor of the next page; None at the end."""
        page: P = self._transport.call("GET", self._path, query={**self._query, "cursor": cursor})
        return page

    def __iter__(self) -> Iterator[T]:
        """Yield all items of all pages."""
        page: Any = self.page()
        yield from page["items"]
        while page["next"] is not None:
            page = self.page(page["next"])
            yield from page["items"]


class AsyncListing(Generic[T, P]):
    """A list that is read page after page while it is iterated."""

    def __init__(self, transport: AsyncTransport, path: str, query: Mapping[str, Any]) -> None:
        self._transport, self._path, self._query = transport, path, query

    async def page(self, cursor: str | int | None = None) -> P:
        """Return one page: `items`, and in `next` the cursor of the next page; None at the end."""
        page: P = await self._transport.call("GET", self._path, query={**self._query, "cursor": cursor})
        return page

    async def __aiter__(self) -> AsyncIterator[T]:
        """Yield all items of all pages."""
        page: Any = await self.page()
        for item in page["items"]:
            yield item
        while page["next"] is not None:
            page = await self.page(page["next"])
            for item in page["items"]:
                yield item


class Events(Generic[T]):
    """A stream of events, which resumes by itself after interruptions."""

    def __init__(
        self,
        transport: Transport,
        path: str,
        query: Mapping[str, Any],
        after: str | int | None,
        resumes: bool = True,
    ) -> None:
        self._transport, self._after = transport, after if resumes else None
        self._path = str(httpx.URL(path, params=in_query(query)))

    def __iter__(self) -> Iterator[Event[T]]:
        """Yield the events as they happen, until the server ends the stream."""
        return follow(self._transport.http, self._path, after=self._after)


class AsyncEvents(Generic[T]):
    """A stream of events, which resumes by itself after interruptions."""

    def __init__(
        self,
        transport: AsyncTransport,
        path: str,
        query: Mapping[str, Any],
        after: str | int | None,
        resumes: bool = True,
    ) -> None:
        self._transport, self._after = transport, after if resumes else None
        self._path = str(httpx.URL(path, params=in_query(query)))

    def __aiter__(self) -> AsyncIterator[Event[T]]:
        """Yield the events as they happen, until the server ends the stream."""
        return afollow(self._transport.http, self._path, after=self._after)


def in_query(query: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given parameters of a query in the form in which they are sent."""
    return {name: plain(value) for name, value in query.items() if value is not None}


def plain(value: Any) -> Any:
    """Return a value that can be written as JSON."""
    if isinstance(value, Mapping):
        return {name: plain(inner) for name, inner in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in cast("Sequence[Any]", value)]
    return str(value) if isinstance(value, UUID) else value


def tagged(version: int | str) -> str:
    """Return an If-Match header for a version, an ETag, or the hash of an entry."""
    text = str(version)
    return text if text.endswith('"') or text == "*" else f'"{text}"'
