"""Rulesets of `tests/packages`, registered in this process for a test, and the games that are released."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from referee.engine import registry

PACKAGES = Path(__file__).parents[1] / "packages"
RULES = PACKAGES.parents[1] / "referee" / "games" / "rules"
RELEASED = sorted(path.stem for path in RULES.glob("*.sha256"))
"""The games whose fingerprints are kept."""


@contextmanager
def registered(folder: str, name: str) -> Iterator[Any]:
    """Make the ruleset of a folder in `tests/packages` available, and take it away again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PACKAGES / folder)
        patch.setattr(registry, "_BY_ID", dict(registry._BY_ID))
        patch.setattr(registry, "_VERSIONS", dict(registry._VERSIONS))
        module = importlib.import_module(name)
        registry.register(module)
        yield module
