"""Limits of requests that are not settings."""

from __future__ import annotations

from typing import Any

from api.core.errors import BadRequest

MOST_MOVES = 50_000  # in a record that is replayed


def require_few_moves(data: dict[str, Any]) -> None:
    """Raise BadRequest if a record has more moves than the service replays."""
    moves = data.get("moves")
    if type(moves) is list and len(moves) > MOST_MOVES:
        raise BadRequest({"moves": [f"Has more than {MOST_MOVES} moves; `referee verify` takes any number."]})
