"""Helpers that read streams."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tests.support.callers import Caller

STREAM = "text/event-stream"


class Received(NamedTuple):
    """An event as received: its name, id and data. The name of a comment is ''."""

    name: str
    id: int | str | None
    data: Any


def events(chunks: Iterable[bytes]) -> Iterator[Received]:
    """Read server-sent events, including comments."""
    text = ""
    for chunk in chunks:
        text += chunk.decode()
        while "\n\n" in text:
            block, text = text.split("\n\n", 1)
            fields = dict(line.split(": ", 1) for line in block.split("\n") if not line.startswith(":"))
            if fields:
                number = fields["id"]  # a sequence number, or the cursor of a feed
                number = int(number) if len(number) <= 10 else number
                yield Received(fields["event"], number, json.loads(fields["data"]))
            else:
                yield Received("", None, None)


def follow(caller: Caller, game: str, **headers: str) -> Iterator[Received]:
    """Open a stream and read its events, without comments."""
    response = caller.get(f"/v1/games/{game}/events", headers={"Accept": STREAM, **headers}, buffered=False)
    assert response.status_code == 200, response.text
    assert response.mimetype == STREAM
    return (received for received in events(response.response) if received.name)


def log_of(caller: Caller, game: str) -> list[Any]:
    """Return the whole log, read in pages."""
    found: list[Any] = []
    cursor = ""
    while cursor is not None:
        page = caller.get(f"/v1/games/{game}/events?limit=20{cursor and '&cursor=' + cursor}").json
        found += page["items"]
        cursor = page["next"]
    return found
