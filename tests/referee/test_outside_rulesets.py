"""Rulesets of other packages at the command line: what the core enforces, and how mistakes are told."""

from __future__ import annotations

import json
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
import yaml

from referee import Seeded, Transfer, deal
from referee.engine import registry
from referee.games import GAMES
from referee.positions import NOBODY
from referee.records import account
from referee.workshop import installed
from referee.workshop.declarations import faults
from tests.servers.outside import ROOT, install, referee, source

MISTAKES = yaml.safe_load((ROOT / "tests" / "packages" / "mistakes.yaml").read_text("utf-8"))

# A move that a seat may make out of turn, beside one that it may not.
KNOCK = (
    "BLOCKS = (PLAY,)",
    'BLOCKS = (PLAY, ref.move_type("knock", "play", lambda *_: None, out_of_turn=True))',
)


def answers(folder: Path, command: str, *questions: dict[str, Any]) -> list[dict[str, Any]]:
    done = referee(folder, command, lines=questions)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def dealt(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    folder = install(tmp_path, source(KNOCK))
    (answer,) = answers(folder, "deal", {"ruleset": "high_card", "seats": 3, "options": {}, "seed": "07"})
    return folder, answer["position"]


def test_out_of_turn_a_seat_makes_only_moves_declared_so(dealt: tuple[Path, dict[str, Any]]):
    folder, position = dealt
    waited_for = position["to_act"][0]
    other = (waited_for + 1) % 3
    card = position["zones"][f"hand.{other}"][0]
    question = {"position": position, "seat": other, "seed": "07"}
    played, knocked, unknown = answers(
        folder,
        "judge",
        {**question, "move": {"type": "play", "card": card}},
        {**question, "move": {"type": "knock"}},
        {**question, "move": {"type": "sing"}},
    )
    assert played["verdict"]["rule"] == "common.turn"
    assert knocked["verdict"] == {"legal": True}
    assert unknown["verdict"]["rule"] == "common.unknown_move"
    mine, theirs = answers(
        folder, "legal", {"position": position, "seat": other}, {"position": position, "seat": waited_for}
    )
    assert mine["legal"] == [{"type": "knock"}]
    assert len(theirs["legal"]) == 6


WATCHED = (
    ("    stock: Zone = zone(NOBODY", '    stock: Zone = zone("watchers"'),
    (
        '    leader: int = fact(ref.seat_number, "who leads the current trick")',
        '    leader: int = fact(ref.seat_number, "who leads the current trick")\n'
        '    watchers: list[int] = fact(ref.seat_list, "who sees the stock")',
    ),
    ("    cards = chance", "    state.watchers = [0, state.seats - 1]\n    cards = chance"),
    ('ROLES = {"leader": "seat"}', 'ROLES = {"leader": "seat"}\nWORDS = {"watchers": "Watching: {}"}'),
)


def test_several_seats_can_see_a_zone(tmp_path: Path):
    folder = install(tmp_path, source(*WATCHED))
    (dealt,) = answers(folder, "deal", {"ruleset": "high_card", "seats": 4, "options": {}, "seed": "07"})
    position = dealt["position"]
    views = answers(folder, "view", *({"position": position, "seat": seat} for seat in (0, 1, 2, 3, None)))
    stock = position["zones"]["stock"]
    shown = [stock, {"count": len(stock)}, {"count": len(stock)}, stock, {"count": len(stock)}]
    assert [view["view"]["zones"]["stock"] for view in views] == shown
    alone = {**position, "facts": {**position["facts"], "watchers": [3]}}
    (view,) = answers(folder, "view", {"position": alone, "seat": 0})
    assert view["view"]["zones"]["stock"] == {"count": len(stock)}, "not kept anywhere else"
    done = referee(folder, "test", "high_card")
    assert done.returncode == 0, done.stdout


def test_each_of_several_viewers_has_a_share_of_an_entry():
    state, _ = deal("cats_and_dogs", 4, {}, Seeded(b"key"))
    transfer = Transfer("out", "trick", ["C1"], NOBODY, (0, 2))
    public, private = account(state, None, [transfer])
    assert public["transfers"][0]["cards"] == [None]
    assert [share["transfers"][0]["cards"] for share in private.values()] == [["C1"], ["C1"]]
    assert list(private) == ["0", "2"]


def test_a_random_game_asks_other_seats_only_for_moves_out_of_turn(dealt: tuple[Path, dict[str, Any]]):
    folder, _ = dealt
    done = referee(folder, "random", "high_card", "--seats", "3", "--max-moves", "400")
    assert done.returncode == 0, done.stderr
    (folder / "record.json").write_text(done.stdout)
    assert "FAIL" not in referee(folder, "verify", str(folder / "record.json")).stdout


def test_a_game_that_ends_for_a_reason_that_is_not_declared_says_so(tmp_path: Path):
    folder = install(tmp_path, source(('"most_tricks": "the most tricks", ', "")))
    done = referee(folder, "test", "high_card")
    assert done.returncode == 1
    assert "high_card declares no reason 'most_tricks' in REASONS" in done.stdout


def test_a_position_with_a_reason_that_is_not_declared_is_refused(dealt: tuple[Path, dict[str, Any]]):
    folder, position = dealt
    result = {"winners": [0], "losers": [1, 2], "reason": "because"}
    over = {**position, "phase": "over", "to_act": [], "result": result}
    done = referee(folder, "view", lines=[{"position": over, "seat": 0}])
    assert json.loads(done.stdout)["error"]["detail"] == (
        "result.reason: must be one of most_tricks, tie, resigned, timed_out"
    )
    strange = {
        **position,
        "phase": "over",
        "to_act": [],
        "result": {**result, "reason": "resigned", "more": True},
    }
    done = referee(folder, "view", lines=[{"position": strange, "seat": 0}])
    assert "result.more" in json.loads(done.stdout)["error"]["detail"]


def loaded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Load the package of a folder, as `register_installed` does; return what is told of it."""
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "high_card", raising=False)
    monkeypatch.setattr(registry, "BROKEN_RULESETS", {})
    monkeypatch.setattr(
        installed, "entry_points", lambda group: [EntryPoint("high_card", "high_card", group)]
    )
    installed.register_installed()
    sys.modules.pop("high_card", None)
    return registry.BROKEN_RULESETS.get("high_card", "").splitlines()


# --- mistakes in declarations ---------------------------------------------------------------------------
@pytest.mark.parametrize("mistake", MISTAKES["mistakes"], ids=lambda each: each["name"])
def test_a_mistake_in_a_declaration_is_told_with_the_line_to_mend(
    tmp_path: Path, mistake: dict[str, Any], monkeypatch: pytest.MonkeyPatch
):
    change = mistake["old"], mistake["new"]
    code = source(change)
    told = loaded(install(tmp_path, code), monkeypatch)
    line = next((line for line in told if f": {mistake['at']}: " in line), "")
    assert line, told
    for word in mistake["told"]:
        assert word in line
    if change[1]:  # else the line is gone
        number = int(line.split("__init__.py:")[1].split(":")[0])
        assert change[1].strip().splitlines()[-1] in "\n".join(code.splitlines()[number - 1 : number + 11])


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.ID)
def test_the_games_of_this_repository_have_no_such_mistake(game: Any):
    assert faults(game) == []


def test_all_mistakes_are_told_together(tmp_path: Path):
    code = source(
        ("PASSIVE: dict[str, str] = {}", 'PASSIVE = {"pley": "play"}'),
        ('"leader": "seat"', '"leader": "saet"'),
    )
    done = referee(install(tmp_path, code), "rulesets")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: the ruleset high_card (high_card) cannot be loaded:\n")
    assert "Traceback" not in done.stderr
    assert "'pley'" in done.stderr
    assert "'saet'" in done.stderr


def test_a_package_without_its_rules_is_told(tmp_path: Path):
    done = referee(install(tmp_path, source(), rules=None), "rulesets")
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "rules/high_card.md" in done.stderr
    assert "is missing" in done.stderr


def test_a_package_that_cannot_be_imported_is_told(tmp_path: Path):
    done = referee(install(tmp_path, source(("DECK = french()", "DECK = frensh()"))), "rulesets")
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "frensh" in done.stderr
    assert "__init__.py:" in done.stderr


def test_an_entry_point_that_names_no_module_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(registry, "BROKEN_RULESETS", {})
    monkeypatch.setattr(installed, "entry_points", lambda group: [EntryPoint("odd", "no module!", group)])
    installed.register_installed()
    assert (
        "odd (no module!) cannot be loaded:\nits entry point must name a module"
        in registry.BROKEN_RULESETS["odd"]
    )


def test_a_module_of_the_referee_is_imported_as_one(tmp_path: Path):
    line = "from referee.cards import by_rank, spoken, strengths"
    code = source((line, f"import referee.cards as french_cards\n{line}\nassert french_cards.RANKS"))
    done = referee(install(tmp_path, code), "rulesets")
    assert done.returncode == 0, done.stderr
    assert "high_card\t1" in done.stdout


# --- mistakes in functions ------------------------------------------------------------------------------
@pytest.mark.parametrize("fault", MISTAKES["faults"], ids=lambda each: each["name"])
def test_random_tells_faults_of_a_ruleset_apart(tmp_path: Path, fault: dict[str, Any]):
    change = fault["old"], fault["new"]
    done = referee(install(tmp_path, source(change)), "random", "high_card", "--seats", "3", "--seed", "07")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    for word in fault["told"]:
        assert word in done.stderr, done.stderr


@pytest.mark.parametrize("name", ["json", "referee", "flask", "import", "types", "tests"])
def test_a_ruleset_is_not_named_like_a_module_that_exists(tmp_path: Path, name: str):
    done = referee(tmp_path, "new", name, "--into", str(tmp_path))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "name" in done.stderr
    assert not list(tmp_path.iterdir())
