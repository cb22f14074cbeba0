"""A statement of the core names no table of a feature, and one of a feature only those that it needs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import api
from api.features import NAMES, load_features

FOLDER = Path(api.__file__).parent
NAMED = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s+(?:ONLY\s+)?(\w+)")
FEATURES = {each.name: each for each in load_features().chosen}
OWNERS = {table.name: each.name for each in FEATURES.values() for table in each.tables}
ON_A_CLUSTER = ("store/citus.py", "tree_queue")  # what a trigger writes in one PostgreSQL


def needed(name: str) -> set[str]:
    """Return a feature and all that it needs."""
    return {name}.union(*(needed(each) for each in FEATURES[name].needs))


def tables(file: Path) -> Iterator[str]:
    """Yield the tables that statements in a file name."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from NAMED.findall(node.value)


def strangers(folder: Path, allowed: set[str]) -> list[tuple[str, str]]:
    """List the tables of features that are not allowed in a folder, each with the file that names it."""
    return [
        (str(file.relative_to(FOLDER)), table)
        for file in sorted(folder.rglob("*.py"))
        if folder != FOLDER or "features" not in file.parts
        for table in tables(file)
        if OWNERS.get(table, "") not in {"", *allowed}
    ]


def test_the_core_names_no_table_of_a_feature() -> None:
    assert strangers(FOLDER, set()) == [ON_A_CLUSTER]


@pytest.mark.parametrize("name", NAMES)
def test_a_feature_names_only_tables_of_those_that_it_needs(name: str) -> None:
    assert strangers(FOLDER / "features" / name, needed(name)) == []
