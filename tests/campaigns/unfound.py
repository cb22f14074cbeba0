"""What verifiers do not find in a record alone, each kind with its paragraph in docs/trust.md."""

from __future__ import annotations

from typing import Any

# Checks for which one needs the rules of the game: the page lists them as not checked.
PAGE = {"verdicts", "bots", "transfers"}


def reason(forgery: Any) -> str | None:
    """Return why nobody finds such a forgery, as it is called in docs/trust.md, or None."""
    return None
