"""The Python interpreter with which an unprivileged account runs our code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from api.core.config import StartError
from api.run.embedded.processes import Account, rights

# -P: do not import from the current directory
PROBE = ["-P", "-c", "import api.cli"]

# Whether an account needs directories opened by us to read our code; finding out takes long.
_needs_open: dict[Account, bool] = {}


class Interpreter(NamedTuple):
    """A Python that finds our code: the program, environment variables, descriptors to inherit."""

    program: list[str]
    environ: dict[str, str]
    keep: list[int]


@contextmanager
def interpreter(account: Account | None, environ: Mapping[str, str]) -> Iterator[Interpreter]:
    """Yield the interpreter for an account (None: ourselves), which can be started within the block.

    In a private home such as /root, no other account can reach our code by its path. Then it gets the
    directories as open descriptors, through which it can read what their own modes permit; nobody else gains
    access. Raises StartError if that does not work either.
    """
    own = Interpreter([sys.executable], {}, [])
    if account is not None and account not in _needs_open and _runs(own, account, environ):
        _needs_open[account] = False
    if account is None or _needs_open.get(account) is False:
        yield own
        return
    keep = [os.open(path, os.O_RDONLY | os.O_DIRECTORY) for path in (sys.base_prefix, *_import_path())]
    try:
        opened = _opened(keep, environ)
        if account not in _needs_open and not _runs(opened, account, environ):
            raise StartError(
                f"Nothing but the database runs as root, and user {account.uid} cannot run {sys.executable}; "
                "install it where everybody may read."
            )
        _needs_open[account] = True
        yield opened
    finally:
        for descriptor in keep:
            os.close(descriptor)


def _opened(keep: list[int], environ: Mapping[str, str]) -> Interpreter:
    """Return the interpreter with these directories: first Python's own, then those to import from."""
    home, *folders = [f"/proc/self/fd/{descriptor}" for descriptor in keep]
    # The Python under the virtual environment; the only name that Python has for it is not in typeshed.
    base = Path(sys._base_executable).resolve()  # type: ignore[attr-defined]
    libraries = [f"{home}/lib", environ.get("LD_LIBRARY_PATH", "")]
    variables = {
        "PYTHONHOME": home,
        "PYTHONPATH": ":".join(folders),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LD_LIBRARY_PATH": ":".join(filter(None, libraries)),
    }
    program = os.path.join(home, os.path.relpath(base, Path(sys.base_prefix).resolve()))
    return Interpreter([program], variables, keep)


def inherited(environ: Mapping[str, str]) -> list[int]:
    """Return the open directories through which this process reaches its code, for a child to inherit."""
    named = ":".join(environ.get(name, "") for name in ("PYTHONHOME", "PYTHONPATH"))
    return [int(number) for number in re.findall(r"/proc/self/fd/(\d+)", named)]


def _import_path() -> list[str]:
    """List the directories of our code and of its dependencies, without the standard library."""
    standard = sysconfig.get_path("stdlib")
    ours = str(Path(__file__).resolve().parents[2])
    folders = [path for path in sys.path if os.path.isdir(path) and not path.startswith(standard)]
    return list(dict.fromkeys([ours, *map(os.path.abspath, folders)]))


def _runs(interpreter: Interpreter, account: Account, environ: Mapping[str, str]) -> bool:
    try:
        done = subprocess.run(
            [*interpreter.program, *PROBE],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={**environ, **interpreter.environ},
            check=False,
            pass_fds=interpreter.keep,
            **rights(account),
        )
    except OSError:
        return False
    return done.returncode == 0
