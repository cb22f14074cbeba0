"""Operations on one game read only the rows of that game, and name it in every statement."""

from __future__ import annotations

import re

import psycopg

from tests.support.everything import asked as asked
from tests.support.partitions import SPLIT, Statement, parts, split

OF_TABLES = re.compile(rf"\b({'|'.join(SPLIT)})\b")
OF_AN_APP = "games.ended_at = 'infinity'"  # counts the games of an app that are not over


def test_a_statement_about_a_game_names_it(asked: list[Statement], sql: psycopg.Connection) -> None:
    split(sql)
    wrong, tables = {}, set[str]()
    for text, statement in {each.text: each for each in asked}.items():
        if not OF_TABLES.search(text) or OF_AN_APP in text:
            continue
        used, unnamed = parts(sql, statement)
        tables |= {*OF_TABLES.findall(text)}
        several = len({name.rpartition("_")[2] for name in used}) > 1
        if several or unnamed:
            wrong[text] = sorted(used | unnamed)
    assert wrong == {}, "these statements read the rows of all games"
    assert tables == set(SPLIT), "every table was read"
