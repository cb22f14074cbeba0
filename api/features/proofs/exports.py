"""Archives of finished games, written in complete pieces, so that an interrupted export can continue.

A game's leaf in the log of all games says when and in which order it ended, so an archive that begins where
the last one stopped has each game once. FILE.part contains what is written so far, and FILE.progress how much
of it is valid; the same command continues there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import psycopg

import referee.records
from api.context import Context
from api.core.config import Settings, StartError
from api.core.errors import ArchiveUnreadable
from api.features import opened
from api.features.proofs import store as tree
from api.features.proofs.keys import Signer
from api.games import export as records
from referee.clocks import timestamp

PLAIN, ZSTD = ".ndjson", ".ndjson.zst"
PIECE = 100  # games that are held in memory and written together
Report = Callable[[str], None]
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


class Progress(NamedTuple):
    """The progress of an export: its start time, the number of leaves, and what is on disk or cannot be."""

    since: str
    size: int
    after: int = -1
    bytes: int = 0
    games: int = 0
    unreadable: int = 0


def export(settings: Settings, since: datetime | None, file: Path, report: Report) -> None:
    """Write the games that ended after a time to a new archive, or continue one. Raises StartError.

    Games that cannot be read are named and left out; the StartError at the end counts them.
    """
    if not file.name.endswith((PLAIN, ZSTD)):
        raise StartError(f"{file}: an archive is called …{PLAIN} or …{ZSTD}.")
    if file.exists():
        raise StartError(f"{file} already exists: archives are never changed.")
    compressed = not file.name.endswith(PLAIN)
    if compressed:
        extra("zstandard")
    try:
        # A worker may read every app's games, and only a web process the key to sign with.
        with opened(settings.for_worker()) as context, opened(settings.for_web()) as web:
            context.signer = Signer(web.session)
            begun = _begin(context, since or BEGINNING, beside(file, "progress"))
            done = _write(context, begun, file, compressed, report)
            newest = tree.newest_time(context.session, done.size)
    except ArchiveUnreadable as error:
        raise StartError(error.detail) from None
    except OSError as error:
        raise StartError(f"{error.filename or file} cannot be written: {error.strerror}.") from None
    part = beside(file, "part")
    end(part, compressed)
    part.rename(file)
    beside(file, "progress").unlink()
    upto = timestamp(newest) if newest and newest > datetime.fromisoformat(done.since) else done.since
    report(f"{done.games} games; the next archive begins with --since {upto}")
    if done.unreadable:
        games = "1 game" if done.unreadable == 1 else f"{done.unreadable} games"
        raise StartError(f"{games} cannot be read, and the archive is without them.")


def beside(file: Path, what: str) -> Path:
    """Return the path of a file that is there while another one is written."""
    return file.with_name(f"{file.name}.{what}")


def _begin(context: Context, since: datetime, journal: Path) -> Progress:
    """Return the progress of an interrupted call, or else the beginning."""
    if journal.exists():
        try:
            begun = Progress(**json.loads(journal.read_text()))
        except (ValueError, TypeError):
            raise StartError(f"{journal} was not written by an export.") from None
        if since not in (BEGINNING, datetime.fromisoformat(begun.since)):
            raise StartError(f"An export since {begun.since} is unfinished there; finish it first.")
        return begun
    size, _ = tree.head(context.session) or (0, b"")
    return Progress(timestamp(since), size)


def _write(context: Context, begun: Progress, file: Path, compressed: bool, report: Report) -> Progress:
    """Write piece after piece: first the games, then the progress that makes them valid."""
    done, since = begun, datetime.fromisoformat(begun.since)
    with beside(file, "part").open("ab") as part:
        part.truncate(done.bytes)
        _note(file, done)
        while ended := tree.ended(context.session, since, done.after, done.size, PIECE):
            lines = [_line(context, one, report) for one in ended]
            text = b"".join(lines)
            part.write(extra("zstandard").ZstdCompressor().compress(text) if compressed else text)
            part.flush()
            os.fsync(part.fileno())
            bad = lines.count(b"")
            done = Progress(
                done.since,
                done.size,
                ended[-1].number,
                part.tell(),
                done.games + len(ended) - bad,
                done.unreadable + bad,
            )
            _note(file, done)
    return done


def _note(file: Path, done: Progress) -> None:
    """Write the progress atomically."""
    journal = beside(file, "progress")
    with (written := beside(file, "progress.new")).open("w") as new:
        new.write(json.dumps(done._asdict()))
        new.flush()
        os.fsync(new.fileno())
    written.rename(journal)


def _line(context: Context, one: tree.Ended, report: Report) -> bytes:
    """Return a game's line; empty if it cannot be read, which is reported."""
    try:
        record = records.whole(context, one.game_id)
    except (psycopg.Error, OSError, ArchiveUnreadable):  # a later call may succeed
        raise
    except Exception as error:  # whatever a damaged row or a missing ruleset leads to
        report(f"game {one.game_id} cannot be read: {type(error).__name__}: {error}")
        return b""
    document = {
        "game": str(one.game_id),
        "ended_at": timestamp(one.added_at),
        "record": record,
    }
    return orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)


def end(part: Path, compressed: bool) -> None:
    """Add the end mark to a complete part."""
    mark = referee.records.EndMark()
    with part.open("rb") as file:
        for line in _lines(part) if compressed else (text.removesuffix(b"\n") for text in file):
            mark.add(line)
    with part.open("ab") as new:
        new.write(extra("zstandard").ZstdCompressor().compress(mark.line) if compressed else mark.line)
        new.flush()
        os.fsync(new.fileno())


def _lines(part: Path) -> Iterator[bytes]:
    with part.open("rb") as file:
        reader = extra("zstandard").ZstdDecompressor().stream_reader(file, read_across_frames=True)
        rest = b""
        while piece := reader.read(1 << 16):
            *whole, rest = (rest + piece).split(b"\n")
            yield from whole


def extra(module: str) -> Any:
    """Import a module that is not always installed. Raises StartError."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise StartError(f"Archives need {package}: pip install 'card-referee[archive]'.") from None
