"""JSON for storage and for answers."""

from __future__ import annotations

import json
from typing import Any

import orjson

from referee import Malformed
from referee.table import Json as Json

Body = dict[str, Any]
"""What a request says: the members of an input, as its fields have read them."""

loads = orjson.loads


def dumps(value: Any) -> bytes:
    """Return a value as JSON. The slower `json` writes what orjson cannot: integers beyond 64 bits."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str).encode()


def stored(value: Any) -> str:
    """Return a value as JSON for a text column. Raises Malformed if it has an integer beyond 64 bits."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        raise Malformed("", "has an integer beyond 64 bits") from None


def sorted_bytes(value: Any) -> bytes:
    """Return a value as JSON with sorted keys: equal values give equal bytes."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
