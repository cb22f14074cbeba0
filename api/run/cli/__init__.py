"""`referee-api`: the server's command line.

Each command imports what it needs itself, so that the web server's master process imports nothing that gevent
would have to patch (`api.run.web.server`).
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import click

from api.core.config import Settings, StartError
from api.core.options import settings_pipe, with_settings
from api.run.cli import operating
from api.run.cli.operating import Commands


@contextmanager
def migrated(settings: Settings) -> Iterator[Settings]:
    """Yield a database with its schema: the embedded one is brought up to date, any other has an operator."""
    from api.run.embedded.postgres import database
    from api.run.migrate import upgrade

    with database(settings) as connected:
        if not settings.database_url:
            upgrade(connected)
        yield connected


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "obj": migrated})
@click.version_option(package_name="card-referee")
def cli() -> None:
    """Card Referee's server. Settings come from the environment (DATABASE_URL, HOST, PORT, …); flags win."""


@cli.command()
@with_settings("host", "port", "data_dir", "workers")
def serve(settings: Settings) -> None:
    """Run everything: the database (unless DATABASE_URL is set), the web server and the job worker."""
    from api.run.serve import serve

    serve(settings)


@cli.command(hidden=True)
@with_settings("data_dir")
@settings_pipe
def prepare(settings: Settings, settings_fd: int) -> None:
    """Prepare the database for `serve`."""
    from api.callers import app_keys  # noqa: F401  (imported before the settings come)
    from api.run import handover, migrate  # noqa: F401  (the same)
    from api.run.serve import prepare

    prepare(handover.receive(settings_fd))


@cli.command()
@with_settings("data_dir")
def migrate(settings: Settings) -> None:
    """Bring the database's schema up to date (as the owner: MIGRATION_DATABASE_URL, else DATABASE_URL)."""
    from api.run.embedded.postgres import database
    from api.run.migrate import upgrade

    with database(settings) as connected:
        upgrade(connected)


@cli.command("rotate-keys")
@with_settings("data_dir")
def rotate_keys(settings: Settings) -> None:
    """Encrypt everything in the database with the newest key.

    With DATABASE_URL: put a new key in front of ENCRYPTION_KEYS, restart web and worker, run this, and take
    the old keys out (docs/guides/deployment.md). Without: stop the server first; the new key is made here and
    the old one forgotten.
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
        connected = embedded(settings, server.socket)
        upgrade(connected)
        click.echo(f"encrypted {encryption_keys.rotate_file(connected)} rows anew")


@cli.command()
@with_settings("host", "port", "data_dir", "workers")
@click.option("--fd", type=int, hidden=True, help="Serve on this open socket instead.")
@settings_pipe
def web(settings: Settings, fd: int | None, settings_fd: int | None) -> None:
    """Run the web server alone, on a migrated database."""
    from api.run import handover, rulesets
    from api.run.embedded.postgres import find_database
    from api.run.web import server, sharing

    server.import_shared()  # while `serve` waits for the database
    rulesets.require_loaded()
    if settings_fd is not None:
        settings = handover.receive(settings_fd)
    settings = find_database(settings).for_web()
    if fd is None:  # `serve` has just set them
        before = signal.signal(signal.SIGTERM, _end_with_children)
        with ProcessPoolExecutor(1) as apart:  # psycopg must not be imported here before gevent has patched
            apart.submit(_require_database, settings).result()
        signal.signal(signal.SIGTERM, before)
    server.run(settings, sharing.reserve(settings.host, settings.port).detach() if fd is None else fd)


def _end_with_children(number: int, frame: object) -> None:
    """Exit; without this handler, the signal would leave the process that checks the database behind."""
    for child in multiprocessing.active_children():
        child.terminate()
    sys.exit(0)


def _require_database(settings: Settings) -> None:
    from api.run import encryption_keys, reaching, rights, row_security

    reaching.say_if_not(settings.database_url, settings.direct_database_url)
    row_security.say_if_off(settings.database_url)
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


FILE = click.argument("file", type=click.Path(path_type=Path, dir_okay=False))


@cli.command()
@with_settings("data_dir")
@FILE
@click.option("--check", "only_check", is_flag=True, help="Write nothing: say whether FILE is whole.")
def backup(settings: Settings, file: Path, only_check: bool) -> None:
    """Write the whole database, of a running service too, to a new FILE; it has no encryption key in it."""
    from api.run.backup import backup, check

    if only_check:
        check(file, click.echo)
    else:
        backup(settings, file, click.echo)


@cli.command()
@with_settings("data_dir")
@FILE
@click.option("--try", "only_try", is_flag=True, help="Beside the database, which only notes that it worked.")
def restore(settings: Settings, file: Path, only_try: bool) -> None:
    """Load a backup into an empty database, then check rights and verify every game's log.

    ENCRYPTION_KEYS are those of the database that was backed up: what is in its DATA_DIR/encryption.key.
    """
    from api.run.backup import restore, try_restore

    (try_restore if only_try else restore)(settings, file, click.echo)


@cli.command()
@with_settings("data_dir")
def check(settings: Settings) -> None:
    """Check everything that a server needs, one line of JSON each; exit with 1 if anything does not work."""
    from api.run.check import run
    from api.run.embedded.postgres import find_database

    if not run(find_database(settings), click.echo):
        sys.exit(1)


@cli.command()
@with_settings("data_dir")
def verify(settings: Settings) -> None:
    """Verify the log of every game of every app; exit with 1 where one does not hold."""
    from api.run.backup import verify

    verify(settings, click.echo)


cli.add_command(operating.keys)
