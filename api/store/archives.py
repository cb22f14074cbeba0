"""Logs of old games in archive files: NDJSON with a line for each game, each in its own zstd frame.

A row of the database has the position and the hash of a game's frame. Access to the log is decided by access
to that row, so files need no checks of their own; and a file that was changed is not accepted as a log.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import zstandard
from sqlalchemy import bindparam, exists, select

from api.core.errors import ArchiveUnreadable
from api.core.json import loads, stored
from api.store.database.session import Session
from api.store.tables.audit import archived_games, archives

SUFFIX = ".ndjson.zst"

g = archived_games.c


class Frame(NamedTuple):
    """The position of a game's compressed line in a file, and the SHA-256 of these bytes."""

    file: str
    place: int
    size: int
    digest: bytes


# A file is used once its part of the log was dropped; until then, the log is read from that part.
COUNTS = exists().where(archives.c.file == g.file, archives.c.archived_at.is_not(None))
FRAME = select(*[g[name] for name in Frame._fields]).where(g.game_id == bindparam("game"), COUNTS)

Logged = tuple[int, str, str | None, bytes]  # seq, public and private part as JSON, hash


def compress(line: bytes) -> bytes:
    """Return a line as a frame."""
    return zstandard.ZstdCompressor().compress(line)


def find(session: Session, game_id: UUID) -> Frame | None:
    """Return the frame of a game, or None if it is not archived."""
    row = session.execute(FRAME, {"game": game_id}).fetchone()
    return Frame(*row) if row else None


def read(folder: Path | None, frame: Frame) -> bytes:
    """Read a game's line. Raises ArchiveUnreadable if it is missing or changed."""
    if folder is None:
        raise ArchiveUnreadable("The game is archived, and the server has no ARCHIVE_DIR.")
    try:
        descriptor = os.open(folder / frame.file, os.O_RDONLY)
        try:
            data = os.pread(descriptor, frame.size, frame.place)
        finally:
            os.close(descriptor)
    except OSError:
        raise ArchiveUnreadable(f"The game's archive {frame.file} is missing or cannot be read.") from None
    if sha256(data).digest() != frame.digest:
        raise ArchiveUnreadable(f"The game's archive {frame.file} is damaged.")
    return zstandard.ZstdDecompressor().decompress(data)


def entries_of(line: bytes) -> list[Logged]:
    """Return the log in a game's line, as entries like those of the database."""
    entries: list[Logged] = []
    for public in loads(line)["record"]["entries"]:
        digest, private = bytes.fromhex(public.pop("hash")), public.pop("private", None)
        entries.append((public["seq"], stored(public), None if private is None else stored(private), digest))
    return entries


def log_of(session: Session, game_id: UUID) -> list[Logged]:
    """Read the log of an archived game; empty for other games. Raises ArchiveUnreadable."""
    frame = find(session, game_id)
    return [] if frame is None else entries_of(read(session.archive_dir, frame))


def require(session: Session, game_id: UUID) -> None:
    """Raise ArchiveUnreadable if a game is archived and its archive cannot be read."""
    frame = find(session, game_id)
    if frame is not None:
        read(session.archive_dir, frame)
