"""A bot that plays the last of its legal moves, usually a high card."""

from collections.abc import Sequence
from typing import Any

NAME, VERSION = "highest", 1


def choose(view: dict[str, Any], legal: Sequence[dict[str, Any]], rng: Any, budget: int) -> dict[str, Any]:
    """Choose the last move of the list."""
    return legal[-1]
