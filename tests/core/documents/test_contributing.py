"""CONTRIBUTING.md leads from a bare machine to a change that is tested: its commands run in a new clone."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MINUTES = 15


@pytest.mark.long
def test_the_commands_for_a_bare_machine_work(tmp_path: Path) -> None:
    """They run as written, but for the address; without our virtual environment and settings."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## From a bare machine\n")[2]
    script = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[0]
    assert script.startswith("git clone REPOSITORY ")
    plain = ("HOME", "LANG", "PATH", "PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "SSL_CERT_FILE")
    environment = {name: os.environ[name] for name in plain if name in os.environ}
    done = subprocess.run(
        ["bash", "-e", "-c", script.replace("REPOSITORY", f"file://{ROOT}")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60 * MINUTES,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
    assert "Contracts: 7 kept, 0 broken." in done.stdout
