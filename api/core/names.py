"""What a name for people may contain: visible characters, with spaces between them.

It may not contain control and format characters (newlines, terminal escapes, bidirectional controls,
zero-width characters), characters that look like nothing or different in each program (private use), or
spaces at either end.
"""

from __future__ import annotations

import re
import unicodedata

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
