"""Server-sent events that resume after an interruption."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

import httpx
from httpx_sse import ServerSentEvent, aconnect_sse, connect_sse

from card_referee_client.api_error import ApiError
from card_referee_client.connecting import PASSING, STREAM

NO_CONTENT = 204  # the stream is over
SILENCE = 60.0  # seconds; the server sends something every 15
MOST_PAUSE = 10.0  # seconds between two connections without an event
BROKE = (httpx.ReadError, httpx.ReadTimeout, httpx.RemoteProtocolError)  # errors after an answer began


T = TypeVar("T")


class Event(NamedTuple, Generic[T]):
    """An event of a stream. A later `follow` can resume after `id`; `type` says what `data` is."""

    id: str
    type: str
    data: T


def follow(http: httpx.Client, path: str, *, after: str | int | None = None) -> Iterator[Event[Any]]:
    """Iterate over a stream's events as they happen, until the server ends the stream.

    `path` is the path, with its query, of an operation that answers `text/event-stream`, such as
    `f"/v1/games/{game}/events"`; `after` is the id of the last event that you know. A broken connection is
    opened again, as often as necessary, and resumes where it ended: no event is missed or repeated.

    Raises ApiError if the API refuses the request, and httpx.TransportError if the server cannot be reached
    at the beginning.
    """
    progress = _Progress(after)
    while True:
        try:
            with connect_sse(http, "GET", path, **progress.request(http.timeout)) as source:
                if source.response.status_code == NO_CONTENT:
                    return
                for event in source.iter_sse():
                    if event.data:  # httpx-sse also yields what has none, such as a keep-alive
                        yield progress.read(event)
            progress.opened = True
        except (httpx.TransportError, ApiError) as fault:
            progress.pass_over(fault)
        time.sleep(progress.pause())


async def afollow(
    http: httpx.AsyncClient, path: str, *, after: str | int | None = None
) -> AsyncGenerator[Event[Any], None]:
    """Iterate over a stream's events as `follow` does, in a coroutine.

    To leave the loop early and close the connection at once, use
    `async with contextlib.aclosing(afollow(...)) as events`.

    Raises ApiError if the API refuses the request, and httpx.TransportError if the server cannot be reached
    at the beginning.
    """
    progress = _Progress(after)
    while True:
        try:
            async with aconnect_sse(http, "GET", path, **progress.request(http.timeout)) as source:
                if source.response.status_code == NO_CONTENT:
                    return
                async for event in source.aiter_sse():
                    if event.data:
                        yield progress.read(event)
            progress.opened = True
        except (httpx.TransportError, ApiError) as fault:
            progress.pass_over(fault)
        await asyncio.sleep(progress.pause())


class _Progress:
    """How far a stream was read, over all its connections, and what to do when one of them ends."""

    def __init__(self, after: str | int | None) -> None:
        self.last = None if after is None else str(after)
        self.opened = False
        self.fruitless = 0  # connections since the last event

    def request(self, usual: httpx.Timeout) -> dict[str, Any]:
        """Return the headers and the timeout of the next connection."""
        headers = {"Accept": STREAM, **({} if self.last is None else {"Last-Event-ID": self.last})}
        timeout = httpx.Timeout(connect=usual.connect, write=usual.write, pool=usual.pool, read=SILENCE)
        return {"headers": headers, "timeout": timeout}

    def read(self, event: ServerSentEvent) -> Event[Any]:
        """Return an event; the next connection resumes after it."""
        self.opened, self.fruitless = True, 0
        self.last = event.id or self.last
        return Event(event.id, event.event, json.loads(event.data))

    def pass_over(self, fault: httpx.TransportError | ApiError) -> None:
        """Raise an error after which the stream cannot be resumed."""
        if isinstance(fault, ApiError):
            passes = self.opened and fault.status in PASSING
        else:
            passes = self.opened or isinstance(fault, BROKE)
        if not passes:
            raise fault

    def pause(self) -> float:
        """Return the seconds to wait before the next connection."""
        self.fruitless += 1
        return 0.0 if self.fruitless == 1 else min(0.1 * 2 ** min(self.fruitless - 1, 10), MOST_PAUSE)
