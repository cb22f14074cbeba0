"""The rules' texts and the code name the same rules."""

import inspect
import re

import pytest

import referee
from referee.engine.registry import find
from referee.texts.rulebook import COMMON, RULE_ORIGINS, folder, rules, rules_text, words

GAMES = pytest.mark.parametrize("game", referee.newest(), ids=lambda game: game.ID)


def cited(game) -> set[str]:
    """Return every id that occurs as a string in a game's file."""
    return set(re.findall(rf'"({game.ID}\.[a-z0-9_]+)"', inspect.getsource(game)))


@GAMES
def test_every_rule_that_the_code_cites_is_in_the_text_as_one_that_refuses_and_no_other(game):
    assert {rule.id for rule in rules(game.ID) if rule.refuses} == cited(game) | set(COMMON)


@GAMES
def test_every_line_that_looks_like_a_rule_is_one(game):
    listed = [line for line in rules_text(game.ID).splitlines() if line.startswith(f"- `{game.ID}.")]
    assert len(listed) == len(rules(game.ID)) - len(COMMON)
    assert len({rule.id for rule in rules(game.ID)}) == len(rules(game.ID))


@GAMES
def test_every_id_that_a_verdict_can_cite_is_in_the_text(game):
    assert [
        name for name in cited(game) | set(COMMON) if f"- `{name}` (refuses" not in rules_text(game.ID)
    ] == []


@GAMES
def test_the_text_of_a_rule_is_complete(game):
    rule_texts = [rule.text for rule in rules(game.ID)]
    assert [text for text in rule_texts if not text.endswith(".")] == []
    whole = " ".join(rules_text(game.ID).split())
    assert [text for text in rule_texts if text not in whole] == []


@GAMES
def test_every_rule_says_whether_the_source_has_it(game):
    own = [rule for rule in rules(game.ID) if rule.id not in COMMON]
    assert [rule.id for rule in rules(game.ID) if rule.origin not in RULE_ORIGINS] == []
    assert {rule.origin for rule in own} == set(RULE_ORIGINS), "no source says everything, or nothing"
    for rule in own:
        mark = f"refuses, {rule.origin}" if rule.refuses else rule.origin
        assert f"- `{rule.id}` ({mark}) — " in rules_text(game.ID)


@GAMES
def test_the_marks_are_explained_before_the_rules(game):
    before, _, _ = rules_text(game.ID).partition("- `")
    assert [mark for mark in (*RULE_ORIGINS, "refuses") if f"*{mark}*: " not in before] == []


TRANSLATED = [("pies", "pl"), ("pedro", "lt")]
NUMBER = re.compile(r"\d+|`[^`]+`")
KIND = re.compile(r"#+ |- |\*\*|")  # heading, list, paragraph with a heading, or other text


@pytest.mark.parametrize(("game", "language"), TRANSLATED)
def test_a_translated_text_has_the_parts_numbers_and_names_of_the_english_one(game, language):
    there, english = (rules_text(game, language=tag).split("\n\n") for tag in (language, "en"))
    assert [sorted(NUMBER.findall(part)) for part in there] == [
        sorted(NUMBER.findall(part)) for part in english
    ]
    assert [KIND.match(part)[0] for part in there] == [KIND.match(part)[0] for part in english]
    for own, rule in zip(rules(game, language=language), rules(game), strict=True):
        assert own.text.endswith(".")
        assert sorted(NUMBER.findall(own.text)) == sorted(NUMBER.findall(rule.text)), rule.id
    kept = {line for part in there for line in part.splitlines()}
    assert kept & {line for part in english for line in part.splitlines()} == {f"# {find(game).NAME}"}


@pytest.mark.parametrize(("game", "language"), TRANSLATED)
def test_the_marks_of_a_translated_text_are_those_of_the_english_one_in_words_of_its_own(game, language):
    written = (folder(find(game)) / f"{game}.{language}.md").read_text("utf-8")
    for rule in rules(game):
        marks = (["refuses"] if rule.refuses else []) + [rule.origin]
        said = [words(game, language)[mark] for mark in marks]
        assert f"- `{rule.id}` ({', '.join(said)}) — " in rules_text(game, language=language)
        assert rule.id in COMMON or f"- `{rule.id}` — " in written


@GAMES
def test_the_text_begins_with_the_name(game):
    assert rules_text(game.ID).startswith(f"# {game.NAME}\n")


@GAMES
def test_games_look_alike(game):
    """Every file has the same parts in the same order."""
    order = [
        "OPTIONS",
        "State",
        "options",
        "deck",
        "deal",
        "due",
        "team",
        "BLOCKS",
        "complete",
        "ending",
        "check",
    ]
    left_out = {"OPTIONS", "options", "deck", "due", "team"}  # these follow from other declarations
    found = re.findall(r"^(?:def |class |ref\.)?(\w+)(?:\(|,| = )", inspect.getsource(game), re.MULTILINE)
    assert [name for name in found if name in order] == [
        name for name in order if name in found or name not in left_out
    ]
