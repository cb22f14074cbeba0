"""Generated clients play whole games on a running server and import their records on another one."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import referee
from api.features.specification.specification import spec_yaml
from api.http.answers import camel
from tests.servers.serving import Server, free_directory, serve
from tests.support.node import NODE_PACKAGES, run

# `make clients` runs these, with packages from npm.
pytestmark = pytest.mark.long

HERE = Path(__file__).parent
GAMES = [("cats_and_dogs", 3), ("mau_mau", 3), ("pies", 4)]


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Server]:
    """Return another installation without any games."""
    with free_directory() as directory, serve(directory, COMPUTE_WORKERS="0") as running:
        yield running


def whole_game(
    command: Sequence[object],
    servers: tuple[Server, Server],
    ruleset: str,
    seats: int,
    directory: Path,
) -> None:
    known = [part for server in servers for part in (server.url, server.key)]
    summary: Any = json.loads(run(*command, *known, ruleset, seats, 1, directory=directory))
    assert summary["status"] == "finished"
    assert summary["moves"] == summary["record"] > 10
    assert summary["ok"] is True


@pytest.fixture(scope="module")
def python_client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("python")
    (directory / "openapi.yaml").write_text(spec_yaml())
    shutil.copy(HERE / "python" / "play.py", directory)
    flags = ("--meta", "none", "--fail-on-warning", "--config", HERE / "python" / "generator.yaml")
    made = ("--path", "openapi.yaml", "--output-path", "card_referee_client")
    run(
        Path(sys.executable).with_name("openapi-python-client"),
        "generate",
        *flags,
        *made,
        directory=directory,
    )
    return directory


def test_the_python_program_is_well_typed(python_client: Path) -> None:
    # The generated code is not checked: the generator's own client.py fails --strict.
    checker = (sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir=cache")
    run(*checker, "play.py", directory=python_client)
    program = ast.parse((HERE / "python" / "play.py").read_text())
    assert "cast" not in {node.id for node in ast.walk(program) if isinstance(node, ast.Name)}


@pytest.mark.parametrize(("ruleset", "seats"), GAMES)
def test_a_game_in_python(
    python_client: Path, server: Server, elsewhere: Server, ruleset: str, seats: int
) -> None:
    whole_game([sys.executable, "play.py"], (server, elsewhere), ruleset, seats, python_client)


DECODE = """
import json, sys
from card_referee_client.api.referee import list_moves_in_position as listing
from card_referee_client.client import Client
import httpx
for ruleset, answer in json.load(sys.stdin).items():
    said = listing._parse_response(client=Client(base_url=""), response=httpx.Response(200, json=answer))
    print(ruleset, type(said).__name__, *sorted({type(move).__name__ for move in said.moves}))
"""


def test_moves_decode_as_those_of_their_ruleset(python_client: Path) -> None:
    listed = {}
    for game in referee.newest():
        state, _ = referee.deal(game.ID, game.SEATS[0], {}, referee.Seeded(bytes(32)))
        moves = [dict(move) for move in referee.legal_moves(state, state.to_act[0])]
        listed[game.ID] = {"ruleset": game.ID, "moves": moves, "complete": game.COMPLETE}
    program = [sys.executable, "-c", DECODE]
    said = subprocess.run(
        program, input=json.dumps(listed), capture_output=True, text=True, cwd=python_client, check=True
    )
    lines = said.stdout.splitlines()
    assert len(lines) == len(listed)
    for line in lines:
        ruleset, *kinds = line.split()
        assert len(kinds) > 1
        assert all(kind.startswith(camel(ruleset)) for kind in kinds), line


@pytest.fixture(scope="module")
def typescript_client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("typescript")
    shutil.copytree(HERE / "typescript", directory, dirs_exist_ok=True)
    assert (NODE_PACKAGES / "node_modules").is_dir(), "run: make clients"
    (directory / "node_modules").symlink_to(NODE_PACKAGES / "node_modules")
    (directory / "openapi.yaml").write_text(spec_yaml())
    tools = directory / "node_modules" / ".bin"
    run(tools / "openapi-typescript", "openapi.yaml", "--output", "api.d.ts", directory=directory)
    run(tools / "tsc", "--project", ".", directory=directory)
    return directory


@pytest.mark.node
@pytest.mark.parametrize(("ruleset", "seats"), GAMES)
def test_a_game_in_typescript(
    typescript_client: Path, server: Server, elsewhere: Server, ruleset: str, seats: int
) -> None:
    lines = (HERE / "typescript" / "play.ts").read_text().splitlines()
    assert not any(" as " in line for line in lines if not line.startswith("//"))
    whole_game(["node", "out/play.js"], (server, elsewhere), ruleset, seats, typescript_client)
