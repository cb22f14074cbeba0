"""`referee-api openapi`."""

from __future__ import annotations

import click


@click.command()
def openapi() -> None:
    """Write the specification that the code serves (OpenAPI 3.1, YAML) to standard output."""
    from api.features.specification.specification import spec_yaml  # other commands need not wait for it

    click.echo(spec_yaml(), nl=False)


COMMANDS = [openapi]
