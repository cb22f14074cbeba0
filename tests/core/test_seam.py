"""The core names no table, operation or event of a feature, and features only those of what they need."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from flask import Blueprint

import api
from api import routes
from api.feature import Features
from api.features import NAMES, load_features
from api.http.operation import Operations

FOLDER = Path(api.__file__).parent
NAMED = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s+(?:ONLY\s+)?(\w+)")
OF_THE_WORKER = "/metrics"  # which it serves without the feature
PLACE = re.compile(r"<[^>]+>")
FEATURES = {each.name: each for each in load_features().chosen}
OWNERS = {table.name: each.name for each in FEATURES.values() for table in each.tables}
EVENTS = {event.name: each.name for each in FEATURES.values() for event in each.events}
ON_A_CLUSTER = ("store/layout.py", "tree_queue")  # what a trigger writes in one PostgreSQL


def needed(name: str) -> set[str]:
    """Return a feature and all that it needs."""
    return {name}.union(*(needed(each) for each in FEATURES[name].needs))


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the texts in a folder, each with its file; those of the core without its features."""
    for file in sorted(folder.rglob("*.py")):
        if folder != FOLDER or "features" not in file.parts:
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield str(file.relative_to(FOLDER)), node.value


def strange_tables(folder: Path, allowed: set[str]) -> list[tuple[str, str]]:
    """List the tables of features that are not allowed in a folder, each with the file that names it."""
    named = ((file, table) for file, text in texts(folder) for table in NAMED.findall(text))
    return [(file, table) for file, table in named if OWNERS.get(table, "") not in {"", *allowed}]


def rules_of(blueprints: Iterable[Blueprint]) -> set[str]:
    """Return the addresses of operations."""
    declared = (made for made in blueprints if isinstance(made, Operations))
    return {each.rule for made in declared for each in made.operations.values()}


@cache
def operations(name: str) -> list[re.Pattern[str]]:
    """Return the addresses of a feature's operations, as texts name them, that the core does not have too."""
    rules = rules_of(FEATURES[name].blueprints()) - rules_of(routes.blueprints(Features()))
    return [re.compile(PLACE.sub(r"[<{][^/]+", rule) + r"(?![\w/-])") for rule in rules]


def strange_operations(folder: Path, allowed: set[str]) -> list[tuple[str, str]]:
    """List the operations of features that are not allowed in a folder, each with the file that names it."""
    found = (
        (file, match[0])
        for file, text in texts(folder)
        for name in {*NAMES} - allowed
        for pattern in operations(name)
        for match in pattern.finditer(text)
    )
    return sorted(found)


def strange_events(folder: Path, allowed: set[str]) -> list[tuple[str, str]]:
    """List the events of features that are not allowed in a folder, each with the file that names it."""
    return [(file, text) for file, text in texts(folder) if EVENTS.get(text, "") not in {"", *allowed}]


def test_the_core_names_no_table_of_a_feature() -> None:
    assert strange_tables(FOLDER, set()) == [ON_A_CLUSTER]


def test_the_core_names_no_operation_of_a_feature() -> None:
    assert {name for _, name in strange_operations(FOLDER, set())} == {OF_THE_WORKER}


def test_the_core_names_no_event_of_a_feature() -> None:
    assert len(EVENTS) >= 40
    assert strange_events(FOLDER, set()) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_feature_names_only_what_it_needs(name: str) -> None:
    folder, allowed = FOLDER / "features" / name, needed(name)
    assert strange_tables(folder, allowed) == strange_operations(folder, allowed) == []
    assert strange_events(folder, allowed) == []
