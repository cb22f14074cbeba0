"""Sends requests, and repeats failed ones so that none is carried out twice."""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import suppress
from typing import Any, cast
from uuid import uuid4

import httpx
from httpx_retries import Retry, RetryTransport

from card_referee_client.api_error import ApiError
from card_referee_client.generated.errors import BY_TYPE

KEYED = ("POST", "PUT")  # methods whose operations take an Idempotency-Key
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
PASSING = (408, 429, 500, 502, 503, 504)  # the next attempt may succeed (docs/guides/retries.md)
LIMITED = 429
STREAM = "text/event-stream"
LONGEST_PAUSE = 30.0  # seconds, if the server does not ask for a time
LONGEST_ASKED = 3600.0  # seconds that a server may ask for


def transport(
    retries: int,
    inner: httpx.BaseTransport | None = None,
    async_inner: httpx.AsyncBaseTransport | None = None,
) -> RetryTransport:
    """Return a transport that repeats failed requests around one that sends them.

    A request that got no answer, or a status in `PASSING`, is repeated up to `retries` times with growing
    pauses (or after the time in Retry-After, at most one hour), always with the same Idempotency-Key. A 429
    does not count if it asks for at most one hour: the request waits, however often it gets one, unless
    `retries` is 0.
    """
    policy = _Pauses(
        total=retries,
        backoff_factor=0.1,
        max_backoff_wait=LONGEST_ASKED,
        allowed_methods=METHODS,
        status_forcelist=PASSING,
    )
    whole = _Whole(inner or httpx.HTTPTransport(), async_inner or httpx.AsyncHTTPTransport())
    return _Transport(_Limited(whole, policy) if retries else whole, policy)


def error_of(response: httpx.Response) -> ApiError:
    """Return the error for an answer whose body was read; a proxy's answer may have no problem in it."""
    known: dict[str, Any] = {}
    with suppress(ValueError):
        body = response.json()
        known = cast("dict[str, Any]", body) if isinstance(body, dict) else {}
    problem = known or {"title": response.reason_phrase, "detail": response.text[:200]}
    kind = BY_TYPE.get(str(problem.get("type")), ApiError)
    return kind(response.status_code, problem, response.headers.get("X-Request-Id"))


class _Pauses(Retry):
    """Waits as long as the server asks plus a random time, so that not all clients return at once."""

    def backoff_strategy(self) -> float:
        """Return how long to wait if the server does not say."""
        return min(super().backoff_strategy(), LONGEST_PAUSE)

    def parse_retry_after(self, retry_after: str) -> float:
        """Return how long Retry-After says to wait. Raises ValueError if it is neither seconds nor a date."""
        return super().parse_retry_after(retry_after) + random.uniform(0, self.backoff_strategy())


class _Transport(RetryTransport):
    """Gives each request its key before the first attempt, and raises the error of the last one."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request as often as necessary. Raises ApiError, httpx.TransportError."""
        _give_key(request)
        response = super().handle_request(request)
        if response.is_error:
            response.read()
            raise error_of(response)
        return response

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request as often as necessary. Raises ApiError, httpx.TransportError."""
        _give_key(request)
        response = await super().handle_async_request(request)
        if response.is_error:
            await response.aread()
            raise error_of(response)
        return response


class _Limited(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Waits for a rate limit that says how long to wait, however often it does."""

    def __init__(self, inner: _Whole, policy: _Pauses) -> None:
        self.inner, self.policy = inner, policy

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request until it is not limited. Raises httpx.TransportError."""
        refused = 0
        while True:
            response = self.inner.handle_request(request)
            pause = self._pause(response, refused)
            if pause is None:
                return response
            response.close()
            time.sleep(pause)
            refused += 1

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request until it is not limited. Raises httpx.TransportError."""
        refused = 0
        while True:
            response = await self.inner.handle_async_request(request)
            pause = self._pause(response, refused)
            if pause is None:
                return response
            await response.aclose()
            await asyncio.sleep(pause)
            refused += 1

    def close(self) -> None:
        """Close the connections of threads."""
        self.inner.close()

    async def aclose(self) -> None:
        """Close the connections of coroutines."""
        await self.inner.aclose()

    def _pause(self, response: httpx.Response, refused: int) -> float | None:
        """Return how long to wait; None if the answer is no rate limit that says so.

        Requests that wait for the same limit get the same Retry-After, and only some of them pass then. So
        the random part of the wait grows with each refusal.
        """
        if response.status_code != LIMITED:
            return None
        try:
            asked = Retry.parse_retry_after(self.policy, response.headers.get("Retry-After", ""))
        except ValueError:
            return None
        if asked > LONGEST_ASKED:
            return None
        return asked + random.uniform(0, min(max(asked, 1.0) * 2.0 ** min(refused, 10), LONGEST_PAUSE))


class _Whole(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Reads answers completely, except streams, so that an interrupted answer is repeated too."""

    def __init__(self, transport: httpx.BaseTransport, async_transport: httpx.AsyncBaseTransport) -> None:
        self.transport, self.async_transport = transport, async_transport

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request once. Raises httpx.TransportError."""
        response = self.transport.handle_request(request)
        if request.headers.get("Accept") != STREAM:
            response.read()
        return response

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request once. Raises httpx.TransportError."""
        response = await self.async_transport.handle_async_request(request)
        if request.headers.get("Accept") != STREAM:
            await response.aread()
        return response

    def close(self) -> None:
        """Close the connections of threads."""
        self.transport.close()

    async def aclose(self) -> None:
        """Close the connections of coroutines."""
        await self.async_transport.aclose()


class Shared(httpx.BaseTransport):
    """Sends through the connections of another client, which remain open when this one is closed."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self.inner = inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request once. Raises httpx.TransportError."""
        return self.inner.handle_request(request)


class AsyncShared(httpx.AsyncBaseTransport):
    """Sends through the connections of another client, which remain open when this one is closed."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self.inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request once. Raises httpx.TransportError."""
        return await self.inner.handle_async_request(request)


def _give_key(request: httpx.Request) -> None:
    if request.method in KEYED:
        request.headers.setdefault("Idempotency-Key", str(uuid4()))
