"""The command of the service where the packages of the service are missing, as after `pip install .`."""

from __future__ import annotations

import subprocess
import sys

import pytest

ALONE = (
    "import sys; sys.modules['psycopg'] = None; sys.argv[0] = 'referee-api';"
    "from api.run.cli.__main__ import main; main()"
)


@pytest.mark.parametrize("arguments", [["--help"], ["keys", "list"], ["migrate"]])
def test_a_missing_driver_is_named_in_one_sentence(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALONE, *arguments], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    assert done.stderr == (
        "referee-api: The service needs psycopg: install it with its extra, pip install '.[server]'.\n"
    )
