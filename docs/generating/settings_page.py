"""docs/reference/settings.md: every setting of the service, and the flags and variables of its commands."""

from __future__ import annotations

from collections.abc import Mapping

import click

from api.run.cli.operating import Commands, rows

PAGE = """# Settings

*For operators, to look things up.* `make generate` writes this page from `api/core/declared.py`.

Every setting is an environment variable; an empty one counts as not set. If a command has a flag for
the setting, the flag takes precedence. With an invalid value, every command stops at once with a message
that names the setting. "Used by" lists the commands that use the setting. `serve` combines `migrate`,
`web` and `worker`, and passes its settings on to them.

"""


def page(cli: Commands) -> str:
    """Return docs/reference/settings.md: every setting, the flags, and the variables of single commands."""
    lines = _table(advanced=False)
    lines += ["", "## Advanced", *_table(advanced=True)]
    lines += ["", "## Flags", "| command | flags |", "| --- | --- |"]
    for name, command in sorted(_commands({**cli.commands, **cli.of_features()})):
        flags = [f"`{option.opts[0]}`" for option in command.params if _is_flag(option)]
        if flags:
            lines.append(f"| `{name}` | {', '.join(flags)} |")
    lines += ["", "## Variables of one command", "| command | variable | meaning |", "| --- | --- | --- |"]
    for name, command in sorted(_commands({**cli.commands, **cli.of_features()})):
        for option in command.params:
            if isinstance(option, click.Option) and option.envvar:
                lines.append(f"| `{name}` | `{option.envvar}` | {option.help} |")
    return PAGE + "\n".join(lines) + "\n"


def _table(advanced: bool) -> list[str]:
    lines = ["| variable | meaning | unless set | accepts | used by |", "| --- | --- | --- | --- | --- |"]
    for name, default, form, about, by in rows(advanced):
        lines.append(f"| `{name}` | {about} | {default} | {form} | {by} |")
    return lines


def _is_flag(option: click.Parameter) -> bool:
    return isinstance(option, click.Option) and not option.hidden


def _commands(commands: Mapping[str, click.Command], before: str = "") -> list[tuple[str, click.Command]]:
    names = []
    for name, command in commands.items():
        if isinstance(command, click.Group):
            names += _commands(command.commands, f"{before}{name} ")
        elif not command.hidden:
            names.append((f"{before}{name}", command))
    return names
