"""Backup of the whole database in one file, and its restoration, with rights and verified logs.

Secrets of the database stay encrypted in the file, which does not contain the key.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy import select

from api.core.config import Settings, StartError
from api.features import opened
from api.games import verification
from api.run import installation, loading, migrate, rights
from api.run.embedded.data_dir import KEY_FILE, write_private
from api.run.embedded.postgres import database
from api.run.reaching import as_owner
from api.store import distribution, games, log
from api.store.database.session import Session
from api.store.tables.games import games as table

RECORD = "INSERT INTO backups (written_at, bytes, kind) VALUES (now(), %s, %s)"
CHECKSUM = b"\ncard-referee sha256 "
FORMAT = b"PGDMP"  # with which the files of pg_dump begin
PART = 1 << 20  # bytes
PIECE = 500  # games whose ids are read together
Report = Callable[[str], None]


def backup(settings: Settings, file: Path, report: Report) -> None:
    """Write the whole database, as of one moment, to a new file; the service may run meanwhile.

    Raises StartError.
    """
    if file.exists():
        raise StartError(f"{file} already exists; a backup is never overwritten.")
    part = file.with_name(f"{file.name}.part")
    try:
        part.unlink(missing_ok=True)  # of an interrupted backup; a link is never followed
        os.close(os.open(part, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600))
        try:
            with database(settings) as connected:
                distribution.refuse(connected, "backup")
                loading.dump(connected, part)
                _append_checksum(part)
                part.rename(file)
                with as_owner(connected) as connection:
                    connection.execute(RECORD, (file.stat().st_size, "backup"))
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise StartError(f"{error.filename or file} cannot be written: {error.strerror}.") from None
    report(f"{file} has everything but the encryption keys: keep those elsewhere")


def _append_checksum(part: Path) -> None:
    """Append the file's checksum, which PostgreSQL's programs do not read; have it all on the disk."""
    digest = _digest(part, part.stat().st_size)
    with part.open("ab") as written:
        written.write(CHECKSUM + digest)
        written.flush()
        os.fsync(written.fileno())


def _digest(file: Path, size: int) -> bytes:
    digest = hashlib.sha256()
    with file.open("rb") as written:
        while size > 0 and (piece := written.read(min(size, PART))):
            digest.update(piece)
            size -= len(piece)
    return digest.digest()


def check(file: Path, report: Report) -> None:
    """Say that a backup is whole. Raises StartError if it is damaged, or none of ours."""
    if not file.is_file():
        raise StartError(f"{file} is not a file.")
    if not _require_whole(file):
        raise StartError(f"{file} is damaged at its end: it has no checksum.")
    report(f"{file} is whole")


def _require_whole(file: Path) -> bool:
    """Return whether a file ends with its checksum. Raises StartError if that is wrong."""
    size = file.stat().st_size - len(CHECKSUM) - hashlib.sha256().digest_size
    with file.open("rb") as written:
        begins = written.read(len(FORMAT)) == FORMAT
        written.seek(max(0, size))
        mark, digest = written.read(len(CHECKSUM)), written.read()
    if not begins or (mark == CHECKSUM and digest != _digest(file, size)):
        raise StartError(f"{file} is damaged, or no backup: take another one.")
    return mark == CHECKSUM


def restore(settings: Settings, file: Path, report: Report) -> None:
    """Load a backup into an empty database, migrate it, check the rights and verify every game's log.

    Raises StartError: what was loaded by then stays, and has to be removed before the next try. Games whose
    log is not valid are named, and stay. A data directory keeps the keys that were used for the restoration.
    """
    if not file.is_file():
        raise StartError(f"{file} is not a file.")
    _require_whole(file)
    with database(settings) as connected:
        migrate.check_server(connected.owner_database_url)
        distribution.refuse(connected, "restore")
        _require_empty(connected)
        migrate.make_roles(connected)  # the backup's policies name them
        loading.load(connected, file)
        migrate.upgrade(connected)
        for address in (connected.database_url, connected.worker_database_url):
            rights.require(address)
        if not settings.database_url:
            write_private(settings.data_dir / KEY_FILE, "\n".join(connected.encryption_keys) + "\n", None)
        report("restored, with this release's schema and rights")
        _verify(connected, report)


def try_restore(settings: Settings, file: Path, report: Report) -> None:
    """Restore a backup beside the database, verify it, remove it, and note that. Raises StartError."""
    with database(settings) as connected, TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)  # for the account of the embedded PostgreSQL
        names = ("", "owner_", "worker_", "direct_")
        apart: dict[str, Any] = {f"{name}database_url": "" for name in names}
        keys, place = connected.encryption_keys, Path(folder) / "data"
        restore(replace(settings, **apart, encryption_keys=keys, data_dir=place), file, report)
        with as_owner(connected) as connection:
            connection.execute(RECORD, (file.stat().st_size, "restore"))


def verify(settings: Settings, report: Report) -> None:
    """Verify the log of every game of every app. Raises StartError if one is invalid."""
    with database(settings) as connected:
        _verify(connected, report)


def _verify(settings: Settings, report: Report) -> None:
    broken = read = 0
    with opened(settings.for_owner()) as context:
        for game_id in _ids(context.session):
            faults = _faults(context.session, game_id)
            if faults:
                report(f"game {game_id} does not hold: {'; '.join(faults)}")
            read, broken = read + 1, broken + bool(faults)
    if broken:
        raise StartError(f"{broken} of {read} games do not verify.")
    report(f"{read} games verified, and every log holds")


def _faults(session: Session, game_id: UUID) -> list[str]:
    """Return what is wrong with a game. Raises psycopg.Error if that has nothing to do with the game."""
    try:
        row = games.get(session, game_id)
        assert row is not None
        return verification.faults(row, log.all_entries(session, row.id, row.version))
    except (psycopg.OperationalError, psycopg.InterfaceError):
        raise
    except Exception as error:  # whatever a damaged row or a missing ruleset leads to
        return [f"it cannot be read: {type(error).__name__}: {error}"]


def _ids(session: Session) -> Iterator[UUID]:
    last = UUID(int=0)
    while True:
        rows = session.execute(
            select(table.c.id).where(table.c.id > last).order_by(table.c.id).limit(PIECE)
        ).fetchall()
        if not rows:
            return
        yield from (row[0] for row in rows)
        last = rows[-1][0]


def _require_empty(settings: Settings) -> None:
    with as_owner(settings) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    if {name for (name,) in tables} - {installation.RESTORING}:
        raise StartError("The database is not empty: restore into a new one, also after a failed try.")
