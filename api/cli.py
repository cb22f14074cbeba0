"""`referee-api`: the server's command line.

Each command imports what it needs itself, so that the web server's master process imports nothing that gevent
would have to patch (`api.run.web.server`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import click

from api.commands import local
from api.commands.options import duration, month, settings_pipe, time, with_settings
from api.commands.settings import WithSettings
from api.core.config import Settings, StartError


@click.group(cls=WithSettings, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="card-referee")
def cli() -> None:
    """Card Referee's server. Settings come from the environment (DATABASE_URL, HOST, PORT, …); flags win."""


@cli.command()
@with_settings("host", "port", "data_dir", "workers")
def serve(settings: Settings) -> None:
    """Run everything: the database (unless DATABASE_URL is set), the web server and the job worker."""
    from api.run.serve import serve

    serve(settings)


@cli.command()
@with_settings("data_dir")
def migrate(settings: Settings) -> None:
    """Bring the database's schema up to date (as the owner: MIGRATION_DATABASE_URL, else DATABASE_URL)."""
    from api.run.embedded.postgres import database
    from api.run.migrate import upgrade

    with database(settings) as found:
        upgrade(found)


@cli.command("rotate-keys")
@with_settings("data_dir")
def rotate_keys(settings: Settings) -> None:
    """Encrypt everything in the database with the newest key.

    With DATABASE_URL: put a new key in front of ENCRYPTION_KEYS, restart web and worker, run this, and take
    the old keys out (docs/deployment.md). Without: stop the server first; the new key is made here and the
    old one forgotten.
    """
    from api.run import encryption_keys
    from api.run.embedded.postgres import embedded, supervise
    from api.run.migrate import upgrade

    if settings.database_url:
        click.echo(f"encrypted {encryption_keys.rotate(settings)} rows anew")
        return
    with supervise(settings.data_dir) as server:
        if server is None:
            raise StartError(f"The data directory {settings.data_dir} is in use; stop the server first.")
        found = embedded(settings, server.socket)
        upgrade(found)
        click.echo(f"encrypted {encryption_keys.rotate_file(found)} rows anew")


@cli.command()
@with_settings("host", "port", "data_dir", "workers")
@click.option("--fd", type=int, hidden=True, help="Serve on this open socket instead.")
@settings_pipe
def web(settings: Settings, fd: int | None, settings_fd: int | None) -> None:
    """Run the web server alone, on a migrated database."""
    from api.run import handover, rulesets
    from api.run.embedded.postgres import find_database
    from api.run.web import server

    server.import_shared()  # while `serve` waits for the database
    rulesets.require_loaded()
    if settings_fd is not None:
        settings = handover.receive(settings_fd)
    settings = find_database(settings).for_web()
    if fd is None:  # `serve` has just set them
        with ProcessPoolExecutor(1) as apart:  # psycopg must not be imported here before gevent has patched
            apart.submit(_require_database, settings).result()
    server.run(settings, server.listen(settings.host, settings.port).detach() if fd is None else fd)


def _require_database(settings: Settings) -> None:
    from api.run import encryption_keys, rights

    rights.require(settings.database_url)
    rights.require_direct(settings)
    encryption_keys.require(settings)


@cli.command()
@with_settings("data_dir")
@settings_pipe
def worker(settings: Settings, settings_fd: int | None) -> None:
    """Run the job worker alone: deadlines and webhook deliveries."""
    from api.run import handover, rulesets
    from api.run.embedded.postgres import find_database
    from api.run.worker import run_worker

    rulesets.require_loaded()
    if settings_fd is not None:
        settings = handover.receive(settings_fd)
    run_worker(find_database(settings))


@cli.command()
@with_settings("data_dir")
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
    from api.commands.export import export
    from api.run.embedded.postgres import find_database

    export(find_database(settings), since, file, click.echo)


FILE = click.argument("file", type=click.Path(path_type=Path, dir_okay=False))


@cli.command()
@with_settings("data_dir")
@FILE
def backup(settings: Settings, file: Path) -> None:
    """Write the whole database, of a running service too, to a new FILE; it has no encryption key in it."""
    from api.run.backup import backup

    backup(settings, file, click.echo)


@cli.command()
@with_settings("data_dir")
@FILE
def restore(settings: Settings, file: Path) -> None:
    """Load a backup into an empty database, then check rights and verify every game's log.

    ENCRYPTION_KEYS are those of the database that was backed up: what is in its DATA_DIR/encryption.key.
    """
    from api.run.backup import restore

    restore(settings, file, click.echo)


@cli.command()
@with_settings("data_dir")
def verify(settings: Settings) -> None:
    """Verify the log of every game of every app; exit with 1 where one does not hold."""
    from api.run.backup import verify

    verify(settings, click.echo)


@cli.command()
@with_settings("data_dir")
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
    from api.run.archive import archive

    archive(settings, before, click.echo)


@cli.group()
def statistics() -> None:
    """Rebuild the statistics of players."""


@statistics.command("rebuild")
@with_settings("data_dir")
def statistics_rebuild(settings: Settings) -> None:
    """Rebuild the statistics of all players from the logs of their games; the service may run meanwhile."""
    from api.commands import statistics
    from api.run.embedded.postgres import find_database

    statistics.rebuild(find_database(settings), click.echo)


@cli.group()
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
def keys_create(settings: Settings, name: str, scopes: tuple[str, ...], expires: timedelta | None) -> None:
    """Create an app with a key, and print the key, once, on the last line."""
    from api.commands import keys

    with _migrated(settings) as found:
        key_id, key = keys.create(found, name, list(scopes) or ["read", "write"], expires)
    click.echo(f"id {key_id}\n{key}")


@keys.command("list")
@with_settings("data_dir")
def keys_list(settings: Settings) -> None:
    """Print every app key's id, name, scopes and times, one line of JSON each; never a key itself."""
    from api.commands import keys

    with _migrated(settings) as found:
        for line in keys.listing(found):
            click.echo(line)


@keys.command("revoke")
@with_settings("data_dir")
@click.argument("key_id", metavar="ID")
@click.option("--keep-tokens", is_flag=True, help="Leave the player tokens that were made with it.")
def keys_revoke(settings: Settings, key_id: str, keep_tokens: bool) -> None:
    """Revoke a key permanently, with every key and player token that was created with it."""
    from api.commands import keys

    with _migrated(settings) as found:
        keys.revoke(found, key_id, keep_tokens)
    click.echo(f"revoked {key_id}")


@cli.group()
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

    with _migrated(settings) as found:
        click.echo(clocks.add_time(found, game, seat, time))


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

    with _migrated(settings) as found:
        click.echo(json.dumps(clocks.change_pace(found, game, pace)))


@clocks.command("undo-timeout")
@with_settings("data_dir")
@GAME
def clocks_undo_timeout(settings: Settings, game: UUID) -> None:
    """Undo the time-out for which the last move of a game was made; print its seat's new deadline.

    The seat gets the whole time of the turn again. This is refused if another seat has acted since or cards
    were shown, and in games that are over.
    """
    from api.commands import clocks

    with _migrated(settings) as found:
        click.echo(clocks.undo_timeout(found, game))


@clocks.command("outage")
@with_settings("data_dir")
@click.option("--since", callback=time, metavar="TIME", required=True, help="When players were cut off.")
def clocks_outage(settings: Settings, since: datetime) -> None:
    """Give all running games the time until now back, because players could not reach the server.

    The server notices by itself when none of its web processes was up. This is for other reasons, such as a
    broken network. Games in which something has happened since get only the time after that.
    """
    from api.commands import clocks

    with _migrated(settings) as found:
        clocks.note_outage(found, since)


@cli.group("log-keys")
def log_keys() -> None:
    """List and rotate the keys that sign receipts."""


@log_keys.command("list")
@with_settings("data_dir")
def log_keys_list(settings: Settings) -> None:
    """Print every key, newest first, in the form of C2SP's signed notes, and its time of use."""
    from api.run import log_keys

    with _migrated(settings) as found:
        for line in log_keys.listing(found):
            click.echo(line)


@log_keys.command("rotate")
@with_settings("data_dir")
def log_keys_rotate(settings: Settings) -> None:
    """Retire the newest key, create another one and print it. The server may run meanwhile."""
    from api.run import log_keys

    with _migrated(settings) as found:
        click.echo(log_keys.rotate(found))


@cli.command()
def openapi() -> None:
    """Write the specification that the code serves (OpenAPI 3.1, YAML) to standard output."""
    from api.openapi import spec_yaml

    click.echo(spec_yaml(), nl=False)


@cli.command()
@with_settings("host", "port", "data_dir")
@click.option("--url", help="The server's address, where it is not on this machine.")
@click.option(
    "--key", envvar="REFEREE_KEY", help="An app key (REFEREE_KEY); without it one is made for an hour."
)
@click.option("--ruleset", default="cats_and_dogs", show_default=True, help="Which game the bots play.")
def demo(settings: Settings, url: str | None, key: str | None, ruleset: str) -> None:
    """Let bots play a game on a running server, and print links to watch, replay and verify it."""
    from api.commands import keys
    from api.commands.demo import run
    from api.run.embedded.postgres import find_database

    if not key:
        _, key = keys.create(find_database(settings), "demo", ["read", "write", "audit"], timedelta(hours=1))
    run(url or f"http://{settings.host}:{settings.port}", key, ruleset)


cli.add_command(local.listen)
cli.add_command(local.trigger)


@contextmanager
def _migrated(settings: Settings) -> Iterator[Settings]:
    """Yield a database with its schema: the embedded one is brought up to date, any other has an operator."""
    from api.run.embedded.postgres import database
    from api.run.migrate import upgrade

    with database(settings) as found:
        if not settings.database_url:
            upgrade(found)
        yield found


def main() -> None:
    """Run the program. Exit with 1 and one sentence if something cannot start, with 2 for a wrong call."""
    try:
        cli(prog_name="referee-api")
    except StartError as error:
        click.echo(f"referee-api: {error}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
