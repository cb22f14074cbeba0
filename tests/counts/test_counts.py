"""The published counts agree with the referee."""

from pathlib import Path

import referee
from tests.counts.counting import TABLES, page


def test_the_page_is_up_to_date():
    assert (Path(__file__).parent / "README.md").read_text("utf-8") == page(), "run `make generate`"


def test_every_game_is_counted():
    assert {ruleset for ruleset, _ in TABLES} == {game.ID for game in referee.newest()}
