"""The check of the installed rulesets when a process starts.

A module of its own: a web process calls it before gevent has patched, when it must not import psycopg yet.
"""

from __future__ import annotations

import referee.positions
from api.core.config import StartError


def require_loaded() -> None:
    """Raise StartError if an installed ruleset cannot be loaded, naming the lines to mend."""
    if referee.positions.BROKEN_RULESETS:
        raise StartError("\n".join(referee.positions.BROKEN_RULESETS.values()))
