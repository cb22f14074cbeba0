"""The `referee` command: the rules offline, JSON in and out."""

import click

from referee.cli import playing, verifying


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Judge, replay and check card games offline."""


for module in (playing, verifying):
    for command in vars(module).values():
        if isinstance(command, click.Command):
            main.add_command(command)
