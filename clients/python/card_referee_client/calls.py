"""Results of the generated calls, and lists that are read page by page."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from typing import Any, ParamSpec, Protocol, TypeVar, cast

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
P = ParamSpec("P")


class Page(Protocol[T_co]):
    """A part of a list: `next_` is the cursor of the page after it."""

    @property
    def items(self) -> Sequence[T_co]:
        """The items on the page."""

    @property
    def next_(self) -> str | int | None:
        """The cursor of the next page; None at the end."""


def got(answer: T | None) -> T:
    """Return the answer of an operation. Only an answer without a body is None, and is an error here."""
    assert answer is not None, "the answer has no body"
    return answer


def items(operation: Callable[P, Page[T] | None], *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
    """Iterate over a whole list: `items(list_games.sync, client=client, status="running")`.

    `limit` is the size of a page. Raises ApiError.
    """
    ask = cast(Callable[..., Page[T] | None], operation)
    query: dict[str, Any] | None = dict(kwargs)
    while query is not None:
        page = got(ask(*args, **query))
        yield from page.items
        query = _next_page(query, page)


async def aitems(
    operation: Callable[P, Awaitable[Page[T] | None]], *args: P.args, **kwargs: P.kwargs
) -> AsyncGenerator[T, None]:
    """Iterate over a whole list: `async for game in aitems(list_games.asyncio, client=client)`.

    `limit` is the size of a page. Raises ApiError.
    """
    ask = cast(Callable[..., Awaitable[Page[T] | None]], operation)
    query: dict[str, Any] | None = dict(kwargs)
    while query is not None:
        page = got(await ask(*args, **query))
        for item in page.items:
            yield item
        query = _next_page(query, page)


def _next_page(query: dict[str, Any], page: Page[Any]) -> dict[str, Any] | None:
    return None if page.next_ is None else {**query, "cursor": page.next_}
