"""The processes of a running server, and the sentence of one that does not start."""

from __future__ import annotations

import contextlib

import psutil

from tests.servers.serving import Server, run


def sentence(*arguments: object, **environment: str) -> str:
    """Return the one sentence with which `referee-api` refuses."""
    done = run(*arguments, **environment)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("referee-api: ")
    assert lines[0].endswith(".")
    return lines[0]


def family(server: Server) -> dict[str, list[psutil.Process]]:
    """Return the children of `serve` and their children, by kind."""
    found: dict[str, list[psutil.Process]] = {"postgres": [], "web": [], "worker": []}
    for child in psutil.Process(server.process.pid).children():
        with contextlib.suppress(psutil.NoSuchProcess):  # also one that is dead but not yet reaped
            words = child.cmdline()
            kind = next((kind for kind in ("web", "worker") if kind in words), "postgres")
            found[kind] = [child, *child.children(recursive=True)]
    return found
