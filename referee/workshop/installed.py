"""The rulesets of installed packages, and faults in them.

A package adds a ruleset through the entry-point group `card_referee.rulesets`: the entry names a module that
is written like those in `referee/games`, with its rules in `rules/<id>.md` beside it.
"""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any

from referee.engine import registry
from referee.engine.ruleset import Ruleset
from referee.engine.verdicts import Faulty
from referee.games import GAMES
from referee.workshop.declarations import faults, place_of

GROUP = "card_referee.rulesets"


def register_installed() -> None:
    """Make the rulesets of installed packages available; `BROKEN_RULESETS` says why others are not."""
    for entry in sorted(entry_points(group=GROUP)):
        try:
            add(_loaded(entry))
        except Faulty as fault:
            registry.BROKEN_RULESETS[entry.name] = (
                f"the ruleset {entry.name} ({entry.value}) cannot be loaded:\n{fault}"
            )


def add(ruleset: Ruleset[Any]) -> None:
    """Make a ruleset available after checking what it declares. Raises Faulty."""
    if wrong := faults(ruleset):
        raise Faulty("\n".join(wrong))
    try:
        registry.register(ruleset)
    except ValueError as error:
        raise Faulty(str(error)) from None


def _loaded(entry: EntryPoint) -> Any:
    if EntryPoint.pattern.match(entry.value) is None:
        raise Faulty("its entry point must name a module")
    try:
        return entry.load()
    except (Exception, SystemExit) as error:
        raise Faulty(place_of(error, _file_of(entry.module))) from error


def _file_of(module: str) -> str:
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        spec = None
    return spec.origin if spec is not None and spec.origin else module


@contextmanager
def faults_told() -> Iterator[None]:
    """Raise Faulty for an error in the code of an installed ruleset; others are passed on."""
    try:
        yield
    except Faulty:
        raise
    except Exception as error:
        files = {str(getattr(rules, "__file__", "")) for rules in registry.newest() if rules not in GAMES}
        led_here = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
        file = next((name for name in reversed(led_here) if name in files), None)
        if file is None:
            raise
        raise Faulty(place_of(error, file)) from error
