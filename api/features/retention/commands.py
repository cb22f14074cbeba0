"""`referee-api retain`."""

from __future__ import annotations

import click

from api.core.config import Settings
from api.core.options import with_database
from api.features.retention import retention


@click.command()
@with_database
@click.argument("app")
@click.option(
    "--days", type=click.IntRange(1, retention.LONGEST), metavar="DAYS", help="Such as 365, after their end."
)
@click.option("--for-ever", is_flag=True, help="Keep them again, as without this command.")
def retain(settings: Settings, app: str, days: int | None, for_ever: bool) -> None:
    """Keep finished games of an app (its name) only for a number of days.

    The worker then deletes them with all that `apps delete` deletes of a game, now and every hour, and
    nothing brings them back. What is in exports and in backups stays there.
    """
    if (days is None) != for_ever:
        raise click.UsageError("Say either --days or --for-ever.")
    retention.keep_for(settings, app, days)
    click.echo(f"finished games of {app} are kept {'for ever' if days is None else f'for {days} days'}")


COMMANDS = [retain]
