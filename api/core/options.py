"""Options that several commands share: flags for settings, times and durations."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from api.core.config import DECLARED, Settings, unset, variable

METAVARS = {"host": "ADDRESS", "port": "NUMBER", "workers": "N", "data_dir": "DIR"}
LONGEST = timedelta(days=36_500)


def with_settings(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add flags for these settings to a command, and pass it the resulting Settings."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**flags: Any) -> None:
            chosen = {name: flags.pop(name) for name in names}
            command(Settings.from_env(os.environ, **chosen), **flags)

        # Flags are text: the readers of the settings report errors.
        for name in reversed(names):
            words = f"{DECLARED[name].metadata['about']} ({variable(name)}; unless set: {unset(name)})"
            run = click.option(f"--{name.replace('_', '-')}", name, metavar=METAVARS[name], help=words)(run)
        return run

    return decorate


def with_database(command: Callable[..., None]) -> Callable[..., None]:
    """Pass a command the settings of a database that has its schema; the program's `obj` opens it."""

    @with_settings("data_dir")
    @functools.wraps(command)
    def run(settings: Settings, **more: Any) -> None:
        with click.get_current_context().obj(settings) as connected:
            command(connected, **more)

    return run


settings_pipe = click.option("--settings-fd", type=int, hidden=True, help="Read the settings from this pipe.")


def time(context: click.Context, option: click.Parameter, value: str | None) -> datetime | None:
    """Return a time in RFC 3339; one without an offset is in UTC."""
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a time such as 2026-01-31T12:00:00Z.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def month(context: click.Context, option: click.Parameter, value: str) -> datetime:
    """Return the beginning of a month, in UTC, of years for which there are ids of games."""
    try:
        first = datetime.strptime(value, "%Y-%m").replace(tzinfo=UTC)
    except ValueError:
        first = datetime.min
    if not 1970 <= first.year < 9999:
        raise click.BadParameter(f"{value!r} is not a month such as 2026-01.")
    return first


def duration(context: click.Context, option: click.Parameter, value: str | None) -> timedelta | None:
    """Return a positive ISO 8601 duration in units of fixed length, of at most a hundred years."""
    if value is None:
        return None
    import referee.clocks  # with the rules of all games, which `serve` does without

    try:
        length = referee.clocks.duration(value)
    except ValueError:
        length = timedelta(0)
    if not timedelta(0) < length <= LONGEST:
        raise click.BadParameter(f"{value!r} is not a duration such as P90D or PT12H, at most P36500D.")
    return length
