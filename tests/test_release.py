"""One number for everything that is released together."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from api.core import VERSION
from api.core.release import release

ROOT = Path(__file__).parents[1]


def version_in(file: str) -> str:
    """Return the version of a package by its file."""
    text = (ROOT / file).read_text()
    return str(
        json.loads(text)["version"] if file.endswith("json") else tomllib.loads(text)["project"]["version"]
    )


def test_service_library_and_clients_have_the_version_of_the_api() -> None:
    files = ("pyproject.toml", "clients/python/pyproject.toml", "clients/typescript/package.json")
    assert {release(), *map(version_in, files)} == {VERSION}
    assert f"## {VERSION} (schema" in (ROOT / "CHANGELOG.md").read_text()
