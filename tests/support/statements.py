"""The statements that requests run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from api.store.database.connections import PooledConnection


@contextmanager
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Return the statements that requests run meanwhile, without those that begin or end a transaction."""
    found: list[str] = []
    execute = PooledConnection.execute

    def run(self: PooledConnection, query: Any, *arguments: Any, **more: Any) -> Any:
        found.append(str(query))
        return execute(self, query, *arguments, **more)

    with monkeypatch.context() as patched:
        patched.setattr(PooledConnection, "execute", run)
        yield found
