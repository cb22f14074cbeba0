"""What calls of the generated core return, and lists of which a page comes at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ParamSpec, Protocol, TypeVar, cast

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
P = ParamSpec("P")


class Page(Protocol[T_co]):
    """A part of a list: `next_` is the cursor of the page after it."""

    @property
    def items(self) -> Sequence[T_co]:
        """What stands on the page."""

    @property
    def next_(self) -> str | int | None:
        """The cursor of the next page; None at the end."""


def got(answer: T | None) -> T:
    """Return what an operation answered; `sync` may return None only where an answer has no body."""
    assert answer is not None, "the answer has no body"
    return answer


def items(operation: Callable[P, Page[T] | None], *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
    """Iterate over the whole of a list: `items(list_games.sync, client=client, status="running")`.

    `limit` is the size of a page. Raises ApiError.
    """
    given = cast(dict[str, Any], kwargs)
    while True:
        page = got(cast(Callable[..., Page[T] | None], operation)(*args, **given))
        yield from page.items
        if page.next_ is None:
            return
        given = {**given, "cursor": page.next_}
