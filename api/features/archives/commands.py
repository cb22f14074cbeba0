"""`referee-api archive`."""

from __future__ import annotations

import os
from datetime import datetime

import click

from api.core.config import Settings
from api.core.options import month, with_database
from api.features.archives import archiving


@click.command()
@with_database
@click.option(
    "--before",
    callback=month,
    required=True,
    metavar="MONTH",
    help="Such as 2026-01: months before this one.",
)
def archive(settings: Settings, before: datetime) -> None:
    """Move the logs of old months out of the database, into files in ARCHIVE_DIR that they are served from.

    A month is moved if all of its games were over before MONTH; for others, the reason is printed. Each file
    is compared with the database, and every game is verified, before anything is removed; an interrupted
    month is begun again. The service may run meanwhile.
    """
    archiving.archive(settings, before, click.echo)
    folder = settings.archive_dir
    if os.geteuid() == 0 and folder is not None and folder.stat().st_uid == 0:
        click.echo(
            f"{folder} belongs to root, and so do its archives: web servers of another account read none."
        )


COMMANDS = [archive]
