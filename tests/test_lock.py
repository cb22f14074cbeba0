"""One number for a release, and lock files that have all that is needed, agree, and can be installed."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from importlib.metadata import requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from api.core import VERSION
from api.core.release import release

ROOT = Path(__file__).parents[1]
LOCKS = {"server": "requirements.lock", "dev": "requirements-dev.lock"}
OURS = "card-referee"


def pins(lock: str) -> dict[str, str]:
    """Return what a lock file installs here: by name, the version."""
    lines = re.findall(r"^(\S+==.+?) \\$", (ROOT / lock).read_text("utf-8"), re.MULTILINE)
    here = [each for each in map(Requirement, lines) if each.marker is None or each.marker.evaluate()]
    return {canonicalize_name(each.name): str(each.specifier).removeprefix("==") for each in here}


def asked_by(package: str, extras: set[str]) -> list[Requirement]:
    """Return what an installed package asks for, with these extras."""
    every = map(Requirement, requires(package) or ())
    return [
        each
        for each in every
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in {"", *extras})
    ]


def all_demands(extra: str) -> dict[str, list[Requirement]]:
    """Return what an extra needs, directly or not: by name, what each of those who need it demands."""
    found: dict[str, list[Requirement]] = {}
    left, known = [Requirement(f"{OURS}[{extra}]")], set()
    while left:
        wanted = left.pop()
        name = canonicalize_name(wanted.name)
        found.setdefault(name, []).append(wanted)
        if (name, *sorted(wanted.extras)) not in known:
            known.add((name, *sorted(wanted.extras)))
            left += asked_by(name, wanted.extras)
    del found[OURS]
    return found


@pytest.mark.parametrize(("extra", "lock"), LOCKS.items())
def test_the_lock_has_what_is_needed_in_allowed_versions(extra: str, lock: str) -> None:
    demands, locked = all_demands(extra), pins(lock)
    assert len(demands) > 40
    assert sorted(set(demands) - set(locked)) == [], "run `make lock`"
    wrong = [
        f"{name} {locked[name]}: {one}"
        for name, asked in demands.items()
        for one in asked
        if not one.specifier.contains(locked[name], prereleases=True)
    ]
    assert wrong == [], "run `make lock`"


@pytest.mark.parametrize("lock", [LOCKS["server"], "requirements-uv.lock"])
def test_the_lock_files_agree(lock: str) -> None:
    assert pins(lock).items() <= pins(LOCKS["dev"]).items(), "run `make lock`"


def test_what_is_installed_here_is_what_is_locked() -> None:
    locked = pins(LOCKS["dev"])
    here = {name: version(name) for name in all_demands("dev")}
    assert here == {name: locked[name] for name in here}


@pytest.mark.parametrize(
    "package", ["tests/contract/typescript", "clients/typescript", "bench/peers/boardgame"]
)
def test_packages_from_npm_are_locked(package: str) -> None:
    """Nothing of the lock says where it came from, so that any registry serves, and hashes say what it is."""
    declared = json.loads((ROOT / package / "package.json").read_text("utf-8"))
    locked = json.loads((ROOT / package / "package-lock.json").read_text("utf-8"))["packages"]
    for kind in ("dependencies", "devDependencies"):
        assert locked[""].get(kind) == declared.get(kind), "run `make lock`"
    others = {name: each for name, each in locked.items() if name}
    assert [name for name, each in others.items() if "integrity" not in each or "resolved" in each] == []


@pytest.mark.long
def test_the_service_can_be_installed_from_the_lock(tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    done = subprocess.run(
        [ROOT / "deploy" / "install.sh", environment, ROOT / LOCKS["server"]], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    checked = subprocess.run([environment / "bin" / "pip", "check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    shown = subprocess.run([environment / "bin" / "referee-api", "--version"], cwd=tmp_path, check=True)
    assert shown.returncode == 0
    assert list(environment.glob("lib/*/site-packages/api/__pycache__/app.*.pyc")), "it starts quickly"
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    written = (environment / "share" / "card-referee" / "commit").read_text().strip()
    assert head.stdout.startswith(written.removesuffix("-dirty"))
    assert len(written) >= 12


def version_in(file: str) -> str:
    """Return the version of a package by its file."""
    text = (ROOT / file).read_text()
    return str(
        json.loads(text)["version"] if file.endswith("json") else tomllib.loads(text)["project"]["version"]
    )


def test_service_library_and_clients_have_the_version_of_the_api() -> None:
    files = ("pyproject.toml", "clients/python/pyproject.toml", "clients/typescript/package.json")
    assert {release(), *map(version_in, files)} == {VERSION}
    assert f"## {VERSION} (schema" in (ROOT / "CHANGELOG.md").read_text()
