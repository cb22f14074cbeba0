"""Server-sent events that go on where they were interrupted."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
from httpx_sse import connect_sse

from card_referee_client.connecting import PASSING, STREAM
from card_referee_client.core.client import AuthenticatedClient
from card_referee_client.errors import ApiError

SILENCE = 60.0  # seconds; the server says something every 15
MOST_PAUSE = 10.0  # seconds between two connections that brought nothing


class Event(NamedTuple):
    """An event of a stream: `id` is what a later `follow` resumes after, `type` tells what `data` is."""

    id: str
    type: str
    data: dict[str, Any]


def follow(client: AuthenticatedClient, path: str, *, after: str | int | None = None) -> Iterator[Event]:
    """Iterate over a stream's events as they happen, until the server says that there will be no more.

    `path` is an operation's that answers `text/event-stream`, such as `f"/v1/games/{game}/events"`, with its
    query; `after` is the id of the last event that is known already. A connection that breaks is made again,
    as often as it takes, and what happened meanwhile comes first: no event is missed, none comes twice.

    Raises ApiError where the API refuses, and httpx.TransportError where the server cannot be reached to
    begin with.
    """
    last = None if after is None else str(after)
    http = client.get_httpx_client()
    opened, fruitless = False, 0
    while True:
        headers = {"Accept": STREAM, **({} if last is None else {"Last-Event-ID": last})}
        try:
            with connect_sse(http, "GET", path, headers=headers, timeout=_timeout(http)) as source:
                if source.response.status_code == httpx.codes.NO_CONTENT:
                    return
                for event in source.iter_sse():
                    opened, fruitless = True, 0
                    last = event.id or last
                    yield Event(event.id, event.event, json.loads(event.data))
            opened = True
        except httpx.TransportError as fault:
            broke = isinstance(fault, (httpx.ReadError, httpx.ReadTimeout, httpx.RemoteProtocolError))
            if not (opened or broke):
                raise
        except ApiError as refused:
            if not opened or refused.status not in PASSING:
                raise
        if fruitless:
            time.sleep(min(0.1 * 2 ** min(fruitless, 10), MOST_PAUSE))
        fruitless += 1


def _timeout(http: httpx.Client) -> httpx.Timeout:
    usual = http.timeout
    return httpx.Timeout(connect=usual.connect, write=usual.write, pool=usual.pool, read=SILENCE)
