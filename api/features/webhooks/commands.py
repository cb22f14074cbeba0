"""The commands for developing an app on one's own machine."""

from __future__ import annotations

import sys

import click

from api.core.config import Settings
from api.core.options import with_settings
from api.features.webhooks import forwarding

KEY = click.option(
    "--key", envvar="REFEREE_KEY", required=True, help="An app key of scope write (REFEREE_KEY)."
)
TARGET = click.option(
    "--forward-to", "target", required=True, metavar="URL", help="Where your server takes webhooks."
)
SECRET = click.option(
    "--secret",
    envvar="REFEREE_WEBHOOK_SECRET",
    help="Sign with this secret, whsec_… (REFEREE_WEBHOOK_SECRET); unless set, one made from the key.",
)


@click.command()
@with_settings("host", "port")
@click.option("--url", help="The server's address, where it is not on this machine.")
@click.option("--event", "events", multiple=True, help="Repeatable; unless set, all that need not be named.")
@KEY
@TARGET
@SECRET
def listen(
    settings: Settings, url: str | None, events: tuple[str, ...], key: str, target: str, secret: str | None
) -> None:
    """Forward the app's notices to a server on this machine, signed, and print them, until Ctrl-C.

    The server needs no open port, and the API no permission to send to private addresses.
    """
    secret = secret or forwarding.secret_of(key)
    server = (url or f"http://{settings.host}:{settings.port}").rstrip("/")
    try:
        forwarding.listen(server, key, target, list(events), secret, _say)
    except KeyboardInterrupt:
        click.echo("stopped")


@click.command()
@click.argument("event")
@KEY
@TARGET
@SECRET
def trigger(event: str, key: str, target: str, secret: str | None) -> None:
    """Send an example of EVENT, such as turn.began, to a server on this machine, signed as `listen` signs."""
    if event not in forwarding.examples():
        known = ", ".join(forwarding.examples())
        raise click.BadParameter(f"{event!r} is none of {known}.", param_hint="EVENT")
    if not forwarding.trigger(target, event, secret or forwarding.secret_of(key), _say):
        sys.exit(1)


def _say(line: str) -> None:
    click.echo(line)
    sys.stdout.flush()


COMMANDS = [listen, trigger]
