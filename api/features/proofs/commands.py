"""`referee-api export`: archives of finished games."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from api.core.config import Settings
from api.core.options import time, with_database
from api.features.proofs import exports


@click.command()
@with_database
@click.option("--since", callback=time, metavar="TIME", help="Games that ended later; all unless said.")
@click.option(
    "--to",
    "file",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="A new file, .ndjson, .ndjson.zst or .parquet.",
)
def export(settings: Settings, since: datetime | None, file: Path) -> None:
    """Write the records of games that have ended to an archive, which `referee verify` takes.

    The last line names the time at which the next archive begins. An interrupted export is continued when the
    command is called again.
    """
    exports.export(settings, since, file, click.echo)


COMMANDS = [export]
