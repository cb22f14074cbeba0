"""What `import referee` offers, and the names that have moved from there."""

import subprocess
import sys
import warnings
from importlib import import_module
from types import ModuleType

import pytest

import referee
from referee.moved import MOVED, WHERE

MODULES = [import_module(f"referee.{name}") for name in MOVED]
# What the contract calls the parts of a game, and does with them.
STAY = """Chance Match Move Position Record Refusal Ruleset Transfer Verdict check commitment deal judge
legal_moves newest read read_record replay rules_text sample steps verify versions view"""


def test_the_door_is_small_and_has_the_words_of_every_game() -> None:
    offered = {*referee.__all__}
    assert len(offered) <= 47
    assert {*STAY.split()} - offered == set()
    assert offered & WHERE.keys() == set()
    assert all(getattr(referee, name) is not None for name in offered)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_each_name_that_has_moved_is_offered_by_its_module(module: ModuleType) -> None:
    short = module.__name__.removeprefix("referee.")
    assert {*MOVED[short].split()} <= {*module.__all__}
    for name in MOVED[short].split():
        with pytest.warns(
            DeprecationWarning, match=rf"referee\.{name} has moved to {module.__name__}\.{name}"
        ):
            assert getattr(referee, name) is getattr(module, name)


def test_a_name_that_was_never_there_is_unknown() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        referee.nothing  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(referee, "nothing")


def test_the_library_warns_nobody_by_itself() -> None:
    code = "import referee; " + "; ".join(f"import referee.{name}" for name in MOVED)
    command = [sys.executable, "-W", "error::DeprecationWarning:referee", "-c", code]
    assert subprocess.run(command, check=False).returncode == 0


def test_the_warning_names_the_line_that_uses_the_old_name() -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        referee.timestamp  # type: ignore[attr-defined]  # noqa: B018
    assert [warning.filename for warning in warned] == [__file__]
