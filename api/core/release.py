"""Which release of the service this is, and the schema that it knows."""

from __future__ import annotations

import pkgutil
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from migrations import versions

DISTRIBUTIONS = ("card-referee-server", "card-referee")  # the package of the service; the whole repository


@cache
def release() -> str:
    """Return the version of the installed service."""
    for name in DISTRIBUTIONS:
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return "unknown"


@cache
def commit() -> str:
    """Return the commit that was installed, as `deploy/install.sh` wrote it; "" if that is not known."""
    try:
        return (Path(sys.prefix) / "share" / "card-referee" / "commit").read_text().strip()
    except OSError:
        return ""


def build() -> str:
    """Return the version of the service, with its commit if that is known."""
    return f"{release()} ({commit()})" if commit() else release()


@cache
def newest() -> str:
    """Return the newest revision that this code knows: the number with which a migration's file name begins.

    Alembic could find it too, but it looks for the files by their real path, which a web process without
    rights may not be able to reach.
    """
    return max(module.name for module in pkgutil.iter_modules(versions.__path__)).partition("_")[0]
