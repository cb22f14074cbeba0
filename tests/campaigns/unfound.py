"""What verifiers do not find in a record alone, each kind with its paragraph in docs/trust.md."""

from __future__ import annotations

import re
from typing import Any

# What the page says that it does not check, because it does not know the rules of the games: the checks of
# the referee, and what these say then.
BEYOND_PAGE = {
    "verdicts": "",
    "bots": "",
    "transfers": "",
    "shuffles": "are not what happened|is not what that seat saw",
    "result": "the game came to|no finished entry",
    "clocks": "another move was made for the seat|not those that follow from the pace",
    "order": "the game is over, but no finished|takes back|the game has a result",
}


def is_beyond_page(finding: tuple[str, str]) -> bool:
    """Return whether a finding of the referee's verifier needs the rules of the game."""
    name, detail = finding
    return name in BEYOND_PAGE and re.search(BEYOND_PAGE[name], detail) is not None


def reason(forgery: Any) -> str | None:
    """Return why nobody finds such a forgery, as it is called in docs/trust.md, or None."""
    return None
