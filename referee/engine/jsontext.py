"""Strict JSON: text that two programs could read differently is refused."""

import json
import math
import re
from typing import Any, NoReturn

import orjson

from referee.engine.verdicts import Malformed

MAX_DEPTH = 64
SCALARS = frozenset({bool, int, str, type(None)})  # the types of JSON values that need no copy
SORTED = orjson.OPT_SORT_KEYS
# The fast reader reads integers of more than 64 bits as floats, so it is not used for 16 digits in a row.
_DIGITS = bytes(ord("0") if chr(byte).isdecimal() and byte < 128 else 32 for byte in range(256))
_LONG = b"0" * 16
_ESCAPED = re.compile(r"\\u(?:0000|[dD][89a-fA-F])").search


def parse(text: bytes | str) -> Any:
    """Read one JSON value.

    Raises Malformed for what is not JSON, and for duplicate keys, NaN and infinities, lone surrogates,
    NUL characters, nesting deeper than 64 and numbers beyond what can be read.
    """
    raw = text if isinstance(text, bytes) else text.encode(errors="replace")
    if (
        b"\\" not in raw
        and raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH
        and _LONG not in raw.translate(_DIGITS)
    ):
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            pass  # the strict reader gives the reason
        else:
            # A duplicate key is read only once: then a colon is missing when the value is written again.
            if orjson.dumps(value).count(b":") == raw.count(b":"):
                return value
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            raise Malformed("", f"is not UTF-8 (byte {error.start})") from None
    return _parse_strictly(text)


def _parse_strictly(text: str) -> Any:
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise Malformed("", f"is nested deeper than {MAX_DEPTH}") from None
    except Malformed:
        raise
    except json.JSONDecodeError as error:
        if text.startswith("\ufeff"):
            raise Malformed("", "begins with a byte order mark, which JSON does not have") from None
        raise Malformed("", f"is not JSON: {error}"[:200]) from None
    except ValueError:  # Python limits the digits of an integer, and its error names a Python setting
        raise Malformed("", "has an integer that is too large") from None
    # Each level needs a bracket, and each special character an escape or a byte: most texts need no walk.
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _require_shallow(value)
    if _may_be_special(text):
        _check_texts(value)
    return value


def same(one: object, other: object) -> bool:
    """Return whether two JSON values are equal, with their types: here, true and 1.0 differ from 1."""
    try:  # written as text, the values of long lists are compared much faster
        return orjson.dumps(one, option=SORTED) == orjson.dumps(other, option=SORTED)
    except orjson.JSONEncodeError:
        return _same(one, other)


def _same(one: object, other: object) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other


def compact(value: object) -> str:
    """Return a value as one line of JSON for a terminal, with unprintable characters escaped."""
    return printable(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def printable(text: str) -> str:
    """Return a text with JSON escapes for its control, format and other unprintable characters."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def line(value: object) -> bytes:
    """Return a value as a line of JSON, with the line end."""
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # an integer beyond 64 bits
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _require_shallow(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for item in level
            for inner in (item.values() if type(item) is dict else item)
            if type(inner) in (list, dict)
        ]
        if not level:
            return
    raise Malformed("", f"is nested deeper than {MAX_DEPTH}")


def _may_be_special(text: str) -> bool:
    """Return whether a string in a text may have a NUL character or half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return _ESCAPED(text) is not None


def _check_texts(value: Any) -> None:
    if type(value) is str:
        _check_text(value)
    elif type(value) is list:
        for item in value:
            _check_texts(item)
    elif type(value) is dict:
        for key, item in value.items():
            _check_text(key)
            _check_texts(item)


def _check_text(text: str) -> None:
    if "\x00" in text:
        raise Malformed("", "has a NUL character in a string")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Malformed("", "has half of a surrogate pair in a string") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise Malformed("", f"has the key {key[:40]!r} twice")
            seen.add(key)
    return members


def _constant(name: str) -> NoReturn:
    raise Malformed("", f"has {name}, which is not JSON")


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise Malformed("", f"has a number that is too large: {text[:20]}")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_float)


def plain(value: Any) -> Any:
    """Copy a JSON value."""
    if type(value) in SCALARS:
        return value
    if isinstance(value, list):
        return value[:] if SCALARS.issuperset(map(type, value)) else [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value
