"""A process that runs a program on one checkout of the project and answers questions line by line."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


class Side:
    """A process that imports one checkout, and answers each line of JSON with another."""

    def __init__(self, checkout: Path, program: str) -> None:
        environment = os.environ | {"PYTHONPATH": str(checkout), "PYTHONHASHSEED": "0"}
        # -P: do not import from this folder, whose `referee.py` would hide the package.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", program],
            env=environment,
            cwd=checkout,  # else `python -m api.run.cli` would start the code of this folder
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, question: Any) -> Any:
        """Send a question and return the answer."""
        assert self._process.stdin
        assert self._process.stdout
        print(json.dumps(question), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._process.communicate()
