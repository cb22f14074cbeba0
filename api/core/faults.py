"""Codes of what is wrong with a field, for programs: messages are for people, and may be worded otherwise."""

from __future__ import annotations

import re

OTHER = "invalid"
# The beginnings of messages, ours, marshmallow's and the referee's; the first that fits counts.
MESSAGES = {
    "missing": "missing data|is missing|must have (either|exactly one|a position)|say which seat",
    "unknown": "unknown |.*no such ",
    "null": "field may not be null",
    "duplicate": ".*(more than once|only once|each seat once|the same |already)",
    "choice": "must be one of",
    "size": "longer |shorter |length |too long|.*(at most|at least) |must be (greater|an integer from)",
    "type": "not a valid |invalid |must be (an object|a list|a string|true or false|an integer)",
}
CODES = (*MESSAGES, OTHER)
_KNOWN = [(code, re.compile(pattern, re.IGNORECASE)) for code, pattern in MESSAGES.items()]


def codes(errors: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the code of each message of each field, in the same order."""
    return {field: [_code(message) for message in messages] for field, messages in errors.items()}


def _code(message: str) -> str:
    return next((code for code, pattern in _KNOWN if pattern.match(message)), OTHER)
