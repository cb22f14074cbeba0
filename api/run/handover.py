"""Passes settings to a started process through a pipe, which is read once.

An environment could be read by every process of the same account while the process runs.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping

from api.core.config import DECLARED, Settings, variable

NAMES = frozenset(variable(name) for name in DECLARED)


def without_settings(environ: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without the variables of settings."""
    return {name: value for name, value in environ.items() if name not in NAMES}


@contextlib.contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    """Yield both ends of a pipe, to read and to write, for the block that starts a process.

    After the block the end to read is closed, and the end to write as well if the block failed.
    """
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
    with contextlib.suppress(BrokenPipeError), open(descriptor, "w") as file:
        json.dump(settings.environment(), file)


def receive(descriptor: int) -> Settings:
    """Wait for settings and return them. Raises SystemExit if the pipe is closed without any."""
    with open(descriptor) as file:
        sent = file.read()
    if not sent:
        raise SystemExit(1)
    return Settings.from_env(json.loads(sent))
