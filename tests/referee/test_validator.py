"""`referee test`: it passes every game, and finds the mistakes that only playing shows."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from referee import Match, authoring
from referee.engine import registry
from referee.games import GAMES, bisca, pies
from referee.texts.rulebook import guide
from referee.workshop import fingerprint
from referee.workshop.declarations import faults
from referee.workshop.installed import add
from referee.workshop.validator import validate
from tests.servers.outside import HIGH_CARD, ROOT, install, referee, source
from tests.support.packages import RELEASED

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
        add(module)
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


HAS_PASS = ("BLOCKS = (PLAY,)", 'BLOCKS = (PLAY, ref.move_type("pass", "play", _play))')
GUIDE = "Highest wins.\n\n**Aim.** Win.\n\n- `play` — High.\n- `pass` — Low.\n"
UNLIKE = "must have the same paragraphs and tips as rules/high_card.play.md"
GERMAN = "Die höchste gewinnt.\n\n**Ziel.** Gewinnen.\n\n- `play` — Hoch.\n- `pass` — Niedrig.\n"


@pytest.mark.parametrize(
    ("german", "told"),
    [
        (GERMAN.replace("pass", "play"), UNLIKE),
        (GERMAN.replace("**Ziel.** ", ""), UNLIKE),
        (GERMAN.partition("\n- `pass`")[0], UNLIKE),
        (GERMAN.replace(" Hoch.", " "), "has an empty paragraph or tip"),
        (GERMAN.replace(" Gewinnen.", ""), "has an empty paragraph or tip"),
        ("", "has an empty paragraph or tip"),
    ],
)
def test_a_guide_in_another_language_has_all_parts_of_the_english_one(
    load: Any, tmp_path: Path, german: str, told: str
) -> None:
    module = load(HAS_PASS)
    texts = Path(module.__file__).parent / "rules"
    (texts / "high_card.play.md").write_text(GUIDE, "utf-8")
    (texts / "high_card.play.de.md").write_text(GERMAN, "utf-8")
    assert faults(module) == []
    guide.cache_clear()
    assert guide("high_card", 1, "de").summary == "Die höchste gewinnt."
    assert guide("high_card", 1, "es").summary == guide("high_card").summary == "Highest wins."
    (texts / "high_card.play.de.md").write_text(german, "utf-8")
    assert faults(module) == [f"{module.__file__}: rules: rules/high_card.play.de.md {told}"]


def test_the_rules_in_another_language_have_the_ids_of_the_english_ones(load: Any) -> None:
    module = load()
    texts = Path(module.__file__).parent / "rules"
    english = (texts / "high_card.md").read_text("utf-8")
    (texts / "high_card.de.md").write_text(english, "utf-8")
    assert faults(module) == []
    (texts / "high_card.de.md").write_text(english.replace("high_card.follow", "high_card.folgen"), "utf-8")
    told = "rules/high_card.de.md must have the same rules in the same order as rules/high_card.md"
    assert faults(module) == [f"{module.__file__}: rules: {told}"]


def test_a_tip_is_about_a_move_of_the_game(load: Any) -> None:
    module = load()
    english = Path(module.__file__).parent / "rules" / "high_card.play.md"
    english.write_text(GUIDE, "utf-8")
    assert [fault.partition(".md ")[2] for fault in faults(module)] == [
        "has a tip for the move 'pass', which no block has"
    ]


def test_an_installed_package_passes_at_the_command_line(tmp_path: Path) -> None:
    folder = install(tmp_path, source())
    done = referee(folder, "test", "high_card", "--scenarios", str(HIGH_CARD.parent / "scenarios"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert {line[:6] for line in done.stdout.splitlines()[:-1]} == {"ok    "}


def test_recorded_games_beside_the_package_are_verified(tmp_path: Path) -> None:
    folder = install(tmp_path / "project", source())
    golden = (HIGH_CARD.parent / "records" / "high_card" / "tie.json").read_text("utf-8")
    beside = folder / "records" / "high_card"
    beside.mkdir(parents=True)
    (beside / "tie.json").write_text(golden, "utf-8")
    done = referee(folder, "test", "high_card")
    assert "ok    recorded games: 1 are verified" in done.stdout.splitlines(), done.stdout
    (beside / "tie.json").write_text(json.dumps(json.loads(golden) | {"result": None}), "utf-8")
    done = referee(folder, "test", "high_card")
    assert done.returncode == 1
    assert f"FAIL  recorded games: {beside / 'tie.json'}: " in done.stdout
    (beside / "tie.json").write_text("{", "utf-8")
    assert referee(folder, "test", "high_card").returncode == 1


def test_a_mistake_gives_exit_status_1_and_no_traceback(tmp_path: Path) -> None:
    folder = install(tmp_path, source(("state.leader = winner", "state.leader = winner // 0")))
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


def test_nine_games_are_released() -> None:
    assert len(RELEASED) >= 9


@pytest.mark.parametrize("name", RELEASED)
def test_a_released_game_plays_as_it_was_released(name: str) -> None:
    outcome = fingerprint.compared(registry.find(name))
    assert outcome.ok, outcome.detail


def test_a_rule_that_the_text_lacks_or_about_no_field_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    unknown = authoring.rule("bisca.nap", lambda state, seat: False, "no")
    about = authoring.only("bisca.cut_depth", "depth", lambda state, seat: None, "no")
    cut = authoring.move_type("cut", "cut", lambda state, seat, move, chance: None, [unknown, about])
    monkeypatch.setattr(bisca, "BLOCKS", (cut,))
    told = [fault.partition(".py: ")[2] or fault.split(": ", 1)[1] for fault in faults(bisca)]
    assert told == [
        "bisca.nap: refuses cut, which rules/bisca.md lacks or does not mark (refuses)",
        "bisca.cut_depth: is about the field 'depth', which cut lacks",
    ]


def test_a_card_of_several_zones_must_lie_in_one_of_them() -> None:
    field = authoring.Field(authoring.CARD, "a card", zones="hand out")
    block = authoring.move_type("play", "play", lambda *_: None, fields={"card": field})
    state = Match("cats_and_dogs", seats=3, seed=7).state
    held, absent = state.hand[0][0], state.hand[1][0]
    assert not block.broken(state, 0, {"type": "play", "card": held})
    assert not block.broken(state, 0, {"type": "play", "card": state.out[0]})
    assert block.broken(state, 0, {"type": "play", "card": absent})
    assert block.rules[0].id == "common.not_held"
    assert "your hand or the cards out of play" in block.rules[0].words(
        state, 0, {"type": "play", "card": absent}
    )


def test_a_card_that_a_move_names_more_often_than_it_is_held_is_told_so() -> None:
    fields = {"cards": authoring.Field(authoring.CARDS, zones="hand out")}
    block = authoring.move_type("put", "play", lambda *_: None, fields=fields, candidates=lambda *_: [])
    state = Match("cats_and_dogs", seats=3, seed=7).state
    held, out, absent = state.hand[0][0], state.out[0], state.hand[1][0]

    def told(*cards: str) -> str | None:
        move = {"type": "put", "cards": [*cards]}
        return block.rules[0].words(state, 0, move) if block.broken(state, 0, move) else None

    assert told(held) is told(held, out) is None
    assert told(absent) == told(held, absent) == f"{absent!r} is not in your hand or the cards out of play"
    assert told(held, out, held) == f"{held!r} is not in your hand or the cards out of play so often"


def test_blocks_of_one_type_have_the_same_fields_and_no_common_phase() -> None:
    def block(phase: str, **fields: authoring.Field) -> authoring.MoveType:
        return authoring.move_type("bid", phase, lambda *_: None, fields=fields)

    with pytest.raises(ValueError, match="the blocks of bid must have the same fields"):
        authoring.complete(
            {"BLOCKS": [block("early"), block("late", high=authoring.Field(authoring.BOOLEAN))]}
        )
    with pytest.raises(ValueError, match="the blocks of bid must not share a phase"):
        authoring.complete({"BLOCKS": [block("early"), block("early")]})


def test_a_module_is_completed_by_what_its_declarations_say_and_keeps_what_it_defines() -> None:
    module: dict[str, Any] = {"BLOCKS": pies.BLOCKS, "DECK": ("9D",), "team": authoring.across}
    authoring.complete(module)
    assert (module["deck"](4, {}), module["options"](4), module["COMPLETE"]) == (("9D",), {}, True)
    assert (module["team"], module["due"]) == (authoring.across, authoring.to_act)
    assert module["PHASES"] == pies.PHASES
    of_its_own: dict[str, Any] = {"BLOCKS": pies.BLOCKS, "DECK": (), "deck": pies.deck, "COMPLETE": False}
    authoring.complete(of_its_own)
    assert (of_its_own["deck"], of_its_own["COMPLETE"]) == (pies.deck, False)


def test_a_block_creates_each_of_its_moves_once() -> None:
    fields = {"card": authoring.Field(authoring.CARD), "at": authoring.Field(authoring.COUNT)}
    block = authoring.move_type("put", "play", lambda *_: None, fields=fields)
    assert block.moves["9D", 2] == {"type": "put", "card": "9D", "at": 2}
    assert block.moves["9D", 2] is block.moves["9D", 2]
    assert pies.TAKE.move == {"type": "take"}
    with pytest.raises(TypeError):
        pies.TAKE.move["type"] = "add"
