"""Archives old months of the log: each part is written to a file, compared with it, and only then dropped.

A part is archived if every game in it was over before the month that the operator names, and its leaves are
in the log of all games. Nothing can be added to such a part. Until the transaction that drops it, the
database is read and the file is ignored, so a command that is killed has changed nothing: the next one writes
the part again.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, NamedTuple
from uuid import UUID

import orjson
import psycopg

import referee.records
from api.context import Context
from api.core.config import Settings, StartError, libpq
from api.core.errors import ArchiveUnreadable, NotFound
from api.features import opened
from api.features.archives import manifests
from api.features.proofs.keys import Signer
from api.games import export as records
from api.games import verification
from api.store import archives, games, log
from api.store.archives import Frame
from api.store.database.locks import DELETING, Lock, permit
from api.store.database.session import Session, scalar
from api.store.tables.games import PARTS_OF_LOG

PIECE = 100  # games whose frames are written and recorded together
HOURS = 36_000.0  # seconds in which all machines have deleted a month
TRIES, PAUSE = 30, 2.0  # to drop a part, under a lock that no move may hold meanwhile; seconds between two

PARTS = r"""
    SELECT c.relname, pg_get_expr(c.relpartbound, c.oid)
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'entries'::regclass AND c.relname ~ '^entries_\d{4}_\d\d$' ORDER BY 1
"""
# On a cluster, the log has no parts: the months from its first entry on, without those that are archived.
FIRST = "SELECT game_id FROM entries ORDER BY game_id LIMIT 1"
MONTHS = """
    SELECT part_of_log(m), first_id(m), first_id(m + interval '1 month')
    FROM generate_series(date_trunc('month', %s::timestamptz), %s::timestamptz, interval '1 month') AS m
    WHERE part_of_log(m) NOT IN (SELECT part FROM archives WHERE archived_at IS NOT NULL) ORDER BY 1
"""
BOUNDS = re.compile(r"FOR VALUES FROM \((?:MINVALUE|'([^']+)')\) TO \('([^']+)'\)")
IN_PART = "id >= %(first)s AND id < %(beyond)s"
OF_GAMES = f"SELECT count(*), min(id::text) FROM games WHERE {IN_PART}"
DELETE = "DELETE FROM entries WHERE game_id >= %(first)s AND game_id < %(beyond)s"
OPEN = f"{OF_GAMES} AND status NOT IN ('finished', 'cancelled')"
# A test clock says nothing about when a game ended.
YOUNG = f"{OF_GAMES} AND updated_at >= %(before)s AND test_clock IS NULL"
QUEUED = (
    "SELECT count(*), min(game_id::text) FROM tree_queue WHERE game_id >= %(first)s AND game_id < %(beyond)s"
)
WAITS = (
    (OPEN, "{} of its games are not over, such as {}"),
    (YOUNG, "{} of its games ended later, such as {}"),
    (QUEUED, "{} leaves are not in the log of all games yet, such as that of {}; is the worker running?"),
)
NEXT = f"SELECT id FROM games WHERE {IN_PART} AND id > %(after)s ORDER BY id LIMIT {PIECE}"
NOTE = """
    INSERT INTO archived_games (game_id, app_id, file, place, size, digest, version, tick)
    SELECT game_id, app_id, %(file)s, %(place)s, %(size)s, %(digest)s, max(seq), max(tick)
    FROM entries WHERE game_id = %(game)s GROUP BY game_id, app_id
"""
NOTED = f"""
    SELECT game_id, file, place, size, digest FROM archived_games
    WHERE file = %(file)s AND game_id > %(after)s ORDER BY game_id LIMIT {PIECE}
"""

Report = Callable[[str], None]


class LogPart(NamedTuple):
    """A part of the log: its name, and the bounds of its games' ids."""

    name: str
    first: UUID
    beyond: UUID

    @property
    def month(self) -> str:
        """Return its month, such as 2026-03."""
        return self.name.removeprefix(PARTS_OF_LOG).replace("_", "-")


def archive(settings: Settings, before: datetime, report: Report, now: datetime | None = None) -> None:
    """Archive the parts of all months before one, oldest first; report why one must wait.

    Raises StartError.
    """
    if before > (now or datetime.now(UTC)):
        raise StartError("Only months that are over can be archived.")
    folder = settings.archive_dir
    if folder is None or not folder.is_dir():
        raise StartError("ARCHIVE_DIR is not set, or no directory that the web servers can read.")
    if folder.is_symlink() and folder.lstat().st_uid not in (0, os.geteuid()):
        raise StartError(f"{folder} belongs to somebody else, who could exchange the archives.")
    try:
        with opened(settings.for_owner()) as context, _alone(settings):
            context.signer = Signer()
            for file in _forget(context, folder):
                report(f"{file} is no archive of this database: nothing here reads it")
            parts = _parts(context.session, before)
            if not parts:
                report(f"The log has no month before {before:%Y-%m}.")
            for part in parts:
                _archive(context, part, before, report)
            manifests.write_all(context, folder)
    except OSError as error:
        raise StartError(f"{error.filename or folder} cannot be written: {error.strerror}.") from None


@contextmanager
def _alone(settings: Settings) -> Iterator[None]:
    """Keep other processes from archiving. Raises StartError if one does."""
    with psycopg.connect(libpq(settings.owner_database_url), autocommit=True) as connection:
        connection.execute("SET lock_timeout = '3s'")  # the server may notice late that a command was killed
        try:
            connection.execute("SELECT pg_advisory_lock(%s)", (Lock.ARCHIVE.value,))
        except psycopg.errors.LockNotAvailable:
            raise StartError("Another command is archiving.") from None
        yield


def _forget(context: Context, folder: Path) -> list[str]:
    """Remove interrupted work; return the files that the database does not know."""
    session = context.session
    unfinished = [row[0] for row in session.execute("SELECT file FROM archives WHERE archived_at IS NULL")]
    with session.transaction():
        session.execute("DELETE FROM archived_games WHERE file = ANY(%s)", (unfinished,))
        session.execute("DELETE FROM archives WHERE file = ANY(%s)", (unfinished,))
    for file in unfinished:
        _partial(folder / file).unlink(missing_ok=True)
    known = {row[0] for row in session.execute("SELECT file FROM archives")}
    return sorted(file.name for file in folder.glob(f"*{archives.SUFFIX}") if file.name not in known)


def _parts(session: Session, before: datetime) -> list[LogPart]:
    parts = []
    if session.distributed:
        first = scalar(session, FIRST)
        since = first and datetime.fromtimestamp((first.int >> 80) / 1000, UTC)
        parts = [LogPart(*row) for row in session.execute(MONTHS, (since, before))]
    for name, bounds in session.execute(PARTS).fetchall():
        match = BOUNDS.fullmatch(bounds)
        assert match, bounds
        parts.append(LogPart(name, UUID(match[1]) if match[1] else UUID(int=0), UUID(match[2])))
    return [part for part in parts if part.month < before.strftime("%Y-%m")]


def _archive(context: Context, part: LogPart, before: datetime, report: Report) -> None:
    session, folder = context.session, context.settings.archive_dir
    assert folder is not None
    if waits := _waits(session, part, before):
        report(f"{part.month} waits: {'; '.join(waits)}")
        return
    file = f"{part.month}-{token_hex(4)}{archives.SUFFIX}"
    partial = _partial(folder / file)
    session.execute("INSERT INTO archives (file, part) VALUES (%s, %s)", (file, part.name))
    try:
        number, entries, end, digest = _write(context, part, file, partial)
        written = (number, entries)
        session.execute("UPDATE archives SET games = %s, digest = %s WHERE file = %s", (number, digest, file))
        _check(context, part, partial, file, written)
        _check_end(partial, end)
        _drop(session, part, before, folder / file, written)
    finally:
        partial.unlink(missing_ok=True)
    report(f"{part.month} is archived: {written[0]} games, {written[1]} entries in {folder / file}")


def _waits(session: Session, part: LogPart, before: datetime) -> list[str]:
    """Return why a part cannot be archived yet."""
    values = {"first": part.first, "beyond": part.beyond, "before": before}
    rows = [(session.execute(question, values).fetchone() or (0, None), why) for question, why in WAITS]
    return [why.format(*row) for row, why in rows if row[0]]


def _partial(file: Path) -> Path:
    return file.with_name(f"{file.name}.part")


# --- writing ----------------------------------------------------------------------------------------


def _games(session: Session, part: LogPart) -> Iterator[list[UUID]]:
    after = UUID(int=0)
    while rows := session.execute(NEXT, {**part._asdict(), "after": after}).fetchall():
        yield [row[0] for row in rows]
        after = rows[-1][0]


def _write(context: Context, part: LogPart, file: str, partial: Path) -> tuple[int, int, Frame, bytes]:
    """Write the part durably to a file, and record each game's position.

    Returns how many games and entries it has, the end, and the SHA-256 of the lines.

    Each piece is a separate transaction, because feeds wait for the oldest open one.
    """
    mark, count, entries = referee.records.EndMark(), 0, 0
    with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640), "wb") as written:
        if os.geteuid() == 0:  # the web servers, which read it, are another account
            owner = partial.parent.stat()
            os.fchown(written.fileno(), owner.st_uid, owner.st_gid)
        for ids in _games(context.session, part):
            lines = [_line(context, game) for game in ids]
            frames = [_frame(written, file, line) for _, line in lines]
            with context.session.transaction():
                for game, frame in zip(ids, frames, strict=True):
                    context.session.execute(NOTE, {"game": game, **frame._asdict()})
            for _, line in lines:
                mark.add(line.removesuffix(b"\n"))
            count, entries = count + len(ids), entries + sum(length for length, _ in lines)
        end = _frame(written, file, mark.line)
        written.flush()
        os.fsync(written.fileno())
    return count, entries, end, mark.digest


def _line(context: Context, game: UUID) -> tuple[int, bytes]:
    """Return the length of a game's log, and its line, in the form of `export`."""
    try:
        record = records.whole(context, game)
    except (psycopg.Error, OSError):
        raise
    except NotFound:
        raise _gone(game) from None
    except Exception as error:  # an invalid log may cause any error
        raise StartError(f"{_stays(game)}: no record can be made of it.") from error
    ended_at = record["entries"][-1]["at"]
    line: dict[str, Any] = {"game": str(game), "ended_at": ended_at, "record": record}
    return len(record["entries"]), orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def _stays(game: UUID) -> str:
    return f"Game {game} does not verify, so its month stays"


def _gone(game: UUID) -> StartError:
    return StartError(f"Game {game} was deleted meanwhile, so its month stays: repeat the command.")


def _frame(written: BinaryIO, file: str, line: bytes) -> Frame:
    place, data = written.tell(), archives.compress(line)
    written.write(data)
    return Frame(file, place, len(data), sha256(data).digest())


# --- checking ---------------------------------------------------------------------------------------


def _check(context: Context, part: LogPart, partial: Path, file: str, written: tuple[int, int]) -> None:
    """Read the file again, verify every game, and compare every entry with the database.

    Raises StartError.
    """
    session, after, games_read, entries_read = context.session, UUID(int=0), 0, 0
    while rows := session.execute(NOTED, {"file": file, "after": after}).fetchall():
        for game, _, *place in rows:
            length = _check_game(session, game, partial, Frame(partial.name, *place))
            games_read, entries_read = games_read + 1, entries_read + length
        after = rows[-1][0]
    if (games_read, entries_read) != written:
        raise StartError(f"{part.month} stays: its file has {games_read} games and {entries_read} entries.")


def _check_end(partial: Path, end: Frame) -> None:
    """Read the end mark again. Raises StartError."""
    try:
        archives.read(partial.parent, end._replace(file=partial.name))
    except ArchiveUnreadable as error:
        raise StartError(f"The end of the file cannot be read again: {error.detail}") from None


def _check_game(session: Session, game: UUID, partial: Path, frame: Frame) -> int:
    row = games.get(session, game)
    if row is None:
        raise _gone(game)
    try:
        line = archives.read(partial.parent, frame)
    except ArchiveUnreadable as error:
        raise StartError(f"Game {game} cannot be read again: {error.detail}") from None
    entries = [log.StoredEntry(*entry) for entry in archives.entries_of(line)]
    same = entries == list(log.all_entries(session, game, row.version))
    faults = verification.faults(row, iter(entries))
    if not same or len(entries) != row.version or faults:
        why = "; ".join(faults) or "its line is not its log"
        raise StartError(f"{_stays(game)}: {why}.")
    return len(entries)


# --- dropping ---------------------------------------------------------------------------------------


def _drop(session: Session, part: LogPart, before: datetime, file: Path, written: tuple[int, int]) -> None:
    """Activate the file and drop the part, in one transaction. Raises StartError if the part has changed."""
    for attempt in range(TRIES):
        try:
            with session.transaction():
                session.execute("SET LOCAL lock_timeout = '500ms'")  # others wait for us meanwhile
                entries = _delete(session, part) if session.distributed else _lock(session, part)
                number = scalar(session, f"SELECT count(*) FROM games WHERE {IN_PART}", part._asdict())
                if (number, entries) != written or _waits(session, part, before):
                    raise StartError(f"{part.month} stays: something was written to it meanwhile.")
                if not session.distributed:
                    session.execute(f"ALTER TABLE entries DETACH PARTITION {part.name}")
                    session.execute(f"DROP TABLE {part.name}")
                    session.execute(f"DROP FUNCTION no_gap_in_{part.name}()")
                session.execute("UPDATE archives SET archived_at = now() WHERE file = %s", (file.name,))
                _put_in_place(file)
            return
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
            if attempt == TRIES - 1:
                raise
            time.sleep(PAUSE)


def _lock(session: Session, part: LogPart) -> int:
    """Lock the part against writes; return how many entries it has."""
    session.execute(f"LOCK TABLE {part.name} IN SHARE MODE")
    return int(scalar(session, f"SELECT count(*) FROM {part.name}"))


def _delete(session: Session, part: LogPart) -> int:
    """Delete the part's entries from all shards, where nobody waits for that; return how many."""
    session.take_time(HOURS)
    session.execute("SET LOCAL statement_timeout = 0")
    session.execute(permit(DELETING))
    return session.execute(DELETE, part._asdict()).rowcount


def _put_in_place(file: Path) -> None:
    """Rename the file to its final name; it is complete, whether or not the commit succeeds."""
    _partial(file).rename(file)
    folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
