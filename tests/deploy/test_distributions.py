"""What is published: the library alone, the witness and the service beside it, each from the one tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

from deploy.packages import assemble, wheel

ROOT = Path(__file__).parents[2]
TOP = {
    "card_referee": {"referee"},
    "card_referee_witness": {"witness"},
    "card_referee_server": {"api", "migrations"},
}
COMMANDS = {
    "card_referee": {"referee"},
    "card_referee_witness": set(),
    "card_referee_server": {"referee-api"},
}
GAME = """
import json, random, referee
match = referee.Match("pies", seats=4, seed=b"a game")
choose = random.Random(1)
for _ in range(20):
    seat = match.to_act[0]
    match.play(seat, choose.choice(match.legal_moves(seat)))
print(json.dumps([referee.__file__, len(referee.newest()), referee.rules_text("pies")[:6]]))
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("distributions")
    for each in assemble(ROOT, folder / "parts"):
        wheel(each, folder / "wheels")
    return folder / "wheels"


def file_of(wheels: Path, name: str) -> zipfile.ZipFile:
    (file,) = wheels.glob(f"{name}-[0-9]*.whl")
    return zipfile.ZipFile(file)


@pytest.mark.parametrize("name", TOP)
def test_no_wheel_has_top_level_names_of_another(wheels: Path, name: str) -> None:
    names = file_of(wheels, name).namelist()
    tops = {each.partition("/")[0] for each in names}
    assert {top for top in tops if not top.startswith(f"{name}-")} == TOP[name]
    entries = [each for each in names if each.endswith("entry_points.txt")]
    points = "".join(file_of(wheels, name).read(each).decode() for each in entries)
    scripts = points.partition("[console_scripts]")[2].partition("[")[0].split("\n")
    assert {line.partition(" ")[0] for line in scripts if line} == COMMANDS[name]


def test_together_they_have_every_file_of_this_project(wheels: Path) -> None:
    built = {each for name in TOP for each in file_of(wheels, name).namelist()}
    for top in set().union(*TOP.values()):
        here = {str(path.relative_to(ROOT)) for path in (ROOT / top).rglob("*.py")}
        assert here - built == set()
    listed = subprocess.check_output(["git", "ls-files", *set().union(*TOP.values())], cwd=ROOT, text=True)
    texts = {each for each in listed.split() if each.endswith((".md", ".sql", ".js", ".css", ".html", ".po"))}
    assert len(texts) > 100
    assert texts - built == set()


def test_the_service_needs_the_library_of_its_version(wheels: Path) -> None:
    def needs(name: str) -> list[str]:
        wheel_file = file_of(wheels, name)
        (path,) = [each for each in wheel_file.namelist() if each.endswith("dist-info/METADATA")]
        metadata = message_from_string(wheel_file.read(path).decode())
        return [each for each in metadata.get_all("Requires-Dist", []) if "extra ==" not in each]

    assert "card-referee==0.2.0" in needs("card_referee_server")
    witness = needs("card_referee_witness")
    assert "card-referee==0.2.0" in witness
    assert {"flask", "requests"} <= {each.partition(">")[0].partition("<")[0] for each in witness}
    assert [each for each in needs("card_referee") if "flask" in each.lower()] == []
    assert len(needs("card_referee")) <= 6


def test_a_game_is_played_with_the_library_of_the_wheel_alone(wheels: Path, tmp_path: Path) -> None:
    file_of(wheels, "card_referee").extractall(tmp_path)
    env = os.environ | {"PYTHONPATH": str(tmp_path)}
    played = subprocess.check_output([sys.executable, "-c", GAME], cwd=tmp_path, env=env)
    place, games, text = json.loads(played)
    assert place.startswith(str(tmp_path))
    assert (games >= 9, text) == (True, "# Pies")
