"""Checks that values have the JSON types of their shapes, prepared once for each shape.

Bounds and forms are not considered, but a text that is one of a few words is one of them. A boolean is no
number, and a number is written without fraction.
"""

from collections.abc import Callable, Container, Mapping
from typing import Any

from referee.engine.shapes import BOOLEAN, Int, Kind, ListOf, Maybe, Object, OneOf
from referee.log.members import MARK, Map

Check = Callable[[Any], bool]


NONE: frozenset[type] = frozenset()
SCALARS = frozenset((str, int, bool, type(None)))  # without numbers that have a fraction


def checker(kind: Kind) -> Check:
    """Return a function that says whether a value has the types of a shape; members may be missing."""
    types = _scalars(kind)
    check = _structured(kind)
    if check is None:
        return lambda value: type(value) in types
    if not types:
        return check
    return lambda value: type(value) in types or check(value)


def members_checker(fields: Mapping[str, Kind], is_open: bool = False) -> Callable[..., bool]:
    """Return a function that says whether a value is an object whose members are of their types.

    Other members than these may have any value without fractions if it `is_open`, else there can be none.
    The function takes the names of lists and objects that need no check, because they were `read` before.
    """
    known = {name: (_scalars(kind), _structured(kind)) for name, kind in fields.items()}
    others = (SCALARS, _is_whole) if is_open else (NONE, None)

    def check_members(value: Any, read: Container[str] = ()) -> bool:
        if not isinstance(value, dict):
            return False
        for name, item in value.items():
            scalars, check = known.get(name, others)
            if type(item) not in scalars and name not in read and (check is None or not check(item)):
                return False
        return True

    return check_members


def _scalars(kind: Kind) -> frozenset[type]:
    """Return the Python types of a shape, apart from lists and objects."""
    match kind:
        case Maybe():
            return _scalars(kind.inner) | {type(None)}
        case ListOf() | Object() | Map() | OneOf():
            return NONE
    return frozenset((int if isinstance(kind, Int) else bool if kind == BOOLEAN else str,))


def _structured(kind: Kind) -> Check | None:
    """Return a function that checks what the types of `_scalars` do not say; None if they say all."""
    match kind:
        case Maybe():
            return _structured(kind.inner)
        case ListOf():
            items = _each(kind.item)
            return lambda value: isinstance(value, list) and items(value)
        case Map() if kind.inner is not None:
            values = _each(kind.inner)
            return lambda value: isinstance(value, dict) and values(value.values())
        case Map():
            return members_checker(kind.known, is_open=True)
        case Object():
            return members_checker(kind.fields)
        case OneOf() if kind == MARK:
            return lambda value: value is True
        case OneOf():
            words = frozenset(kind.values)
            return lambda value: type(value) is str and value in words
    return None


def _each(item: Kind) -> Check:
    """Return a function that checks several values of one shape."""
    types, check = _scalars(item), checker(item)
    if _structured(item) is None:
        return lambda values: types.issuperset(map(type, values))
    return lambda values: all(map(check, values))


def _is_whole(value: Any) -> bool:
    """Return whether no number anywhere in a value has a fraction or an exponent."""
    if type(value) in SCALARS:
        return True
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if items is None:
        return False
    return SCALARS.issuperset(map(type, items)) or all(map(_is_whole, items))
