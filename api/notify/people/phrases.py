"""Through here passes every text of a mail that is not a name, so that a translation can be chosen."""

from __future__ import annotations


def say(phrase: str, **values: object) -> str:
    """Return a phrase with its values filled in."""
    return phrase.format(**values)


def count(number: int, one: str, several: str) -> str:
    """Return a phrase for one thing, or the one for several with their `number`."""
    return say(one) if number == 1 else say(several, number=number)
