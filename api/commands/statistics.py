"""Rebuilds the statistics of players from all games."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from api.commands.opening import opened
from api.core.config import Settings
from api.game import results

FIRST = UUID(int=0)


def rebuild(settings: Settings, report: Callable[[str], None]) -> None:
    """Rebuild them, some games at a time, while the service runs. Raises StartError."""
    after, read, wrong = FIRST, 0, 0
    with opened(settings.for_worker()) as context:
        while done := results.rebuild(context, after):
            after, read, wrong = done[0], read + done[1], wrong + done[2]
    report(f"read {read} games; what was kept of {wrong} differed, and is put right")
