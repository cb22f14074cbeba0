"""Child processes: the accounts that they run as, and how none of them outlives us."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from api.core.config import StartError

PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Account:
    """An unprivileged user. PostgreSQL refuses to run as root, so root's server runs as this one."""

    uid: int
    gid: int


def unprivileged(owned: Path) -> Account | None:
    """Return who runs PostgreSQL if we are root: the owner of `owned`, else `nobody`. None: we ourselves.

    Raises StartError if root has no user `nobody` to change to.
    """
    if os.geteuid() == 0 and owned.exists() and owned.stat().st_uid != 0:
        return Account(owned.stat().st_uid, owned.stat().st_gid)
    return _first_of("nobody")


def service_account() -> Account | None:
    """Return who runs web and worker if we are root; None: we ourselves.

    If the system has another account, it is not the one that runs PostgreSQL, which can read the files of
    the database. An operator who wants an account for this alone creates one named `card-referee`.
    Raises StartError if none of these exists.
    """
    return _first_of("card-referee", "daemon", "nobody")


def _first_of(*names: str) -> Account | None:
    if os.geteuid() != 0:
        return None
    for name in names:
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            if entry.pw_uid != 0:
                return Account(entry.pw_uid, entry.pw_gid)
    raise StartError("Nothing runs as root but the start, and this system has no user 'nobody'.")


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


def _leash(number: signal.Signals) -> Callable[[], None] | None:
    """Return a function that a child calls first: it asks Linux for a signal when the parent dies.

    Other systems cannot do that (None); there, the next start finds and stops what was left behind.
    """
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)
    parent = os.getpid()

    def leash() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        if os.getppid() != parent:  # the parent died between the fork and the request
            os._exit(1)

    return leash


def spawn(
    command: Sequence[str | Path],
    *,
    dies_by: signal.Signals,
    account: Account | None = None,
    environ: Mapping[str, str] | None = None,
    output: IO[bytes] | None = None,
    keep: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start a child in a session of its own: Ctrl-C reaches only us, and we stop the children in order.

    `dies_by` is the signal that it gets if we die first; `keep` are file descriptors that it inherits.
    Call this from the main thread, because Linux ties that signal to the thread that forked.
    """
    return subprocess.Popen(
        [str(part) for part in command],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
        cwd="/" if account else None,
        env=plain_environment() if environ is None else dict(environ),
        start_new_session=True,
        pass_fds=tuple(keep),
        preexec_fn=_leash(dies_by),
        **rights(account),
    )


def stop(child: subprocess.Popen[bytes], *signals: signal.Signals, timeout: float) -> int:
    """Send the signals one after another, `timeout` seconds apart, then SIGKILL; return the exit status."""
    for number in (*signals, signal.SIGKILL):
        if child.poll() is not None:
            break
        child.send_signal(number)
        try:
            child.wait(timeout)
        except subprocess.TimeoutExpired:
            continue
    return child.wait()


def is_running(pid: int, mentions: str) -> bool:
    """Return whether process `pid` is alive and ours: its command line has `mentions`, as pids are reused."""
    if pid <= 0:
        return False
    if sys.platform.startswith("linux"):  # where a bare system may have no `ps`
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
            return mentions in words.replace("\0", " ")
        return False
    return mentions in run_as(None, ["ps", "-ww", "-o", "command=", "-p", str(pid)])[1]
