"""A mirror that stores what a feed delivers in a file, and may be killed at any moment.

    KEY=... python -m tests.campaigns.reader URL FILE pages|lines|stream

Ends with status 3 if an entry comes twice, or not after its predecessor.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from typing import Any

import httpx

TIMEOUT = httpx.Timeout(30, connect=5)
FORMS = {"pages": "application/json", "stream": "text/event-stream"}
ABOUT = ("ruleset", "title", "external_id", "metadata")


def opened(file: str) -> sqlite3.Connection:
    """Return the mirror's database."""
    found = sqlite3.connect(file, timeout=60)
    found.execute("PRAGMA synchronous = off")  # only processes are killed, not the machine
    found.execute("CREATE TABLE IF NOT EXISTS place (cursor text)")
    found.execute(
        "CREATE TABLE IF NOT EXISTS entries (game text, seq int, entry text, PRIMARY KEY (game, seq))"
    )
    found.execute("CREATE TABLE IF NOT EXISTS games (game text PRIMARY KEY, about text)")
    return found


def batches(client: httpx.Client, form: str, cursor: str) -> Iterator[tuple[list[Any], str]]:
    """Yield what comes after a cursor: items, and the cursor after them."""
    query = {"limit": "200", **({"cursor": cursor} if cursor else {})}
    if form == "pages":
        page = client.get("/v1/events", params=query).raise_for_status().json()
        yield page["items"], page["cursor"]
        return
    with client.stream("GET", "/v1/events", params=query, headers={"Accept": FORMS[form]}) as answer:
        answer.raise_for_status()
        for line in answer.iter_lines():
            text = line.removeprefix("data: ") if form == "stream" else line
            if text.startswith("{"):
                try:
                    item = json.loads(text)
                except ValueError:  # the connection was cut in the middle of the line
                    break
                yield [item], item["cursor"]
    time.sleep(0.05)


def keep(mirror: sqlite3.Connection, items: list[Any], cursor: str) -> None:
    """Apply items and move the cursor, both or neither."""
    with mirror:
        for item in items:
            seq = item["entry"]["seq"]
            last = mirror.execute("SELECT max(seq) FROM entries WHERE game = ?", (item["game"],)).fetchone()[
                0
            ]
            if seq != (last or 0) + 1:
                print(f"game {item['game']}: entry {seq} came after {last}", file=sys.stderr)
                sys.exit(3)
            row = (item["game"], seq, json.dumps(item["entry"]))
            mirror.execute("INSERT INTO entries VALUES (?, ?, ?)", row)
            about = json.dumps({name: item[name] for name in ABOUT})
            mirror.execute("INSERT OR REPLACE INTO games VALUES (?, ?)", (item["game"], about))
        mirror.execute("DELETE FROM place")
        mirror.execute("INSERT INTO place VALUES (?)", (cursor,))


def main() -> None:
    """Follow the feed forever."""
    url, file, form = sys.argv[1:]
    mirror = opened(file)
    headers = {"Authorization": f"Bearer {os.environ['KEY']}"}
    with httpx.Client(base_url=url, headers=headers, timeout=TIMEOUT) as client:
        while True:
            row = mirror.execute("SELECT cursor FROM place").fetchone()
            try:
                for items, cursor in batches(client, form, row[0] if row else ""):
                    keep(mirror, items, cursor)
            except httpx.HTTPError:
                time.sleep(0.1)


if __name__ == "__main__":
    main()
