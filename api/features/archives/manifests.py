"""Manifests of archives: a small file beside each, which proves what it must contain.

The count and hash of an archive's lines are a leaf of the log of all games, whose root the server signs. So
whoever has the manifest notices if a game was removed from the archive later, and whoever reads the log of
all games knows which months were archived.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import orjson

from api.context import Context
from api.features.proofs import tree
from api.store.tables.games import PARTS_OF_LOG

FORMAT = "card-referee-archive/1"
SUFFIX = ".manifest.json"
ARCHIVES = """
    SELECT file, part, games, digest FROM archives
    WHERE archived_at IS NOT NULL AND digest IS NOT NULL ORDER BY file
"""


def write_all(context: Context, folder: Path) -> None:
    """Write the manifests that are missing, such as after a kill."""
    for file, part, games, digest in context.session.execute(ARCHIVES).fetchall():
        path = folder / f"{file}{SUFFIX}"
        if (folder / file).exists() and not path.exists():
            month = part.removeprefix(PARTS_OF_LOG).replace("_", "-")
            _write(path, manifest(context, month, file, games, bytes(digest)))


def manifest(context: Context, month: str, file: str, games: int, digest: bytes) -> dict[str, Any]:
    """Add the leaf of an archive to the log of all games, and return its manifest."""
    tree.add_archive(context, month, games, digest)
    return {
        "format": FORMAT,
        "month": month,
        "file": file,
        "games": games,
        "sha256": digest.hex(),
        "inclusion": tree.proofs(context, digest),
    }


def _write(path: Path, content: dict[str, Any]) -> None:
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "wb") as file:
        file.write(orjson.dumps(content, option=orjson.OPT_APPEND_NEWLINE))
        file.flush()
        os.fsync(file.fileno())
    new.rename(path)
