"""Child processes, and how none of them outlives us."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from api.run.embedded.accounts import Account, plain_environment, rights, run_as

PR_SET_PDEATHSIG = 1


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
