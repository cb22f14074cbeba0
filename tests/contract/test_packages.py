"""The packages as they are published: built, installed in fresh environments, their quickstarts run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.core import VERSION
from tests.campaigns import following
from tests.contract.sdks import CLIENTS, NPM, play, readme
from tests.servers.serving import Server, free_directory, start
from tests.support.node import NODE_PACKAGES, run

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
BUILD, EXAMPLES = ROOT / "build", ROOT / "examples" / "integration"
PACKAGES, ENVIRONMENTS = BUILD / "packages", BUILD / "environments"


@pytest.fixture(scope="module")
def installed() -> Iterator[Server]:
    """Run the server of the wheel."""
    program = ENVIRONMENTS / "card-referee-server" / "bin" / "referee-api"
    assert program.exists(), "run: make packages"
    with free_directory() as directory:
        server = start(directory, program=program, ALLOW_PRIVATE_WEBHOOKS="true")
        try:
            yield server
        finally:
            server.stop()


def test_the_specification_comes_with_the_wheel(installed: Server) -> None:
    """Also if root starts the server, and an account without rights serves it."""
    assert httpx.get(f"{installed.url}/openapi.yaml").content == (ROOT / "openapi.yaml").read_bytes()


def test_contributings_lines_work_in_a_plain_environment(tmp_path: Path) -> None:
    """All but the last one, which starts a server: that has packages of its own, which a sentence names."""
    guide = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    lines = re.findall(r"```sh\n(referee new high_card.*?)```", guide, re.DOTALL)[0].splitlines()
    assert lines.pop() == "referee-api serve --data-dir data"
    run(sys.executable, "-m", "venv", tmp_path / "plain", directory=tmp_path)
    script = "\n".join(
        ["set -e", f". {tmp_path}/plain/bin/activate", f"pip install -q {BUILD}/source", *lines]
    )
    said = run("bash", "-c", script, directory=tmp_path)
    assert "2 passed, 0 failed" in said
    done = subprocess.run(
        [tmp_path / "plain" / "bin" / "referee-api", "keys", "list"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "pip install '.[server]'" in done.stderr


def test_the_python_quickstart_runs_from_the_wheels(installed: Server, tmp_path: Path) -> None:
    (tmp_path / "quickstart.py").write_text(readme("python", "python")[0])
    python = ENVIRONMENTS / "card-referee-client" / "bin" / "python"
    play([python, "quickstart.py"], installed, installed.url, tmp_path)


@pytest.mark.parametrize("guide", ["from-boardgame-io", "from-lichess"])
def test_the_programs_of_the_guides_run(installed: Server, tmp_path: Path, guide: str) -> None:
    (program,) = re.findall(
        r"```python\n(.*?)```", next(ROOT.glob(f"docs/*/{guide}.md")).read_text(), re.DOTALL
    )
    (tmp_path / "program.py").write_text(program)
    known = {"CARD_REFEREE_URL": installed.url, "CARD_REFEREE_KEY": installed.key}
    python = ENVIRONMENTS / "card-referee-client" / "bin" / "python"
    said = run(python, "program.py", directory=tmp_path, **known).split()
    assert said[0] in ("moved", "True")


# Their code is one program in each language, in the order of a day's work.
CONTINUED = (
    "first-game",
    "players-and-data",
    "lobby",
    "embedding",
    "webhooks",
    "play-by-post",
    "feeds",
    "going-live",
)
EMBEDDING = ROOT / "api" / "features" / "site" / "embedding.md"


def guides_code(language: str) -> str:
    """Return the code of the guides in a language, together."""
    code = []
    for name in CONTINUED:
        text = (EMBEDDING if name == "embedding" else next(ROOT.glob(f"docs/*/{name}.md"))).read_text()
        python = re.search(r"```python\n.*?```\n```ts\n.*?```\n```sh\n.*?```\n", text, re.DOTALL)
        assert python, f"{name} has no code in three languages"
        code += re.findall(rf"```{language}\n(.*?)```", python[0], re.DOTALL)
    return "".join(code)


def follow_the_guides(command: Sequence[object], server: Server, directory: Path) -> None:
    """Run a program of the guides; check that it went to the end."""
    known = {"CARD_REFEREE_URL": server.url, "CARD_REFEREE_KEY": server.key}
    said = run(*command, directory=directory, **known)
    assert "common.not_held" in said
    assert "crp_" in said
    assert "matched" in said
    assert re.search(r"in advance: .*play", said)
    assert "resigned" in said
    assert said.strip().lower().endswith(("true and verified true", "true and verified")), said[-300:]


def test_the_code_of_the_guides_in_python(installed: Server, tmp_path: Path) -> None:
    (tmp_path / "guides.py").write_text(guides_code("python"))
    python = ENVIRONMENTS / "card-referee-client" / "bin" / "python"
    run(
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--python-executable",
        python,
        "guides.py",
        directory=tmp_path,
    )
    follow_the_guides([python, "guides.py"], installed, tmp_path)


def test_the_code_of_the_guides_with_curl(installed: Server, tmp_path: Path) -> None:
    (tmp_path / "guides.sh").write_text(guides_code("sh"))
    follow_the_guides(["sh", "-eu", "guides.sh"], installed, tmp_path)


def spend_a_day(command: Sequence[object], server: Server, directory: Path) -> None:
    """Run the program of an app's day; check that everything in it has happened."""
    known = {"CARD_REFEREE_URL": server.url, "CARD_REFEREE_KEY": server.key}
    lines = run(*command, directory=directory, **known).splitlines()
    assert "notified of game.finished" in lines
    assert "/web/embed.js" in lines[0]
    [(mirrored, whole)] = [re.findall(r"[0-9]+", line) for line in lines if line.startswith("mirrored")]
    assert int(mirrored) == int(whole) > 10
    assert lines[-1].lower() == "verified true and notified true"


def test_an_apps_day_in_python(installed: Server, tmp_path: Path) -> None:
    program = (EXAMPLES / "day.py").read_text()
    assert len(program.splitlines()) <= 60
    (tmp_path / "day.py").write_text(program)
    spend_a_day([ENVIRONMENTS / "card-referee-client" / "bin" / "python", "day.py"], installed, tmp_path)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a TypeScript project with the npm package, and the programs compiled strictly."""
    directory = tmp_path_factory.mktemp("project")
    configuration = json.loads((Path(__file__).parent / "typescript" / "tsconfig.json").read_text())
    (directory / "tsconfig.json").write_text(json.dumps({**configuration, "include": ["*.ts"]}))
    (directory / "package.json").write_text('{"type": "module", "private": true}')
    (directory / "quickstart.ts").write_text(readme("typescript", "ts")[0])
    (directory / "day.ts").write_text((EXAMPLES / "day.ts").read_text())
    (directory / "guides.ts").write_text(guides_code("ts"))
    modules = directory / "node_modules"
    modules.mkdir()
    for package in (ENVIRONMENTS / "npm" / "node_modules").iterdir():
        (modules / package.name).symlink_to(package)
    for name in ("@types", "undici-types"):
        (modules / name).symlink_to(NODE_PACKAGES / "node_modules" / name)
    run(NODE_PACKAGES / "node_modules" / ".bin" / "tsc", "--project", ".", directory=directory)
    return directory


@pytest.mark.node
def test_the_npm_package_is_built_and_runs_nothing(tmp_path: Path) -> None:
    """Whoever installs it, and any other package later, needs neither our tools nor the specification."""
    project = tmp_path / "project"
    shutil.copytree(ENVIRONMENTS / "npm", project)
    package = project / "node_modules" / "card-referee-client"
    assert "scripts" not in json.loads((package / "package.json").read_text())
    files = sorted(file.name for file in package.iterdir())
    assert files == ["CHANGELOG.md", "README.md", "dist", "package.json"]
    other = tmp_path / "other"
    other.mkdir()
    (other / "package.json").write_text('{"name": "other", "version": "1.0.0"}')
    flags = ("--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error")
    run(*NPM, "install", *flags, other, directory=project)
    assert (package / "dist" / "index.js").exists()


@pytest.mark.node
def test_an_apps_day_in_typescript(installed: Server, project: Path) -> None:
    assert len((EXAMPLES / "day.ts").read_text().splitlines()) <= 60
    spend_a_day(["node", "--preserve-symlinks", "out/day.js"], installed, project)


@pytest.mark.node
def test_the_code_of_the_guides_in_typescript(installed: Server, project: Path) -> None:
    follow_the_guides(["node", "--preserve-symlinks", "out/guides.js"], installed, project)


@pytest.mark.node
def test_the_typescript_quickstart_runs_from_the_npm_package(installed: Server, project: Path) -> None:
    play(["node", "--preserve-symlinks", "out/quickstart.js"], installed, installed.url, project)


@pytest.mark.node
def test_streams_of_both_clients_have_every_entry_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m tests.campaigns.following --minutes 120` is the long version."""
    monkeypatch.setattr(following, "EVERY", 10.0)
    said, found = following.run(minutes=0.5, seed=3, most=3.0)
    assert found == [], said


def test_the_referee_of_the_wheel_verifies_a_record(installed: Server, tmp_path: Path) -> None:
    """The command line works in an environment that has only the wheel."""
    referee = ENVIRONMENTS / "card-referee" / "bin" / "referee"
    record = run(referee, "random", "cats_and_dogs", "--seats", "3", directory=tmp_path)
    (tmp_path / "game.json").write_text(record)
    done = subprocess.run([referee, "replay", "game.json"], cwd=tmp_path, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("card-referee", "cryptography"),
        ("card-referee-witness", "requests"),
        ("card-referee-server", "Flask"),
        ("card-referee-client", "httpx"),
        ("card-referee-client-npm", "eventsource-parser"),
    ],
)
def test_every_package_has_a_bill_of_its_materials(name: str, part: str) -> None:
    bill: dict[str, Any] = json.loads((PACKAGES / f"{name}.cdx.json").read_text())
    assert bill["bomFormat"] == "CycloneDX"
    assert part.lower() in {component["name"].lower() for component in bill["components"]}
    assert str(BUILD.parent) not in json.dumps(bill), "the bill names a folder of this machine"


def test_the_clients_have_the_version_of_the_api() -> None:
    python = tomllib.loads((CLIENTS / "python" / "pyproject.toml").read_text())["project"]["version"]
    typescript = json.loads((CLIENTS / "typescript" / "package.json").read_text())["version"]
    changes = [
        re.findall(r"^## (.+)$", (CLIENTS / language / "CHANGELOG.md").read_text(), re.MULTILINE)[0]
        for language in ("python", "typescript")
    ]
    assert {python, typescript, *changes} == {VERSION}
    assert {file.name for file in PACKAGES.iterdir() if VERSION in file.name} >= {
        f"card_referee_client-{VERSION}-py3-none-any.whl",
        f"card-referee-client-{VERSION}.tgz",
    }
