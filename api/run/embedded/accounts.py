"""The account that does the work when root has started us: nothing but the supervisor keeps root's rights."""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from api.core.config import StartError

NAME = "card-referee"
NO_SHELL = ("--shell", "/usr/sbin/nologin")
WAYS = (  # to make an account: of most systems, and of Alpine
    (("useradd", "--system", "--user-group", "--no-create-home", "--home-dir", "/", *NO_SHELL),),
    (("addgroup", "-S"), ("adduser", "-S", "-D", "-H", "-h", "/", "-s", "/sbin/nologin", "-G")),
)
TRIES, PAUSE = 5, 0.2  # another start may be making one at the same time; seconds


@dataclass(frozen=True)
class Account:
    """An unprivileged user. PostgreSQL refuses to run as root, so root's server runs as this one."""

    uid: int
    gid: int


def unprivileged(cluster: Path) -> Account | None:
    """Return who runs PostgreSQL, web and worker if we are root; None: we ourselves.

    It is the owner of the database's files or, at the first start, the account `card-referee`, which is made.
    Raises StartError if that is impossible.
    """
    if os.geteuid() != 0:
        return None
    return _owner(cluster) or _known() or _made()


def _owner(path: Path) -> Account | None:
    """Return who owns what an earlier start has made, unless that is root."""
    if not path.exists() or path.stat().st_uid == 0:
        return None
    return Account(path.stat().st_uid, path.stat().st_gid)


def _known() -> Account | None:
    with contextlib.suppress(KeyError):
        entry = pwd.getpwnam(NAME)
        if entry.pw_uid != 0:
            return Account(entry.pw_uid, entry.pw_gid)
    return None


@cache
def _made() -> Account:
    """Make an account of the system that nobody can log in to. Raises StartError if that is impossible."""
    why = "it has no program for that"
    path = os.pathsep.join(("/usr/sbin", "/sbin", os.environ.get("PATH", os.defpath)))
    ways = [way for way in WAYS if all(shutil.which(command[0], path=path) for command in way)]
    for _ in range(TRIES if ways else 0):
        for command in ways[0]:
            program = shutil.which(command[0], path=path) or command[0]
            _, words = run_as(None, [program, *command[1:], *([NAME] if command[-1] == "-G" else []), NAME])
            why = words.strip() or why
        account = _known()
        if account is not None:
            return account
        time.sleep(PAUSE)
    raise StartError(
        f"Only the start runs as root, and the account {NAME} could not be made here ({why}): make it."
    )


def rights(account: Account | None) -> dict[str, Any]:
    """Return the arguments of subprocess for running as an account."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def run_as(account: Account | None, command: Sequence[str | Path], *, stdin: str = "") -> tuple[int, str]:
    """Run a command to its end; return (exit status, output). The status is 126 if it cannot be started."""
    try:
        done = subprocess.run(
            [str(part) for part in command],
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd="/",
            env=plain_environment(),
            check=False,
            **rights(account),
        )
    except OSError as error:
        return 126, str(error)
    return done.returncode, done.stdout


def plain_environment() -> dict[str, str]:
    """Return an environment without the caller's PG* variables, which PostgreSQL's programs would obey."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


def reaches(account: Account, *directories: str | Path) -> bool:
    """Return whether an account can enter directories."""
    enter = ["/bin/sh", "-c", 'for each; do cd -- "$each" || exit 1; done', "sh", *directories]
    return run_as(account, enter)[0] == 0


class Interpreter(NamedTuple):
    """A Python that finds our code: the program, environment variables, descriptors to inherit."""

    program: str
    environ: dict[str, str]
    keep: list[int]


@contextlib.contextmanager
def interpreter(account: Account | None, environ: Mapping[str, str]) -> Iterator[Interpreter]:
    """Yield the Python for an account (None: ourselves), which can be started within the block.

    In a private home such as /root, no other account can reach our code by its path. Then it gets the
    directories as open descriptors, through which it can read what their own modes permit; nobody else gains
    access. Raises StartError if it may not run the program.
    """
    folders = _import_path()
    starts = [sys.executable, "-IS", "-c", ""]
    if account is None or (run_as(account, starts)[0] == 0 and reaches(account, *folders)):
        yield Interpreter(sys.executable, {}, [])
        return
    keep = [os.open(path, os.O_RDONLY | os.O_DIRECTORY) for path in (sys.base_prefix, *folders)]
    home, *opened = [f"/proc/self/fd/{descriptor}" for descriptor in keep]
    # The Python under the virtual environment; the only name that Python has for it is not in typeshed.
    base = Path(sys._base_executable).resolve()  # type: ignore[attr-defined]
    libraries = [f"{home}/lib", environ.get("LD_LIBRARY_PATH", "")]
    variables = {
        "PYTHONHOME": home,
        "PYTHONPATH": ":".join(opened),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LD_LIBRARY_PATH": ":".join(filter(None, libraries)),
    }
    program = os.path.join(home, os.path.relpath(base, Path(sys.base_prefix).resolve()))
    try:
        yield Interpreter(program, variables, keep)
    except PermissionError:
        raise StartError(f"User {account.uid} may not run {base}; install it where everybody may.") from None
    finally:
        for descriptor in keep:
            os.close(descriptor)


def inherited(environ: Mapping[str, str]) -> list[int]:
    """Return the open directories through which this process reaches its code, for a child to inherit."""
    named = ":".join(environ.get(name, "") for name in ("PYTHONHOME", "PYTHONPATH"))
    return [int(number) for number in re.findall(r"/proc/self/fd/(\d+)", named)]


def _import_path() -> list[str]:
    """List the directories of our code and of its dependencies, without the standard library."""
    standard = sysconfig.get_path("stdlib")
    ours = str(Path(__file__).resolve().parents[3])
    folders = [path for path in sys.path if os.path.isdir(path) and not path.startswith(standard)]
    return list(dict.fromkeys([ours, *map(os.path.abspath, folders)]))
