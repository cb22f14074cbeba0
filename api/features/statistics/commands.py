"""`referee-api statistics`."""

from __future__ import annotations

import click

from api.core.config import Settings
from api.core.options import with_database
from api.features.statistics import results


@click.group()
def statistics() -> None:
    """Rebuild the statistics of players."""


@statistics.command("rebuild")
@with_database
def rebuild(settings: Settings) -> None:
    """Rebuild the statistics of all players from their games; the service may run meanwhile."""
    results.rebuild(settings, click.echo)


COMMANDS = [statistics]
