"""Child processes: whose rights they have, and that none of them outlives us."""

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

import psutil

from api.core.config import StartError

PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Account:
    """A user without rights; PostgreSQL refuses to run as root, so root's runs as this one."""

    uid: int
    gid: int


def unprivileged(owned: Path) -> Account | None:
    """Who runs PostgreSQL when we are root: the owner of `owned` if it exists, else nobody. None: ourselves.

    Raises StartError where root has no user `nobody` to step down to.
    """
    if os.geteuid() != 0:
        return None
    if owned.exists() and owned.stat().st_uid != 0:
        return Account(owned.stat().st_uid, owned.stat().st_gid)
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        raise StartError("PostgreSQL does not run as root and this system has no user 'nobody'.") from None
    return Account(nobody.pw_uid, nobody.pw_gid)


SERVICE_ACCOUNTS = ("card-referee", "daemon", "nobody")


def service_account() -> Account | None:
    """Return who runs web and worker when we are root; None: ourselves.

    It is not the account that runs PostgreSQL where the system has another: that one can read the files
    of the database. An operator who wants an account for nothing else makes one named `card-referee`.
    Raises StartError where there is none of these.
    """
    if os.geteuid() != 0:
        return None
    for name in SERVICE_ACCOUNTS:
        with contextlib.suppress(KeyError):
            found = pwd.getpwnam(name)
            if found.pw_uid != 0:
                return Account(found.pw_uid, found.pw_gid)
    raise StartError("Nothing but the database runs as root and this system has no user 'nobody'.")


def rights(account: Account | None) -> dict[str, Any]:
    """Arguments of subprocess that step down to an account."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def run_as(account: Account | None, command: Sequence[str | Path], *, stdin: str = "") -> tuple[int, str]:
    """Run to the end; (exit status, everything it wrote). An unreachable program counts as status 126."""
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
    """Return what a child does before it becomes its program: ask Linux for a signal when its parent dies.

    Elsewhere there is no such thing; there the next start finds and stops what was left behind.
    """
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)
    parent = os.getpid()

    def leash() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        if os.getppid() != parent:  # it died between the fork and the request
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
    """Start a child in a session of its own, so that Ctrl-C reaches us alone and we stop things in order.

    `dies_by` is the signal it gets should we die first; `keep` are file descriptors that it inherits.
    Call it from the main thread: Linux ties the death signal to the thread that forked.
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
    """Send the signals one after another, `timeout` seconds apart, then SIGKILL; returns the exit status."""
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
    """Is there a living process `pid` whose command line has `mentions`? A recycled pid is someone else's."""
    try:
        return mentions in " ".join(psutil.Process(pid).cmdline())
    except (psutil.Error, ValueError):
        return False
