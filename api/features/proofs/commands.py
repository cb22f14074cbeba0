"""`referee-api log-keys`: the keys that sign receipts."""

from __future__ import annotations

import click

from api.core.config import Settings
from api.core.options import with_database
from api.features.proofs import keys


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


COMMANDS = [log_keys]
