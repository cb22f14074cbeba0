"""Passes settings to a started process through a pipe, which is read once.

An environment could be read by every process of the same account while the process runs.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import fields

from api.core.config import Settings, variable

NAMES = frozenset(variable(each.name) for each in fields(Settings))


def without_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without the variables of settings."""
    return {name: value for name, value in environ.items() if name not in NAMES}


@contextlib.contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    """Open a pipe for the block that starts a process; its end to write to stays open unless that fails."""
    reads, writes = os.pipe()
    try:
        yield reads, writes
    except BaseException:
        os.close(writes)
        raise
    finally:
        os.close(reads)


def send(settings: Settings, descriptor: int) -> None:
    """Write settings to a pipe and close it. A process that has died already reads nothing."""
    with contextlib.suppress(BrokenPipeError), open(descriptor, "w") as pipe:
        json.dump(settings.environment(), pipe)


def receive(descriptor: int) -> Settings:
    """Wait for settings and return them. Raises SystemExit if the pipe is closed without any."""
    with open(descriptor) as pipe:
        sent = pipe.read()
    if not sent:
        raise SystemExit(1)
    return Settings.from_env(json.loads(sent))
