"""The `referee` command, with the commands of other packages that are installed, such as the witness."""

from importlib.metadata import entry_points

import click

from referee.cli import main as main

for _entry in entry_points(group="card_referee.commands"):
    try:
        _entry.load()  # it adds its commands to `main`
    except ModuleNotFoundError:
        continue  # something that the other package needs is missing

if "witness" not in main.commands:

    @main.command("witness", context_settings={"ignore_unknown_options": True})
    @click.argument("words", nargs=-1)
    def unavailable(words: tuple[str, ...]) -> None:
        """Watch a server's log of all games (not installed: `card-referee-witness`)."""
        raise click.ClickException("needs another package: pip install card-referee-witness")
