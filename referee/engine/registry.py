"""The rulesets that are available, by id and version."""

from typing import Any

from referee.engine.ruleset import Ruleset
from referee.engine.verdicts import Malformed

_BY_ID: dict[tuple[str, int], Ruleset[Any]] = {}
_VERSIONS: dict[str, list[int]] = {}  # id → its versions, oldest first
BROKEN_RULESETS: dict[str, str] = {}  # the names of installed rulesets that could not be loaded → why


def register(ruleset: Ruleset[Any]) -> None:
    """Make a version of a ruleset available. Raises ValueError if another has its id and version."""
    key = (ruleset.ID, ruleset.VERSION)
    if _BY_ID.get(key, ruleset) is not ruleset:
        raise ValueError(f"there are two rulesets {ruleset.ID}, version {ruleset.VERSION}")
    _BY_ID[key] = ruleset
    _VERSIONS[ruleset.ID] = sorted({ruleset.VERSION, *versions(ruleset.ID)})


def versions(ruleset: str) -> list[int]:
    """List the versions of a ruleset, oldest first; empty for an unknown one."""
    return list(_VERSIONS.get(ruleset, ()))


def newest() -> list[Ruleset[Any]]:
    """List every ruleset in its newest version, in the order in which they were registered."""
    return [_BY_ID[name, known[-1]] for name, known in _VERSIONS.items()]


def find(ruleset: object, version: object = None) -> Ruleset[Any]:
    """Return a ruleset, in its newest version unless one is given. Raises Malformed."""
    known = _VERSIONS.get(ruleset) if type(ruleset) is str else None
    if known is None:
        if type(ruleset) is str and ruleset in BROKEN_RULESETS:
            raise Malformed("ruleset", BROKEN_RULESETS[ruleset])
        raise Malformed("ruleset", f"must be one of {', '.join(_VERSIONS)}")
    if version is None:
        version = known[-1]
    if type(version) is not int or version not in known:
        raise Malformed("version", f"{ruleset} has versions " + ", ".join(map(str, known)))
    return _BY_ID[str(ruleset), version]
