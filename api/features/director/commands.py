"""`referee-api clocks`: players get time back."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import click

from api.core.config import Settings
from api.core.options import duration, time, with_database
from api.features.director import clocks as service


@click.group()
def clocks() -> None:
    """Give players time back. What is done is written in each game's log, for everybody to see."""


GAME = click.argument("game", type=click.UUID)


@clocks.command("add-time")
@with_database
@GAME
@click.argument("seat", type=click.IntRange(0))
@click.argument("time", metavar="DURATION", callback=duration)
def add_time(settings: Settings, game: UUID, seat: int, time: timedelta) -> None:
    """Add time, such as PT24H, to the running turn of a seat; print its new deadline."""
    click.echo(service.add_time(settings, game, seat, time))


@clocks.command("undo-timeout")
@with_database
@GAME
def undo_timeout(settings: Settings, game: UUID) -> None:
    """Undo the time-out for which the last move of a game was made; print its seat's new deadline.

    The seat gets the whole time of the turn again. This is refused if another seat has acted since or cards
    were shown, and in games that are over.
    """
    click.echo(service.undo_timeout(settings, game))


@clocks.command("outage")
@with_database
@click.option("--since", callback=time, metavar="TIME", required=True, help="When players were cut off.")
def outage(settings: Settings, since: datetime) -> None:
    """Give all running games the time until now back, because players could not reach the server.

    The server notices by itself when none of its web processes was up. This is for other reasons, such as a
    broken network. Games in which something has happened since get only the time after that.
    """
    service.record_outage(settings, since)


COMMANDS = [clocks]
