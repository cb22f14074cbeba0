"""The library without the service: what it needs, and that it works with nothing else installed."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from deploy.packages import assemble
from tests.servers.outside import HIGH_CARD, ROOT

DARK_MARK = ROOT / "tests" / "packages" / "dark-mark" / "dark_mark"

# Hides every package but those that the library needs.
ALONE = """
import sys
from importlib.metadata import packages_distributions
needed = set({needed!r})
of = packages_distributions()
class Hidden:
    def find_spec(self, name, path=None, target=None):
        owners = {{each.lower() for each in of.get(name.partition(".")[0], ())}} - {{"card-referee"}}
        if owners and not owners & needed:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
"""


def needed(package: str = "card-referee") -> set[str]:
    """Return the packages that are installed with this one if no extra is asked for."""
    found: set[str] = set()
    for requirement in map(Requirement, requires(package) or ()):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            found |= {requirement.name.lower()} | needed(requirement.name)
    return found


def alone(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    script = ALONE.format(needed=sorted(needed())) + code
    command = [sys.executable, "-c", script, *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


MAIN = "from referee.cli.command import main; main()"


def test_the_library_needs_at_most_eight_packages() -> None:
    assert len(needed()) <= 8, sorted(needed())


@pytest.mark.parametrize("words", [["rulesets"], ["rules", "pies"], ["random", "pedro", "--seats", "4"]])
def test_the_command_works_without_the_service(words: list[str]) -> None:
    done = alone(MAIN, *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_command_verifies_without_the_service() -> None:
    record = next((ROOT / "tests/records/pies").glob("*.json"))
    done = alone(MAIN, "verify", str(record))
    assert done.returncode == 0, done.stderr


def test_what_needs_an_extra_names_it() -> None:
    done = alone(MAIN, "witness", "http://127.0.0.1:9", "--count")
    assert done.returncode == 1
    assert "pip install card-referee-witness" in done.stderr


def test_importing_the_library_imports_nothing_that_is_slow() -> None:
    slow = ["asyncio", "click", "cryptography", "multiprocessing"]
    done = alone(f"import json, referee; print(json.dumps([one for one in {slow} if one in sys.modules]))")
    assert json.loads(done.stdout) == [], done.stderr


@pytest.mark.long
def test_the_library_is_installed_and_imported_by_itself(tmp_path: Path) -> None:
    """Fails if importing takes more than 0.3 s of processor time, or if a package has no types to check."""
    run = subprocess.check_call
    run([sys.executable, "-m", "venv", str(tmp_path)])
    python = str(tmp_path / "bin" / "python")
    library = assemble(ROOT, tmp_path / "parts")[0]
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(library)])
    names = (
        "import importlib.util as u; print([n for n in ('api', 'migrations', 'witness') if u.find_spec(n)])"
    )
    assert subprocess.check_output([python, "-c", names], cwd=tmp_path / "bin") == b"[]\n"
    assert not (tmp_path / "bin" / "referee-api").exists()
    listed = json.loads(subprocess.check_output([python, "-m", "pip", "list", "--format", "json"]))
    assert len({each["name"] for each in listed} - {"card-referee", "pip", "setuptools"}) <= 8
    code = "import time, sys; began = time.process_time(); import referee; print(time.process_time() - began)"
    taken = [float(subprocess.check_output([python, "-c", code], cwd=tmp_path)) for _ in range(5)]
    assert min(taken) <= 0.3
    assert b"pies" in subprocess.check_output([str(tmp_path / "bin" / "referee"), "rulesets"], cwd=tmp_path)
    check = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    run([*check, "--python-executable", python, str(HIGH_CARD), str(DARK_MARK)], cwd=tmp_path)
