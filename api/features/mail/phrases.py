"""Through here passes every text of a mail that is not a name, in the language of whom the mail is for.

The language is that of the code that is running, so that the words need not hand it to each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta

from api.core import languages

_language = ContextVar("language", default=languages.ENGLISH)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Say everything in a language."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def spoken() -> str:
    """Return the language of what is said."""
    return _language.get()


def mark(phrase: str) -> str:
    """Return a phrase that is said later; `make generate` finds it here."""
    return phrase


def translate(phrase: str, **values: object) -> str:
    """Return a phrase with its values filled in."""
    return languages.texts(spoken()).gettext(phrase).format(**values)


def many(number: int, one: str, several: str) -> str:
    """Return a phrase for one thing, or the one for several with their `number`."""
    return languages.texts(spoken()).ngettext(one, several, number).format(number=number)


def write_time(at: datetime, pattern: str) -> str:
    """Return a time by a pattern of Unicode's CLDR, in its own zone."""
    from babel.dates import format_datetime  # imported late, as all of Babel is

    return format_datetime(at, translate(pattern), locale=spoken())


def write_length(length: timedelta) -> str:
    """Return a length of time in the largest unit of which it is a whole number."""
    from babel.units import format_unit  # imported late, as all of Babel is

    seconds = length // timedelta(seconds=1)
    units = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
    unit, size = next((unit, size) for unit, size in units if seconds % size == 0)
    return format_unit(seconds // size, f"duration-{unit}", locale=spoken())
