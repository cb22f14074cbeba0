"""The `referee` command for tests: in this process, which is fast, or in a separate one."""

from __future__ import annotations

import subprocess
import sys

from click.testing import CliRunner

from referee.cli import main

CODE = "from referee.cli import main; main()"  # the command, in a process of its own


def run(*words: str, given: str | bytes = b"") -> subprocess.CompletedProcess[str]:
    """Run `referee WORDS` in this process and return its output and status."""
    done = CliRunner().invoke(main, words, input=given, prog_name="referee")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)


def run_apart(*words: str, given: str | bytes = b"") -> subprocess.CompletedProcess[str]:
    """Run `referee WORDS` in a separate process."""
    given = given.encode() if isinstance(given, str) else given
    done = subprocess.run([sys.executable, "-c", CODE, *words], input=given, capture_output=True, timeout=180)
    return subprocess.CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())
