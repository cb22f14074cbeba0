"""`referee-api games`: what an operator can do about many games at once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import click

from api.core.config import Settings, StartError
from api.core.options import duration, with_database
from api.features import opened
from api.features.guests import idle
from api.features.guests.store import Idle
from api.store import credentials


@click.group()
def games() -> None:
    """End games that nobody plays any more."""


@games.command("cancel")
@with_database
@click.argument("app")
@click.option(
    "--idle",
    "length",
    callback=duration,
    required=True,
    metavar="DURATION",
    help="Such as P7D: for so long nothing has happened in them.",
)
def cancel(settings: Settings, app: str, length: timedelta) -> None:
    """Cancel the games of an app (`guests` is that of the server's guests) in which nothing happens.

    Nobody wins them, and each log says that the game is called off. Prints their ids. The server may run
    meanwhile, and an interrupted command may be called again.
    """
    count = 0
    for game_id in cancelled(settings, app, length):
        click.echo(str(game_id))
        count += 1
    click.echo(f"cancelled {count} games")


def cancelled(settings: Settings, app: str, length: timedelta) -> Iterator[UUID]:
    """Cancel the games of an app that have been idle for so long; yield their ids. Raises StartError."""
    with opened(settings.for_owner()) as context:
        app_id = credentials.app_named(context.session, app)
        if app_id is None:
            raise StartError(f"There is no app {app}.")
        context.session.see(app_id)
        yield from idle.cancel(context, app_id, Idle(length, length, length))


COMMANDS = [games]
