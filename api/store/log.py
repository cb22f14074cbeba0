"""The log: entries are read here; `games.advance` alone appends them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from uuid import UUID

from api.store.database.encryption import private_place
from api.store.database.session import Session

CHUNK = 500


class StoredEntry(NamedTuple):
    """An entry as it lies in the log; `public` and `private` are JSON."""

    seq: int
    public: str
    private: str | None
    hash: bytes


def page(session: Session, game_id: UUID, after: int, limit: int) -> list[StoredEntry]:
    """Read the entries that follow `after`, oldest first."""
    rows = session.execute(
        "SELECT seq, public, private, hash FROM entries WHERE game_id = %s AND seq > %s"
        " ORDER BY seq LIMIT %s",
        (game_id, after, limit),
    )
    opened, game = session.cipher.open_text, game_id.bytes
    return [
        StoredEntry(seq, public, opened(private, game, private_place(seq)), digest)
        for seq, public, private, digest in rows
    ]


def all_entries(session: Session, game_id: UUID, until: int, after: int = 0) -> Iterator[StoredEntry]:
    """Read the entries after `after`, up to and including `until`, oldest first, a chunk at a time."""
    while after < until:
        found = page(session, game_id, after, min(CHUNK, until - after))
        if not found:
            return
        yield from found
        after = found[-1].seq
