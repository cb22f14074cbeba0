"""The Python package, installed."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.contract.sdks import PROGRAMS, readme, source
from tests.support.node import run


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the installed package and the README's programs."""
    directory = tmp_path_factory.mktemp("python-sdk")
    # Its dependencies and build tools are in this environment.
    flags = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")
    pip = (sys.executable, "-m", "pip", "install", *flags, "--target", directory)
    run(*pip, source("python", directory), directory=directory)
    shutil.rmtree(directory / "clients")
    for name, program in zip(PROGRAMS, readme("python", "python"), strict=True):
        (directory / f"{name}.py").write_text(program)
    return directory
