"""`referee-api export` and `log-keys`: archives of finished games, and the keys that sign receipts."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from api.core.config import Settings
from api.core.options import time, with_database
from api.features.proofs import exports, keys


@click.command()
@with_database
@click.option("--since", callback=time, metavar="TIME", help="Games that ended later; all unless said.")
@click.option(
    "--to",
    "file",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="A new file, .ndjson or .ndjson.zst.",
)
def export(settings: Settings, since: datetime | None, file: Path) -> None:
    """Write the records of games that have ended to an archive, which `referee verify` takes.

    The last line names the time at which the next archive begins. An interrupted export is continued when the
    command is called again.
    """
    exports.export(settings, since, file, click.echo)


@click.group("log-keys")
def log_keys() -> None:
    """List and rotate the keys that sign receipts."""


@log_keys.command("list")
@with_database
def log_keys_list(settings: Settings) -> None:
    """Print every key, newest first, in the form of C2SP's signed notes, and its time of use."""
    for line in keys.lines(settings):
        click.echo(line)


@log_keys.command("rotate")
@with_database
def log_keys_rotate(settings: Settings) -> None:
    """Retire the newest key, create another one and print it. The server may run meanwhile."""
    click.echo(keys.rotate(settings))


COMMANDS = [export, log_keys]
