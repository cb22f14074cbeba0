"""Everything else is in pyproject.toml; here the core is generated before the package is put together."""

import sys
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from generate import generate  # noqa: E402

generate(HERE.parents[1] / "openapi.yaml")
setup()
