"""Archives of records: their formats, and reading them in batches.

A folder contains files with one record or bundle each (`*.json`, `*.bundle`), and other archives.
An NDJSON archive has one line for each game, `{"game", "ended_at", "record"}` or only the record; it may be
compressed with gzip. Only one batch is in memory at a time.
"""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from referee.audit.marks import BEGINNING, EndMark, is_game
from referee.engine.verdicts import Malformed

NDJSON, GZIP = (".ndjson", ".jsonl"), (".ndjson.gz", ".jsonl.gz")
SINGLE = (".json", ".bundle")  # files with one record, or one bundle
SUFFIXES = (*NDJSON, *GZIP)
MOST_BYTES, MOST_RECORDS = 1 << 18, 256  # in a batch
CHUNK = 1 << 16  # bytes of a file that are read at a time
LONGEST = 1 << 26  # bytes of a record: four times what the service takes


Named = tuple[str, bytes | str]  # a record's name; its JSON, or why it cannot be read


class Batch(NamedTuple):
    """Records that are verified together, and how much of the archive has been read after them."""

    records: list[Named]
    done: int


class Source(NamedTuple):
    """An archive: its size, in its own unit, and its batches."""

    total: int
    batches: Iterator[Batch]
    unmarked: list[str]  # archives that turned out to have no end mark


def is_archive(path: Path) -> bool:
    """Return whether a path leads to many records instead of one."""
    return path.is_dir() or path.name.endswith(SUFFIXES)


def read(path: Path) -> Source:
    """Open an archive. Raises Malformed or OSError if it cannot be read at all."""
    unmarked: list[str] = []
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file() and _is_record(file))
        return Source(len(files), _in_batches(_files(path, files, unmarked)), unmarked)
    if not is_archive(path):
        return Source(1, _in_batches(_readable(path.name, _single(path))), unmarked)
    return Source(path.stat().st_size, _in_batches(_readable(path.name, _lines(path, unmarked))), unmarked)


def _is_record(file: Path) -> bool:
    return file.name.endswith((*SINGLE, *SUFFIXES))


Record = tuple[str, bytes | str, int]  # a `Named`, and how much of the archive has been read after it


def _readable(name: str, records: Iterator[Record]) -> Iterator[Record]:
    """Yield the records as far as they can be read, and then the reason why the rest cannot."""
    done = 0
    try:
        for record in records:
            yield record
            done = record[2]
    except (Malformed, OSError) as error:
        yield name, str(error), done


def _in_batches(records: Iterator[Record]) -> Iterator[Batch]:
    batch: list[Named] = []
    size = done = 0
    for name, text, done in records:
        batch.append((name, text))
        size += len(text)
        if size >= MOST_BYTES or len(batch) >= MOST_RECORDS:
            yield Batch(batch, done)
            batch, size = [], 0
    if batch:
        yield Batch(batch, done)


def _files(folder: Path, files: list[Path], unmarked: list[str]) -> Iterator[Record]:
    for number, file in enumerate(files, 1):
        name = str(file.relative_to(folder))
        for inner, text, _ in _readable("", _in_file(file, unmarked)):
            yield f"{name} {inner}".rstrip(), text, number


def _in_file(file: Path, unmarked: list[str]) -> Iterator[Record]:
    if file.suffix in SINGLE:
        for _, text, number in _single(file):
            yield "", text, number
    else:
        yield from _lines(file, unmarked)


def _single(file: Path) -> Iterator[Record]:
    """Yield the record of a file that has one. Raises Malformed if it is too long."""
    if file.stat().st_size > LONGEST:
        raise Malformed("", f"is longer than {LONGEST} bytes")
    yield file.name, file.read_bytes(), 1


def _lines(path: Path, unmarked: list[str]) -> Iterator[Record]:
    """Yield the records of an archive, or of several one after the other; each may end with a mark.

    Raises Malformed if a mark is not that of the lines before it.
    """
    mark, number = EndMark(), 0
    with path.open("rb") as file:
        for text in _split(file, path.name.endswith(GZIP)):
            number += 1
            if text.startswith(BEGINNING):
                mark.require(text)
                mark = EndMark()
                continue
            mark.add(text)
            if is_game(text):
                yield f"line {number}", text, file.tell()
    if mark.games:
        unmarked.append(path.name)


def _split(file: IO[bytes], compressed: bool) -> Iterator[bytes]:
    """Yield the lines of a file. Raises Malformed if one is too long."""
    number, rest, length = 0, list[bytes](), 0
    for piece in _decompressed(file) if compressed else iter(lambda: file.read(CHUNK), b""):
        *whole, last = piece.split(b"\n")
        length = len(last) + (0 if whole else length)
        for line in whole:
            number += 1
            yield b"".join([*rest, line])
            rest.clear()
        if length > LONGEST:
            raise Malformed("", f"line {number + 1} is longer than {LONGEST} bytes")
        rest.append(last)
    if text := b"".join(rest):
        yield text


def _decompressed(file: IO[bytes]) -> Iterator[bytes]:
    """Return the content of a gzip file, of any number of members. Raises Malformed if one is cut off."""
    try:
        with gzip.GzipFile(fileobj=file) as content:
            while chunk := content.read(CHUNK):
                yield chunk
    except EOFError:
        raise Malformed("", "ends in the middle: it is not whole") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise Malformed("", f"is damaged: {error}") from None
