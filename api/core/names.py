"""What a name that people read may consist of: characters that are seen, and spaces between them.

Refused are control and format characters (newlines, terminal escapes, bidirectional controls, zero-width
characters), characters that look like nothing, and spaces at either end.
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
    r"\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff"
    r"\uffa0\ufff0-\ufffb"
)
_SEEN = f"[^{_HIDDEN}{_SPACE}]"
# Joiners shape words of some scripts and join emoji; between Latin, Greek or Cyrillic letters they only hide.
_JOINABLE = rf"[^\u0000-\u05ff{_HIDDEN}{_SPACE}]"
_UNIT = rf"(?:{_JOINABLE}(?:[\u200c\u200d]{_JOINABLE})+|{_SEEN})"
PATTERN = f"^{_UNIT}(?:[{_SPACE}]*{_UNIT})*$"
_fits = re.compile(PATTERN).match
_BEYOND = ("Cf", "Cs")  # above U+FFFF, where the pattern cannot name them in every regex dialect


def is_name(text: str) -> bool:
    """Return whether a text will do as a name."""
    return (
        0 < len(text) <= LONGEST
        and not text.endswith("\n")
        and _fits(text) is not None
        and not any(ord(c) > 0xD7FF and unicodedata.category(c) in _BEYOND for c in text)
        and not any(0xE0000 <= ord(c) <= 0xE0FFF for c in text)  # tags and variation selectors, seen or not
    )
