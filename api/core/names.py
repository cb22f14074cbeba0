"""What people and apps may call things: names for people, mail addresses, and the labels of an app.

A name may not contain control and format characters (newlines, terminal escapes, bidirectional controls,
zero-width characters), characters that look like nothing or different in each program (private use), or
spaces at either end.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, NotRequired, TypedDict

import idna

from api.core.errors import BadRequest

LONGEST = 100
REQUIREMENT = (
    "Must be visible characters with spaces between them only:"
    " no control, bidirectional, zero-width or blank characters."
)
_SPACE = r"\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_HIDDEN = (
    r"\u0000-\u001f\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
    r"\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ue000-\uf8ff\ufdd0-\ufdef"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff"
)
_SEEN = f"[^{_HIDDEN}{_SPACE}]"
# Joiners shape words of some scripts and join emoji, whose form U+FE0F selects. Elsewhere they only hide:
# between letters of Latin, Greek, Cyrillic, Georgian, Chinese, Japanese and Korean.
_UNJOINED = (
    r"\u0000-\u05ff\u10a0-\u11ff\u1c80-\u1cbf\u1d00-\u1fff\u2c00-\ua7ff\uab30-\uab6f\uac00-\ud7ff"
    r"\uf900-\ufb4f\uff00-\uffef"
)
_JOINABLE = f"[^{_UNJOINED}{_HIDDEN}{_SPACE}]"
_FORMED = rf"{_JOINABLE}\ufe0f"
_UNIT = rf"(?:{_FORMED}?(?:[\u200c\u200d]{_FORMED}?)+|{_FORMED}|{_SEEN})"
STRICT = f"^{_UNIT}(?:[{_SPACE}]*{_UNIT})*$"
_fits = re.compile(STRICT).match
# The specification has this one, which every regex dialect can read; `REQUIREMENT` says the rest in words.
PATTERN = r"^[^\x00-\x20\x7f-\xa0]([^\x00-\x1f\x7f-\x9f]*[^\x00-\x20\x7f-\xa0])?$"
# Characters above U+FFFF that are no visible ones:
_BEYOND = ("Cf", "Cs", "Co")
_BLANK = "\U00016fe4\U0001d159"
# No NUL: PostgreSQL's text cannot hold it, and the JSON reader refuses it.
TEXT_PATTERN = r"^[^\x00]*$"


def is_name(text: str) -> bool:
    """Return whether a text is acceptable as a name."""
    return (
        0 < len(text) <= LONGEST
        and not text.endswith("\n")
        and _fits(text) is not None
        and not any(map(_is_hidden, text))
    )


def _is_hidden(c: str) -> bool:
    """Return whether a character that the pattern accepts is invisible nevertheless."""
    code = ord(c)
    return code > 0xD7FF and (
        unicodedata.category(c) in _BEYOND
        or 0xE0000 <= code <= 0xE0FFF  # tags and variation selectors
        or code & 0xFFFE == 0xFFFE  # noncharacters
        or c in _BLANK
    )


def ascii_form(address: str) -> str:
    """Return an address with its domain in ASCII (RFC 5891). Raises ValueError if that is no domain."""
    local, _, domain = address.rpartition("@")
    if not domain.isascii():
        domain = idna.encode(domain, uts46=True).decode()
    return f"{local}@{domain}"


MOST_KEYS, LONGEST_KEY, LONGEST_VALUE = 50, 40, 500  # Stripe's limits of its `metadata`
LONGEST_ID, LONGEST_TITLE = 200, 200


class WithLabels(TypedDict):
    """An object with labels of its app."""

    external_id: NotRequired[Annotated[str | None, "The app's own id; shown only to the app."]]
    metadata: NotRequired[Annotated[dict[str, str], "Data of the app; shown only to the app."]]


class Labels(NamedTuple):
    """An app's own id of a resource, unique among its resources of that kind, and its metadata."""

    external_id: str | None = None
    metadata: Mapping[str, str] = {}

    def changed(self, changes: Mapping[str, Any]) -> Labels:
        """Return these labels with the changes of a request; only the metadata keys that it names change.

        A key whose value is null or empty is removed; `metadata` null removes all keys. Raises BadRequest if
        too many keys would be left.
        """
        external_id = changes.get("external_id", self.external_id)
        metadata = dict(self.metadata)
        if "metadata" in changes:
            pairs = changes["metadata"]
            metadata = {} if pairs is None else metadata | pairs
        metadata = {key: value for key, value in metadata.items() if value}
        if len(metadata) > MOST_KEYS:
            raise BadRequest({"metadata": [f"Must have at most {MOST_KEYS} keys."]})
        return Labels(external_id, metadata)

    def to_json(self) -> WithLabels:
        """Return the form in which an app sees them."""
        return {"external_id": self.external_id, "metadata": dict(self.metadata)}
