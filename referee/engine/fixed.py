"""Moves that every list shares: created once, and read-only, so that no caller can change another's list."""

from collections.abc import Mapping
from typing import Any, NoReturn

HOW = "a listed move is shared and cannot be changed; dict(move) returns a copy that can"


def _refuse(self: object, *args: object, **named: object) -> NoReturn:
    raise TypeError(HOW)


class _FixedList(list[Any]):
    """A list that cannot be changed; copies of it can."""

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


class FixedMove(dict[str, Any]):
    """A dict that cannot be changed; copies of it can.

    `shaped_for` is the ruleset that has found its fields right, so that it need not check them again.
    """

    __slots__ = ("shaped_for",)

    def __init__(self, move: Mapping[str, Any]) -> None:
        super().__init__(move)
        self.shaped_for: object = None

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)

    def copy(self) -> dict[str, Any]:
        """Return a dict that can be changed."""
        return dict(self)


_CHANGES: dict[type, str] = {
    _FixedList: "__setitem__ __delitem__ __iadd__ __imul__"
    " append clear extend insert pop remove reverse sort",
    FixedMove: "__setitem__ __delitem__ __ior__ pop popitem clear update setdefault",
}
for _type, _names in _CHANGES.items():
    for _name in _names.split():
        setattr(_type, _name, _refuse)


def fixed(move: Mapping[str, Any]) -> dict[str, Any]:
    """Return a read-only copy of a move, for a ruleset's constants. Changing it raises TypeError."""
    return FixedMove(
        {key: _FixedList(value) if isinstance(value, list) else value for key, value in move.items()}
    )
