"""Whether the disk of the database is full: found by any write, and over when a try to write succeeds.

All web processes of a server share the mark. Small commits do not end it: they may succeed on a full disk.
"""

from __future__ import annotations

from pathlib import Path

TRY = """
    CREATE TEMPORARY TABLE disk_space ON COMMIT DROP AS
    SELECT repeat(md5(n::text), 60) FROM generate_series(1, 560) AS n
"""
"""Takes about a megabyte of the disk for a moment; longer texts would be compressed."""


class DiskMark:
    """The mark of this process, or of all that share a directory."""

    def __init__(self, directory: str | None) -> None:
        self._path = Path(directory, "disk-full") if directory else None
        self._full = False

    @property
    def full(self) -> bool:
        """Return whether the disk is full."""
        return self._full if self._path is None else self._path.exists()

    def mark(self) -> None:
        """Note that it is full."""
        self._full = True
        if self._path is not None:
            self._path.touch()

    def clear(self) -> None:
        """Note that it is not."""
        self._full = False
        if self._path is not None:
            self._path.unlink(missing_ok=True)
