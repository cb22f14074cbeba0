"""requirements.lock: it has all that the service needs, indirectly too, and can be installed."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
OURS = "card-referee"


def pins() -> dict[str, str]:
    found = re.findall(r"^(\S+)==(\S+) \\$", LOCK.read_text("utf-8"), re.MULTILINE)
    return {canonicalize_name(name): version for name, version in found}


def asked_by(package: str, extras: set[str]) -> list[Requirement]:
    """Return what an installed package asks for, with these extras."""
    every = map(Requirement, requires(package) or ())
    return [
        each
        for each in every
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in {"", *extras})
    ]


def all_demands() -> dict[str, list[Requirement]]:
    """Return what the service needs, directly or not: by name, what each of those who need it demands."""
    found: dict[str, list[Requirement]] = {}
    left, known = [Requirement(f"{OURS}[server]")], set()
    while left:
        wanted = left.pop()
        name = canonicalize_name(wanted.name)
        found.setdefault(name, []).append(wanted)
        if (name, *sorted(wanted.extras)) not in known:
            known.add((name, *sorted(wanted.extras)))
            left += asked_by(name, wanted.extras)
    del found[OURS]
    return found


def test_the_lock_has_what_the_service_needs_in_allowed_versions() -> None:
    demands, locked = all_demands(), pins()
    assert len(demands) > 40
    assert sorted(set(demands) - set(locked)) == [], "run `make lock`"
    wrong = [
        f"{name} {locked[name]}: {one}"
        for name, asked in demands.items()
        for one in asked
        if not one.specifier.contains(locked[name], prereleases=True)
    ]
    assert wrong == [], "run `make lock`"


@pytest.mark.long
def test_the_lock_can_be_installed(tmp_path: Path) -> None:
    subprocess.check_call([sys.executable, "-m", "venv", str(tmp_path)])
    pip = [str(tmp_path / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    subprocess.check_call([*pip, "install", "--quiet", "--require-hashes", "-r", str(LOCK)])
    subprocess.check_call([*pip, "install", "--quiet", "--no-deps", str(ROOT)])
    checked = subprocess.run([*pip, "check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
