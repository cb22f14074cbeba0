"""`referee-api keys`, `clocks` and `log-keys`: what operators do now and then, on a migrated database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import click

from api.commands.options import duration, time, with_settings
from api.core.config import Settings


@contextmanager
def migrated(settings: Settings) -> Iterator[Settings]:
    """Yield a database with its schema: the embedded one is brought up to date, any other has an operator."""
    from api.run.embedded.postgres import database
    from api.run.migrate import upgrade

    with database(settings) as connected:
        if not settings.database_url:
            upgrade(connected)
        yield connected


@click.group()
def keys() -> None:
    """Create, list and revoke app keys."""


@keys.command("create")
@with_settings("data_dir")
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(["read", "write", "audit", "keys"]),
    help="Repeatable; read and write by default. audit sees every hand, keys makes and revokes keys.",
)
@click.option(
    "--expires", callback=duration, metavar="DURATION", help="Such as P90D; without it the key never expires."
)
@click.option("--key-name", metavar="TEXT", help="What the key is for, such as web; it is shown in lists.")
def keys_create(
    settings: Settings,
    name: str,
    scopes: tuple[str, ...],
    expires: timedelta | None,
    key_name: str | None,
) -> None:
    """Create an app with a key, and print the key, once, on the last line."""
    from api.commands import keys

    with migrated(settings) as connected:
        key_id, key = keys.create(connected, name, list(scopes) or ["read", "write"], expires, key_name)
    click.echo(f"id {key_id}\n{key}")


@keys.command("list")
@with_settings("data_dir")
def keys_list(settings: Settings) -> None:
    """Print every app key's id, name, scopes and times, one line of JSON each; never a key itself."""
    from api.commands import keys

    with migrated(settings) as connected:
        for line in keys.listing(connected):
            click.echo(line)


@keys.command("revoke")
@with_settings("data_dir")
@click.argument("key_id", metavar="ID")
@click.option(
    "--keep-tokens/--with-tokens",
    default=True,
    help="Leave the player tokens that were made with it, or (for a stolen key) revoke them, too.",
)
def keys_revoke(settings: Settings, key_id: str, keep_tokens: bool) -> None:
    """Revoke a key permanently, with every key that was created with it."""
    from api.commands import keys

    with migrated(settings) as connected:
        keys.revoke(connected, key_id, keep_tokens)
    click.echo(f"revoked {key_id}")


@click.group()
def clocks() -> None:
    """Give players time back. What is done is written in each game's log, for everybody to see."""


GAME = click.argument("game", type=click.UUID)


@clocks.command("add-time")
@with_settings("data_dir")
@GAME
@click.argument("seat", type=click.IntRange(0))
@click.argument("time", metavar="DURATION", callback=duration)
def clocks_add_time(settings: Settings, game: UUID, seat: int, time: timedelta) -> None:
    """Add time, such as PT24H, to the running turn of a seat; print its new deadline."""
    from api.commands import clocks

    with migrated(settings) as connected:
        click.echo(clocks.add_time(connected, game, seat, time))


@clocks.command("change-pace")
@with_settings("data_dir")
@GAME
@click.argument("pace", metavar="JSON")
def clocks_change_pace(settings: Settings, game: UUID, pace: str) -> None:
    """Change members of a game's pace, such as '{"per_move": "P3D"}', from the next turns on; print it.

    Running turns keep their deadlines, and seats what they have left of their reserves and days off.
    """
    import json

    from api.commands import clocks

    with migrated(settings) as connected:
        click.echo(json.dumps(clocks.change_pace(connected, game, pace)))


@clocks.command("undo-timeout")
@with_settings("data_dir")
@GAME
def clocks_undo_timeout(settings: Settings, game: UUID) -> None:
    """Undo the time-out for which the last move of a game was made; print its seat's new deadline.

    The seat gets the whole time of the turn again. This is refused if another seat has acted since or cards
    were shown, and in games that are over.
    """
    from api.commands import clocks

    with migrated(settings) as connected:
        click.echo(clocks.undo_timeout(connected, game))


@clocks.command("outage")
@with_settings("data_dir")
@click.option("--since", callback=time, metavar="TIME", required=True, help="When players were cut off.")
def clocks_outage(settings: Settings, since: datetime) -> None:
    """Give all running games the time until now back, because players could not reach the server.

    The server notices by itself when none of its web processes was up. This is for other reasons, such as a
    broken network. Games in which something has happened since get only the time after that.
    """
    from api.commands import clocks

    with migrated(settings) as connected:
        clocks.note_outage(connected, since)


@click.group()
def games() -> None:
    """End games that nobody plays any more."""


@games.command("cancel")
@with_settings("data_dir")
@click.argument("app")
@click.option(
    "--idle",
    callback=duration,
    required=True,
    metavar="DURATION",
    help="Such as P7D: for so long nothing has happened in them.",
)
def games_cancel(settings: Settings, app: str, idle: timedelta) -> None:
    """Cancel the games of an app (`guests` is that of the server's guests) in which nothing happens.

    Nobody wins them, and each log says that the game is called off. Prints their ids. The server may run
    meanwhile, and an interrupted command may be called again.
    """
    from api.commands import games

    with migrated(settings) as connected:
        count = games.cancel(connected, app, idle, click.echo)
    click.echo(f"cancelled {count} games")


@click.group("log-keys")
def log_keys() -> None:
    """List and rotate the keys that sign receipts."""


@log_keys.command("list")
@with_settings("data_dir")
def log_keys_list(settings: Settings) -> None:
    """Print every key, newest first, in the form of C2SP's signed notes, and its time of use."""
    from api.run import log_keys

    with migrated(settings) as connected:
        for line in log_keys.listing(connected):
            click.echo(line)


@log_keys.command("rotate")
@with_settings("data_dir")
def log_keys_rotate(settings: Settings) -> None:
    """Retire the newest key, create another one and print it. The server may run meanwhile."""
    from api.run import log_keys

    with migrated(settings) as connected:
        click.echo(log_keys.rotate(connected))


@click.group()
def apps() -> None:
    """Export apps, and delete them."""


APP = click.argument("app")


@apps.command("export")
@with_settings("data_dir")
@APP
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def apps_export(settings: Settings, app: str, file: Path) -> None:
    """Write an app (its name or id) to a new FILE, .ndjson or .ndjson.zst, which `referee verify` takes.

    It has the app's settings without secrets, its players, and a record of each game: whole if the game is
    over, and otherwise with what everybody may see.
    """
    from api.commands import apps

    with migrated(settings) as connected:
        apps.export(connected, app, file, click.echo)


@apps.command("delete")
@with_settings("data_dir")
@APP
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--abandon", is_flag=True, help="Delete games that are not over, too.")
def apps_delete(settings: Settings, app: str, yes: bool, abandon: bool) -> None:
    """Delete an app (its name or id) with its keys, players, games and everything else that is its own.

    Export it before. The server may run meanwhile, and an interrupted command is called again. Of its games
    only the hashes in the log of all games stay, which the proofs of other games need.
    """
    from api.commands import apps

    def confirm(name: str) -> None:
        if not yes and click.prompt("Nothing brings it back. Its name or id again") not in (name, app):
            raise click.Abort

    with migrated(settings) as connected:
        apps.delete(connected, app, abandon, confirm, click.echo)
