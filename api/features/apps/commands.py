"""`referee-api apps`."""

from __future__ import annotations

from pathlib import Path

import click

from api.core.config import Settings
from api.core.options import with_database
from api.features.apps import apps as service


@click.group()
def apps() -> None:
    """Export apps, and delete them."""


APP = click.argument("app")


@apps.command("export")
@with_database
@APP
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def apps_export(settings: Settings, app: str, file: Path) -> None:
    """Write an app (its name or id) to a new FILE, .ndjson or .ndjson.gz, which `referee verify` takes.

    It has the app's settings without secrets, its players, and a record of each game: whole if the game is
    over, and otherwise with what everybody may see.
    """
    service.export(settings, app, file, click.echo)


@apps.command("delete")
@with_database
@APP
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--abandon", is_flag=True, help="Delete games that are not over, too.")
def apps_delete(settings: Settings, app: str, yes: bool, abandon: bool) -> None:
    """Delete an app (its name or id) with its keys, players, games and everything else that is its own.

    Export it before. The server may run meanwhile, and an interrupted command is called again. Of its games
    only the hashes in the log of all games stay, which the proofs of other games need.
    """

    def confirm(name: str) -> None:
        if not yes and click.prompt("Nothing brings it back. Its name or id again") not in (name, app):
            raise click.Abort

    service.delete(settings, app, abandon, confirm, click.echo)


COMMANDS = [apps]
