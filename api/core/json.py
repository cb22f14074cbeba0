"""JSON as it is stored and sent."""

from __future__ import annotations

import json
from typing import Any

import orjson

from referee import Malformed

loads = orjson.loads


def dumps(value: Any) -> bytes:
    """Write JSON. What orjson cannot write (a caller's integer beyond 64 bits) the slow way can."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str).encode()


def stored(value: Any) -> str:
    """Write JSON for a text column. Raises Malformed for a caller's integer beyond 64 bits."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        raise Malformed("", "has an integer beyond 64 bits") from None


def sorted_bytes(value: Any) -> bytes:
    """Write JSON with sorted keys: equal values give equal bytes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
