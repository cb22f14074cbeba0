"""`referee-api games`: what an operator can do about games of any app."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import click

from api.core.config import Settings, StartError
from api.core.errors import GameOver, GameUnreadable, NotFound
from api.core.options import duration, with_database
from api.features import opened
from api.features.guests import idle
from api.features.guests.store import Idle
from api.store import credentials


@click.group()
def games() -> None:
    """End games. What is done is written in each game's log, for everybody to see."""


@games.command("cancel")
@with_database
@click.argument("game", type=click.UUID)
def cancel(settings: Settings, game: UUID) -> None:
    """Cancel a game of any app that is not over. Nobody wins, and its log says that the operator did it."""
    cancel_one(settings, game)
    click.echo(f"cancelled {game}")


def cancel_one(settings: Settings, game_id: UUID) -> None:
    """Cancel a game of any app. Raises StartError."""
    with opened(settings.for_owner()) as context:
        try:
            idle.cancel_one(context, game_id)
        except NotFound:
            raise StartError(f"There is no game {game_id}.") from None
        except (GameOver, GameUnreadable) as error:
            raise StartError(f"The game {game_id} cannot be cancelled: {error.detail}") from None


@games.command("cancel-idle")
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
def cancel_idle(settings: Settings, app: str, length: timedelta) -> None:
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
