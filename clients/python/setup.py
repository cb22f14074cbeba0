"""Generates what comes from the specification before each build; everything else is in pyproject.toml."""

import sys
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from generator import generate  # noqa: E402

generate(HERE.parents[1] / "openapi.yaml")
setup()
