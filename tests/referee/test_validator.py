"""`referee test`: it passes every game, and finds the mistakes that only playing shows."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from referee.engine import registry
from referee.games import GAMES
from referee.workshop import fingerprint
from referee.workshop.installed import add
from referee.workshop.validator import validate
from tests.outside import HIGH_CARD, ROOT, install, referee, source

LEAKS = yaml.safe_load((ROOT / "tests" / "packages" / "leaks.yaml").read_text("utf-8"))


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that registers High Card after some changes until the test ends."""
    monkeypatch.setattr(registry, "_BY_ID", dict(registry._BY_ID))
    monkeypatch.setattr(registry, "_VERSIONS", dict(registry._VERSIONS))
    monkeypatch.delitem(sys.modules, "high_card", raising=False)

    def loaded(*changes: tuple[str, str]) -> Any:
        monkeypatch.syspath_prepend(install(tmp_path, source(*changes)))
        module = importlib.import_module("high_card")
        monkeypatch.setitem(sys.modules, "high_card", module)
        add(module)  # type: ignore[arg-type]
        return module

    yield loaded
    sys.modules.pop("high_card", None)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.ID)
def test_every_game_passes(game: Any) -> None:
    failed = [outcome for outcome in validate(game, games=1, most=12) if not outcome.ok]
    assert failed == []


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak["name"])
def test_a_mistake_is_found_and_what_to_mend_is_named(load: Any, leak: dict[str, Any]) -> None:
    module = load(*map(tuple, leak["changes"]))
    found = {name: detail for name, detail, ok in validate(module) if not ok}
    assert leak["check"] in found, found
    where, _, told = found[leak["check"]].partition(": ")
    assert where.rpartition(":")[0] == module.__file__
    assert told.startswith(f"{leak['at']}:")


def test_an_installed_package_passes_at_the_command_line(tmp_path: Path) -> None:
    folder = install(tmp_path, source())
    done = referee(folder, "test", "high_card", "--scenarios", str(HIGH_CARD.parent / "scenarios"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert {line[:6] for line in done.stdout.splitlines()[:-1]} == {"ok    "}


def test_a_mistake_gives_exit_status_1_and_no_traceback(tmp_path: Path) -> None:
    folder = install(tmp_path, source(*map(tuple, LEAKS[8]["changes"])))
    done = referee(folder, "test", "high_card")
    assert done.returncode == 1
    assert "FAIL  endings: " in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_released_version_that_plays_otherwise_is_noticed(load: Any) -> None:
    module = load()
    assert fingerprint.compared(module).ok, "not released yet"
    assert fingerprint.kept(module).ok
    assert fingerprint.compared(module).ok
    module.HAND = 4
    assert not fingerprint.compared(module).ok
    assert not fingerprint.kept(module).ok, "a fingerprint is never replaced"


RELEASED = sorted(path.stem for path in (ROOT / "referee" / "games" / "rules").glob("*.sha256"))


def test_nine_games_are_released() -> None:
    assert len(RELEASED) >= 9


@pytest.mark.parametrize("name", RELEASED)
def test_a_released_game_plays_as_it_was_released(name: str) -> None:
    outcome = fingerprint.compared(registry.find(name))
    assert outcome.ok, outcome.detail
