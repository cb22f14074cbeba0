"""The `referee` command; without the extra `witness`, its commands for witnesses only name it."""

import click

from referee.cli import main

try:
    import witness.cli  # noqa: F401  (adds its commands)
except ModuleNotFoundError as missing:
    NEEDED = f"needs {missing.name}: pip install 'card-referee[witness]'"

    @main.command("witness", context_settings={"ignore_unknown_options": True})
    @click.argument("words", nargs=-1)
    def unavailable(words: tuple[str, ...]) -> None:
        """Watch a server's log of all games (not installed: the extra `witness`)."""
        raise click.ClickException(NEEDED)


__all__ = ["main"]
