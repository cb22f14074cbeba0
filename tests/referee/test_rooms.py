"""What `import referee` offers, and the order of the modules behind it, imports for annotations included."""

from graphlib import CycleError, TopologicalSorter

import grimp

import referee
from docs.generating.library_reference import public


def circle(graph: grimp.ImportGraph) -> list[str] | None:
    """Return modules that import each other in a circle, or None."""
    try:
        TopologicalSorter(
            {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
        ).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def test_no_modules_of_the_referee_import_each_other() -> None:
    graph = grimp.build_graph("referee", exclude_type_checking_imports=False, cache_dir=None)
    assert circle(graph) is None


def test_such_imports_are_found() -> None:
    graph = grimp.ImportGraph()
    graph.add_import(importer="a.one", imported="a.two")
    graph.add_import(importer="a.two", imported="a.one")
    assert set(circle(graph) or ()) == {"a.one", "a.two"}


# What the contract calls the parts of a game, and does with them.
STAY = """Chance Match Move Position Record Refusal Ruleset Transfer Verdict check commitment deal judge
legal_moves newest read read_record replay rules_text sample steps verify versions view"""


def test_the_door_is_small_and_has_the_words_of_every_game() -> None:
    offered = {*public(referee)}
    assert len(offered) <= 47
    assert {*STAY.split()} - offered == set()
    assert all(getattr(referee, name) is not None for name in offered)
