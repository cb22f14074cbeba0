"""Files of games: NDJSON with an end mark, compressed with gzip if they are called so."""

from __future__ import annotations

import gzip
import os
import secrets
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

import referee
import referee.records
from api.core.config import StartError

PLAIN, GZIP = ".ndjson", ".ndjson.gz"
END = "archive_end"
FORM = orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z


def write(file: Path, lines: Iterable[Any]) -> None:
    """Write lines and their end mark to a new file, which appears when it is whole. Raises StartError."""
    if not file.name.endswith((PLAIN, GZIP)):
        raise StartError(f"{file}: a file of games is called …{PLAIN} or …{GZIP}.")
    if file.exists():
        raise StartError(f"{file} already exists; such files are never changed.")
    part, mark = file.with_name(f"{file.name}.{secrets.token_hex(4)}.part"), referee.records.EndMark()
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640), "wb") as raw:
            written = gzip.GzipFile("", "wb", fileobj=raw) if file.name.endswith(GZIP) else raw
            for line in lines:
                text = orjson.dumps(line, option=FORM)
                mark.add(text.removesuffix(b"\n"))
                written.write(text)
            written.write(mark.line)
            if written is not raw:
                written.close()
            raw.flush()
            os.fsync(raw.fileno())
        os.link(part, file)  # unless another call was faster
        folder = os.open(file.parent, os.O_RDONLY)
        os.fsync(folder)  # the file must outlive a power cut: its games may be deleted next
        os.close(folder)
    except OSError as error:
        raise StartError(f"{error.filename or file} cannot be written: {error.strerror}.") from None
    finally:
        part.unlink(missing_ok=True)


def as_read(line: Any) -> Any:
    """Return a line as it is read from a file."""
    return orjson.loads(orjson.dumps(line, option=FORM))


def read(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file, without its end mark. Raises StartError if it is not whole."""
    mark = referee.records.EndMark()
    try:
        with gzip.open(file) as lines:
            for text in lines:
                line = orjson.loads(text)
                if isinstance(line, dict) and END in line:
                    mark.require(text)
                    return
                mark.add(text.removesuffix(b"\n"))
                yield line
    except (OSError, EOFError, zlib.error, ValueError, referee.Malformed) as error:
        raise StartError(f"{file} cannot be read: {error}.") from None
    raise StartError(f"{file} is not whole: it has no end mark.")
