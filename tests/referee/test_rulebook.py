"""The rules' texts and the code name the same rules."""

import inspect
import re

import pytest

import referee
from referee.texts.rulebook import COMMON, rules, rules_text

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
        name for name in cited(game) | set(COMMON) if f"- `{name}` (refuses)" not in rules_text(game.ID)
    ] == []


@GAMES
def test_the_text_of_a_rule_is_complete(game):
    rule_texts = [rule.text for rule in rules(game.ID)]
    assert [text for text in rule_texts if not text.endswith(".")] == []
    whole = " ".join(rules_text(game.ID).split())
    assert [text for text in rule_texts if text not in whole] == []


@GAMES
def test_the_text_begins_with_the_name(game):
    assert rules_text(game.ID).startswith(f"# {game.NAME}\n")


@GAMES
def test_games_look_alike(game):
    """Every file has the same parts in the same order."""
    order = ["options", "deck", "deal", "due", "refuse", "listed", "team", "apply", "ending", "check"]
    found = re.findall(r"^(?:def )?([a-z_]+)(?:\(| = )", inspect.getsource(game), re.MULTILINE)
    assert [name for name in found if name in order] == order
