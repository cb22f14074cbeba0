"""What operators do now and then: `referee-api keys`; and its help."""

from __future__ import annotations

import os
from dataclasses import fields
from datetime import timedelta

import click

from api.core.config import DECLARED, Settings, read, unset, variable
from api.core.declared import BasicSettings
from api.core.options import duration, with_database
from api.core.readers import FORMS


@click.group()
def keys() -> None:
    """Create, list and revoke app keys."""


@keys.command("create")
@with_database
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
    from api.callers import app_keys

    key_id, key = app_keys.create(settings, name, list(scopes) or ["read", "write"], expires, key_name)
    click.echo(f"id {key_id}\n{key}")


@keys.command("list")
@with_database
@click.argument("name", required=False)
def keys_list(settings: Settings, name: str | None) -> None:
    """Print every app key's id, name, scopes and times, one line of JSON each; never a key itself.

    With a NAME, only the keys of the app of that name.
    """
    from api.callers import app_keys

    for line in app_keys.listing(settings, name):
        click.echo(line)


@keys.command("revoke")
@with_database
@click.argument("key_id", metavar="ID")
@click.option(
    "--keep-tokens/--with-tokens",
    default=True,
    help="Leave the player tokens that were made with it, or (for a stolen key) revoke them, too.",
)
def keys_revoke(settings: Settings, key_id: str, keep_tokens: bool) -> None:
    """Revoke a key permanently."""
    from api.callers import app_keys

    app_keys.revoke(settings, key_id, keep_tokens)
    click.echo(f"revoked {key_id}")


def rows(advanced: bool) -> list[tuple[str, str, str, str, str]]:
    """Return the basic or the advanced settings: variable, default, accepted values, meaning and users."""
    basic = {each.name for each in fields(BasicSettings)}
    return [
        (
            variable(name),
            unset(name),
            FORMS[each.metadata["reader"]],
            each.metadata["about"],
            each.metadata["by"],
        )
        for name, each in DECLARED.items()
        if (name not in basic) == advanced
    ]


class Commands(click.Group):
    """The commands, those of features included, which are imported only when asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted({*self.commands, *self.of_features()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; None if there is none with this name."""
        return self.commands.get(cmd_name) or self.of_features().get(cmd_name)

    def of_features(self) -> dict[str, click.Command]:
        """Import the commands of the features that FEATURES names."""
        from api.features import load_features

        chosen = os.environ.get("FEATURES", "").strip()
        names = read("features", chosen, variable("features")) if chosen else ()
        return {str(command.name): command for command in load_features(*names).commands()}

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the basic settings, their meanings and defaults."""
        super().format_epilog(ctx, formatter)
        with formatter.section(
            "Settings (environment variables; docs/reference/settings.md has more, and advanced ones)"
        ):
            formatter.write_dl([(name, _line(about, default)) for name, default, _, about, _ in rows(False)])


def _line(about: str, default: str) -> str:
    return f"{about} Unless set: {default}.".replace("`", "")
