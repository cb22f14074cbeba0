"""Rulesets in packages: installed, played, documented and verified offline; games keep their version."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from api.features.specification.specification import spec
from tests.referee.ageing import FIRST_VERSION, SECOND_VERSION, on_offer
from tests.servers.receiver import eventually
from tests.servers.serving import TIMEOUT, Server, environment, free_directory, serve
from tests.support.callers import Caller, new_game
from tests.support.packages import play

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "tests" / "packages" / "high-card"


def command(where: Path, *words: str, **more: str) -> str:
    """Run a command of this environment; return its output."""
    bin_folder = Path(sys.executable).parent
    done = subprocess.run(
        words,
        cwd=where,
        env=environment(**{"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}", **more}),
        capture_output=True,
        text=True,
        timeout=TIMEOUT * 2,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def plugins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder into which the package was installed."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(PACKAGE, folder / "high-card")  # a build writes into its source folder
    pip = "-m pip install --quiet --no-deps --no-index --no-build-isolation --target plugins ./high-card"
    command(folder, sys.executable, *pip.split())
    return folder / "plugins"


def in_the_docs(server: Server, ruleset: str, name: str) -> None:
    """Check that the ruleset is listed, described and explained."""
    with httpx.Client(base_url=server.url, timeout=TIMEOUT) as http:
        offered = http.get("/v1/rulesets").json()["items"]
        assert ruleset in [one["id"] for one in offered]
        assert name in http.get("/docs/rules").text
        page = http.get(f"/docs/rules/{ruleset}").text
        assert f"{ruleset}.follow" in page
        # The worker writes the specification after it has started.
        assert eventually(lambda: http.get("/openapi.yaml").status_code == 200)
        assert ruleset in http.get("/openapi.yaml").text


@pytest.mark.long
def test_an_installed_ruleset_is_played_over_http_documented_and_verified(plugins: Path, tmp_path: Path):
    paths = f"{plugins}{os.pathsep}{ROOT}"
    with free_directory() as data_dir, serve(data_dir, PYTHONPATH=paths, COMPUTE_WORKERS="0") as server:
        record = play(server, "high_card", 3)
        in_the_docs(server, "high_card", "High Card")
    assert record["result"]["reason"] in ("most_tricks", "tie")
    (tmp_path / "record.json").write_text(json.dumps(record))
    referee = [sys.executable, "-c", "from referee.cli import main; main()"]
    assert "FAIL" not in command(tmp_path, *referee, "verify", "record.json", PYTHONPATH=paths)
    for golden in sorted((PACKAGE / "records").rglob("*.json")):
        assert "FAIL" not in command(tmp_path, *referee, "verify", str(golden), PYTHONPATH=paths)
    assert "1 passed, 0 failed" in command(
        tmp_path, *referee, "check", str(PACKAGE / "scenarios"), PYTHONPATH=paths
    )


def test_without_its_package_a_ruleset_is_unknown():
    assert "high_card" not in command(
        ROOT, sys.executable, "-c", "from referee.cli import main; main()", "rulesets"
    )


def test_an_error_names_a_package_that_is_not_a_ruleset(plugins: Path, tmp_path: Path):
    broken = tmp_path / "broken"
    shutil.copytree(plugins, broken)
    module = broken / "high_card" / "__init__.py"
    module.write_text(module.read_text().replace("def ending(", "def end("))
    done = subprocess.run(
        [sys.executable, "-c", "from referee.cli import main; main()", "rulesets"],
        env=environment(PYTHONPATH=f"{broken}{os.pathsep}{ROOT}"),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    assert done.returncode == 1
    assert "the ruleset high_card (high_card) cannot be loaded:" in done.stderr
    assert "high_card/__init__.py: ending: is missing" in done.stderr


@pytest.mark.long
def test_contributing_leads_to_a_ruleset_that_can_be_played(tmp_path: Path):
    """It runs the commands of CONTRIBUTING.md as written; the last one is the server."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    lines = text.split("```sh\nreferee new")[1].split("```")[0].splitlines()
    lines[0] = f"referee new{lines[0]}"
    assert lines[-1] == "referee-api serve --data-dir data"
    script = "\n".join(["set -e", *lines[:-1]])
    printed = command(tmp_path, "bash", "-c", script)
    assert "high_card\t1\t2,3,4\tHigh Card" in printed
    assert " passed, 0 failed" in printed
    assert "FAIL" not in printed
    module = tmp_path / "high-card" / "high_card" / "__init__.py"
    module.write_text(module.read_text().replace('"High Card", (2', '"Highest Card", (2'))
    again = next(line for line in lines if line.startswith("pip install"))
    shown = command(tmp_path, "bash", "-c", f"{again}; PYTHONPATH=plugins referee rulesets")
    assert "high_card\t1\t2,3,4\tHighest Card" in shown
    with free_directory() as data_dir:  # a path short enough for the database's socket
        paths = f"{tmp_path / 'plugins'}{os.pathsep}{ROOT}"
        with serve(data_dir, PYTHONPATH=paths, COMPUTE_WORKERS="0") as server:
            in_the_docs(server, "high_card", "Highest Card")
            assert play(server, "high_card", 2)["result"] is not None


def play_to_the_end(players: list[Caller], path: str) -> None:
    """Play on: the seat to act always plays its lowest card."""
    while (game := players[0].get(path).json)["status"] == "running":
        mover = players[game["to_act"][0]]
        move = mover.get(f"{path}/legal-moves").json["moves"][0]
        assert mover.post(f"{path}/moves", {"move": move}).status_code == 201


def test_an_old_game_goes_on_under_its_old_rules(host: Caller, four: list[Caller]) -> None:
    spec()  # a process makes it once: later tests want it without this ruleset
    two = four[:2]
    with on_offer(FIRST_VERSION):
        old = new_game(host, two, ruleset="lofty")
        assert old["ruleset_version"] == 1
    with on_offer(FIRST_VERSION, SECOND_VERSION):
        new = new_game(host, two, ruleset="lofty")
        assert new["ruleset_version"] == 2
        for game in (old, new):
            path = f"/v1/games/{game['id']}"
            play_to_the_end(two, path)
            record = host.get(f"{path}/record").json
            assert record["version"] == game["ruleset_version"]
            assert host.get(f"{path}/verification").json["ok"]
            assert host.get(f"{path}?version=6").json["ruleset_version"] == game["ruleset_version"]
            other = {name: record[name] for name in ("format", "ruleset", "version", "seats", "options")}
            other |= {"seed": record["seed"][::-1], "moves": [], "ended": {"type": "cancelled"}}
            brought = host.post("/v1/records", other).json
            assert brought["ruleset_version"] == game["ruleset_version"]
            assert host.get(f"/v1/games/{brought['id']}/verification").json["ok"]
            assert not host.post("/v1/referee/replays", {**record, "version": 3}).json.get("ok")
