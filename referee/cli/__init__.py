"""The `referee` command: the rules offline, JSON in and out."""

from typing import Any

import click

from referee.cli import fair, playing, rating, strength, verifying
from referee.engine.jsontext import printable
from referee.engine.registry import BROKEN_RULESETS
from referee.engine.verdicts import Faulty
from referee.workshop.installed import faults_told


class _Commands(click.Group):
    """Commands that tell mistakes of a ruleset's author in words."""

    def invoke(self, context: click.Context) -> Any:
        """Run a command, or exit with 1 if an installed ruleset is broken or fails in the command."""
        told = [*BROKEN_RULESETS.values()]
        answer = None
        if not told:
            try:
                with faults_told():
                    answer = super().invoke(context)
            except Faulty as fault:
                told = [str(fault)]
        for line in "\n".join(f"Error: {one}" for one in told).splitlines():
            click.echo(printable(line), err=True)
        if told:
            context.exit(1)
        return answer


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Judge, replay and check card games offline."""


for module in (playing, strength, rating, verifying, fair):
    for command in vars(module).values():
        if isinstance(command, click.Command):
            main.add_command(command)
