"""`referee-api export` and `detach`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from api.core.config import Settings
from api.core.options import month, with_database
from api.features.months import detaching, exporting


@click.command()
@with_database
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
def export(settings: Settings, folder: Path) -> None:
    """Write finished months to files in FOLDER, which `referee verify` takes.

    A month is finished when it is over and so are all games that were created in it. One that has a file
    already is left out. What is written can be read by anybody who can read the file, and shows all cards.
    """
    exporting.export(settings, folder, click.echo, datetime.now(UTC))


@click.command()
@with_database
@click.argument("moment", callback=month, metavar="MONTH")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def detach(settings: Settings, moment: datetime, file: Path) -> None:
    """Delete the games of MONTH, such as 2026-01, which are kept in FILE, written by `export`.

    Each record in FILE is compared with the database first, and each log verified. The games then answer like
    deleted ones, and no feed has their entries; what was said after their ends is gone; their leaves stay in
    the log of all games. Nothing brings them back into the service. It may run meanwhile, and an interrupted
    command is called again.
    """
    detaching.detach(settings, moment, file, click.echo, datetime.now(UTC))


COMMANDS = [export, detach]
