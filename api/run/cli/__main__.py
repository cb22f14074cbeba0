"""The program `referee-api`, also as `python -m api.run.cli`."""

from __future__ import annotations

import sys

import click

from api.core.config import StartError
from api.run.cli import cli


def main() -> None:
    """Run the program. Exit with 1 and one sentence if something cannot start, with 2 for a wrong call."""
    try:
        cli(prog_name="referee-api")
    except StartError as error:
        click.echo(f"referee-api: {error}", err=True)
        sys.exit(1)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in ("api", "referee", "witness"):
            raise
        missing = f"The service needs {error.name}: install it with its extra, pip install '.[server]'."
        click.echo(f"referee-api: {missing}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
