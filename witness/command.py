"""The `referee` command; without the extra `witness`, its commands for witnesses only name it."""

import click

try:
    from witness.cli import main
except ModuleNotFoundError as missing:
    from referee.cli import main

    NEEDED = f"needs {missing.name}: pip install 'card-referee[witness]'"

    @main.command("witness", context_settings={"ignore_unknown_options": True})
    @click.argument("words", nargs=-1)
    def witness(words: tuple[str, ...]) -> None:
        """Watch a server's log of all games (not installed: the extra `witness`)."""
        raise click.ClickException(NEEDED)


__all__ = ["main"]
