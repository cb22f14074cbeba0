"""The languages of pages, mails and problems: English in the code, the others in gettext catalogues."""

from __future__ import annotations

import gettext
import io
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any

ENGLISH = "en"
NAMES = {ENGLISH: "English", "de": "Deutsch", "es": "Español", "pt": "Português"}
CATALOGUES = Path(__file__).parents[1] / "languages"


def supported(accepted: Iterable[str], further: Collection[str] = ()) -> str | None:
    """Return the first of these languages (`de`, `pt-BR`) that has a catalogue or is one of `further`."""
    short = (tag.replace("_", "-").partition("-")[0].lower() for tag in accepted)
    return next((tag for tag in short if tag in NAMES or tag in further), None)


@cache
def texts(language: str) -> gettext.NullTranslations:
    """Return the catalogue of a language: `texts("de").gettext("Your turn")` is the German text.

    Texts that it lacks, and all texts of an unknown language, stay English.
    """
    if language not in NAMES or language == ENGLISH:
        return gettext.NullTranslations()
    from babel.messages.mofile import write_mo

    compiled = io.BytesIO()
    write_mo(compiled, _catalogue(language))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


@cache
def texts_of_scripts(language: str) -> dict[str, str | list[str]]:
    """Return the texts of the pages' scripts by their English; those with a number in two forms."""
    texts = {}
    for message in _catalogue(language):
        if message.id and message.string and any(file.endswith(".js") for file, _ in message.locations):
            several = isinstance(message.id, tuple)
            texts[message.id[0] if several else message.id] = (
                list(message.string) if several else message.string
            )
    return texts


def _catalogue(language: str) -> Any:
    # Imported late: most servers start, and most requests are answered, without it.
    from babel.messages.pofile import read_po

    # Without the locale, because Babel has three plural forms for Spanish since 2.19, and we have two.
    with (CATALOGUES / f"{language}.po").open("rb") as file:
        return read_po(file)
